/**
 * GEP-713, "Targetability (“where”)"
 * A definition says what a policy without a target is attached to (`targeting.absent`).
 */
import { expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/model/json.ts";
import { apply, caveatsFor, effectivePolicies } from "../../../src/index.ts";
import { cluster } from "../../support/cluster/cluster.ts";
import { gateway, gatewayClass, policy } from "../../support/cluster/gateway-objects.ts";
import { policyKind } from "../../support/cluster/policy-kind.ts";

/** As Istio: the namespace, in the root namespace the mesh, or workloads by label. */
const kind = policyKind("Telemetry", {
  targets: ["Gateway"],
  ends: ["Gateway"],
  namespacesAbove: ["Gateway"],
  merge: { granularity: { default: "Field", field: "strategy", values: {} } },
  targeting: { absent: { means: "OwnNamespace", rootNamespace: "root", workloadSelector: "selector" } },
});
const without = (name: string, namespace: string, spec: JsonObject): JsonObject => ({
  apiVersion: "example.com/v1",
  kind: "Telemetry",
  metadata: { name, namespace },
  spec,
});
const gateways = [gatewayClass("class"), gateway("g", { namespace: "shop" }), gateway("g", { namespace: "bakery" })];
const made = (...policies: readonly JsonObject[]) => cluster([...gateways, ...policies], { definitions: [kind] });

test("it takes effect in its own namespace", () => {
  const { spec, outcome } = made(without("p", "shop", { sampling: 1 }));
  expect(spec("Gateway/shop/g")).toEqual({ sampling: 1 });
  expect(spec("Gateway/bakery/g")).toEqual({});
  expect(outcome("shop/p")).toBe("Enforced");
});

test("in the root namespace it takes effect everywhere, above the policies of a namespace, whatever their age is", () => {
  const mesh = without("mesh", "root", { sampling: 1, format: "json" });
  const inShop = policy("Telemetry", "own", [], { sampling: 2 }, { namespace: "shop", created: 1 });
  const { spec, outcome } = made(mesh, inShop);
  expect(spec("Gateway/shop/g")).toEqual({ sampling: 2, format: "json" });
  expect(spec("Gateway/bakery/g")).toEqual({ sampling: 1, format: "json" });
  expect(outcome("root/mesh")).toBe("PartiallyEnforced by shop/own");
});

test("a policy with a target is attached to that alone", () => {
  const { spec } = made(policy("Telemetry", "p", "Gateway/g", { sampling: 3 }, { namespace: "shop" }));
  expect(spec("Gateway/shop/g")).toEqual({ sampling: 3 });
  expect(spec("Gateway/bakery/g")).toEqual({});
});

test("a namespace that is new is part of the mesh", () => {
  const { evaluation } = made(without("mesh", "root", { sampling: 1 }));
  const { evaluation: next } = apply(evaluation, [{ upsert: gateway("g", { namespace: "new" }) }]);
  expect([...effectivePolicies(evaluation)]).toHaveLength(2);
  expect([...effectivePolicies(next)]).toHaveLength(3);
});

test("a policy that selects workloads: whether it takes effect is not known", () => {
  const selecting = without("p", "shop", { selector: { matchLabels: { app: "till" } }, sampling: 1 });
  const { outcome, spec, findingsOn, evaluation } = made(selecting);
  expect(outcome("shop/p")).toBe("Incomplete");
  expect(spec("Gateway/shop/g")).toEqual({});
  expect(findingsOn("p").map(({ code, severity, field }) => [code, severity, field])).toEqual([
    ["UnknownWorkloads", "info", "spec.selector"],
  ]);
  const caveats = caveatsFor(evaluation, { about: "Input" }).map(({ message }) => message);
  expect(caveats).toContain(
    "whether 1 policy takes effect is not known: it selects workloads, which are left out of account: Telemetry shop/p",
  );
  expect(made(without("q", "shop", { selector: {}, sampling: 1 })).outcome("shop/q")).toBe("Enforced");
});
