/** Gateway API, "GatewayClassReasonInvalidParameters" and "GatewayReasonInvalidParameters" */
import { describe, expect, test } from "vitest";
import { gateway, gatewayClass } from "../../../test/support/cluster/gateway-objects.ts";
import { evaluate } from "../evaluate.ts";
import { worldOf } from "../evaluation.ts";
import type { Completeness } from "../model/completeness.ts";
import { type JsonObject, objectAt } from "../model/json.ts";
import { buildSnapshot } from "../model/snapshot.ts";
import { gatewayStatuses } from "./gateway-statuses.ts";

const OURS = "prevail.dev/gateway";
const ref = (kind: string, name: string, more: JsonObject = {}): JsonObject => ({
  parametersRef: { group: "prevail.dev", kind, name, ...more },
});
const withSpec = (object: JsonObject, spec: JsonObject): JsonObject => ({
  ...object,
  spec: { ...objectAt(object, "spec"), ...spec },
});
const parameters = (namespace: string, spec: JsonObject): JsonObject => ({
  apiVersion: "prevail.dev/v1alpha1",
  kind: "GatewayParameters",
  metadata: { name: "small", namespace },
  spec,
});

/** Accepted of the class and of the Gateway, as `status/reason`. */
function accepted(objects: readonly JsonObject[], runsEnvoys: boolean, completeness: Completeness = "Complete") {
  const world = worldOf(evaluate(buildSnapshot(objects, { completeness })));
  const statuses = gatewayStatuses(world, {
    controllerName: OURS,
    ...(runsEnvoys ? { parameters: { gatewaysMaySetAll: false } } : {}),
  });
  return statuses
    .filter(({ location }) => location.at === "Conditions")
    .map(({ conditions: [first] }) => `${first?.type ?? ""}=${first?.status ?? ""}/${first?.reason ?? ""}`);
}

const plain = [gatewayClass("class", OURS), gateway("door")] as const;
const classWith = (name: string): JsonObject =>
  withSpec(plain[0], ref("GatewayParameters", name, { namespace: "infra" }));
const gatewayWith = (name: string, kind = "GatewayParameters"): JsonObject =>
  withSpec(plain[1], { infrastructure: ref(kind, name) });
const VALID = "Accepted=True/Accepted";
const INVALID = "Accepted=False/InvalidParameters";

describe("parameters", () => {
  test.each<[string, readonly JsonObject[], readonly string[]]>([
    [
      "resolve",
      [classWith("small"), gatewayWith("small"), parameters("infra", {}), parameters("default", {})],
      [VALID, VALID],
    ],
    ["of a class that do not exist", [classWith("none"), plain[1]], [INVALID, VALID]],
    ["of a Gateway that do not exist", [plain[0], gatewayWith("none")], [VALID, INVALID]],
    ["of a Gateway in another namespace", [plain[0], gatewayWith("small"), parameters("infra", {})], [VALID, INVALID]],
    ["of a kind that is not supported", [plain[0], gatewayWith("small", "Other")], [VALID, INVALID]],
    [
      "with an error",
      [plain[0], gatewayWith("small"), parameters("default", { service: { type: "ExternalName" } })],
      [VALID, INVALID],
    ],
    [
      "with what only a class may set",
      [plain[0], gatewayWith("small"), parameters("default", { image: "a" })],
      [VALID, INVALID],
    ],
  ])("%s", (_, objects, expected) => {
    expect(accepted(objects, true)).toEqual(expected);
  });

  test("labels and annotations that the controller does not allow are named, and the Gateway is accepted", () => {
    const infrastructure = { annotations: { note: "a", "dns.example/host": "b" }, labels: { "mesh.example/a": "c" } };
    const world = worldOf(evaluate(buildSnapshot([plain[0], withSpec(plain[1], { infrastructure })])));
    const messageWith = (infrastructureKeys: readonly string[]) =>
      gatewayStatuses(world, { controllerName: OURS, infrastructureKeys })[1]?.conditions[0];
    expect(messageWith([])).toMatchObject({
      status: "True",
      reason: "Accepted",
      message:
        "all listeners are valid; spec.infrastructure.labels.mesh.example/a and 1 more are left out: the controller allows other keys (--infrastructure-keys)",
    });
    expect(messageWith(["*"])).toMatchObject({ message: "all listeners are valid" });
  });

  test("that may exist elsewhere are not known to be absent", () => {
    expect(accepted([plain[0], gatewayWith("none")], true, "Partial")).toEqual([VALID, VALID]);
  });

  test("of any kind are not supported where the controller runs no Envoys", () => {
    expect(accepted([plain[0], gatewayWith("small"), parameters("default", {})], false)).toEqual([VALID, INVALID]);
  });
});
