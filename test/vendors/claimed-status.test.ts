/** What a vendor's controller wrote, against what the objects say: a difference is reported in the words of the vendor. */
import { expect, test } from "vitest";
import { check, type JsonObject } from "../../src/index.ts";
import { gateway, gatewayClass, policy, route } from "../support/cluster/gateway-objects.ts";
import { vendorCluster } from "./vendor-cases.ts";

const CONTROLLER = "gateway.envoyproxy.io/gatewayclass-controller";
const edge = [gatewayClass("class", CONTROLLER), gateway("g"), route("r", "Gateway/g", { rules: [{ name: "only" }] })];
const envoy = (name: string, created: number, spec: JsonObject = { retry: { numRetries: 1 } }) =>
  policy("BackendTrafficPolicy", name, "HTTPRoute/r", spec, { group: "gateway.envoyproxy.io", created });

const condition = (text: string): JsonObject => {
  const [type = "", status = "", reason = ""] = text.split(/[=/]/);
  return { type, status, reason, message: "", lastTransitionTime: "2026-01-01T00:00:00Z" };
};
const atGateway = (object: JsonObject, ...conditions: readonly string[]): JsonObject => ({
  ...object,
  status: {
    ancestors: [
      {
        ancestorRef: { group: "gateway.networking.k8s.io", kind: "Gateway", name: "g" },
        controllerName: CONTROLLER,
        conditions: conditions.map(condition),
      },
    ],
  },
});
const differences = (...objects: readonly JsonObject[]) =>
  check(vendorCluster([...edge, ...objects]).evaluation)
    .filter(({ code }) => code === "StatusDiffers")
    .map(({ message }) => message);

test("a status that is right is no finding", () => {
  const old = atGateway(envoy("old", 0), "Accepted=True/Accepted");
  expect(differences(old, atGateway(envoy("new", 1), "Accepted=False/Conflicted"))).toEqual([]);
});

test("a policy that the vendor calls invalid is no finding: its own validation decides", () => {
  expect(differences(atGateway(envoy("p", 0), "Accepted=False/Invalid"))).toEqual([]);
});

test("accepted, although another policy on the route is older", () => {
  const [only, ...others] = differences(envoy("old", 0), atGateway(envoy("new", 1), "Accepted=True/Accepted"));
  expect(others).toEqual([]);
  expect(only).toContain("Accepted=True/Accepted");
  expect(only).toContain("Conflicted");
});

test("overridden, although no other policy is below it", () => {
  const [only] = differences(atGateway(envoy("p", 0), "Accepted=True/Accepted", "Overridden=True/Overridden"));
  expect(only).toContain("Overridden=True");
});

test("conditions without ancestors are compared, too", () => {
  const dns = (name: string, created: number, text: string): JsonObject => ({
    ...policy("DNSPolicy", name, "Gateway/g", { ttl: 1 }, { group: "kuadrant.io", created }),
    status: { conditions: [condition(text)] },
  });
  expect(differences(dns("old", 0, "Accepted=True/Accepted"), dns("new", 1, "Accepted=False/Conflicted"))).toEqual([]);
  expect(differences(dns("old", 0, "Accepted=True/Accepted"), dns("new", 1, "Accepted=True/Accepted"))).toHaveLength(1);
});
