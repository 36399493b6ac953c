import { describe } from "vitest";
import type { JsonObject } from "../../src/index.ts";
import { gateway, gatewayClass, routeTo, service } from "../support/cluster/gateway-objects.ts";
import { vendorCases } from "./vendor-cases.ts";

const upstream = (name: string, algorithm: string, namespace = "default"): JsonObject => ({
  apiVersion: "configuration.konghq.com/v1beta1",
  kind: "KongUpstreamPolicy",
  metadata: { name, namespace },
  spec: { algorithm },
});
const naming = (service_: string, policy: string) =>
  service(service_, { annotations: { "konghq.com/upstream-policy": policy } });
const edge = [
  gatewayClass("class", "konghq.com/kic-gateway-controller"),
  gateway("g"),
  routeTo("r", "Gateway/g", "s"),
  routeTo("q", "Gateway/g", "t"),
];

describe("Kong: an annotation of a Service names a KongUpstreamPolicy", () => {
  vendorCases(edge, [
    {
      what: "it takes effect on that Service",
      objects: [naming("s", "p"), service("t"), upstream("p", "round-robin")],
      effective: { "Service/s": { algorithm: "round-robin" }, "Service/t": {} },
      outcomes: { p: "Enforced" },
    },
    {
      what: "one policy for two Services",
      objects: [naming("s", "p"), naming("t", "p"), upstream("p", "round-robin")],
      effective: { "Service/s": { algorithm: "round-robin" }, "Service/t": { algorithm: "round-robin" } },
    },
    {
      what: "each Service names its own",
      objects: [naming("s", "p"), naming("t", "q"), upstream("p", "round-robin"), upstream("q", "least-connections")],
      effective: { "Service/s": { algorithm: "round-robin" }, "Service/t": { algorithm: "least-connections" } },
      outcomes: { p: "Enforced", q: "Enforced" },
    },
    {
      what: "one that no Service names takes no effect, and is no error",
      objects: [service("s"), service("t"), upstream("p", "round-robin")],
      outcomes: { p: "NoPath" },
      findings: { p: [] },
    },
    {
      what: "a name without a policy is a finding about the Service",
      objects: [naming("s", "absent"), service("t"), upstream("p", "round-robin")],
      findings: { s: ["NamedPolicyNotFound"] },
    },
    {
      what: "a policy in another namespace is not meant",
      objects: [naming("s", "p"), service("t"), upstream("p", "round-robin", "other")],
      effective: { "Service/s": {} },
    },
  ]);
});
