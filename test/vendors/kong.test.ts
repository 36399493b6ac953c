import { describe } from "vitest";
import type { JsonObject } from "../../src/index.ts";
import { gateway, gatewayClass, route, routeTo, service } from "../support/cluster/gateway-objects.ts";
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
      conditions: { p: ["Service/s: Accepted=True/Accepted Programmed=True/Programmed"] },
    },
    {
      what: "one policy for two Services",
      objects: [naming("s", "p"), naming("t", "p"), upstream("p", "round-robin")],
      effective: { "Service/s": { algorithm: "round-robin" }, "Service/t": { algorithm: "round-robin" } },
      outcomes: { p: "Enforced" },
      conditions: {
        p: [
          "Service/s: Accepted=True/Accepted Programmed=True/Programmed",
          "Service/t: Accepted=True/Accepted Programmed=True/Programmed",
        ],
      },
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
    {
      what: "it takes effect on the Service for all routes that use it",
      objects: [
        naming("s", "p"),
        service("t"),
        routeTo("third", "Gateway/g", "s"),
        upstream("p", "consistent-hashing"),
      ],
      effective: { "Service/s": { algorithm: "consistent-hashing" } },
      outcomes: { p: "Enforced" },
    },
    {
      what: "an empty annotation names nothing",
      objects: [naming("s", ""), service("t"), upstream("p", "round-robin")],
      effective: { "Service/s": {} },
      outcomes: { p: "NoPath" },
      findings: { s: [] },
    },
    {
      what: "an annotation of a route names no KongUpstreamPolicy",
      objects: [
        route("annotated", "Gateway/g", {
          annotations: { "konghq.com/upstream-policy": "p" },
          rules: [{ backends: ["s"] }],
        }),
        service("s"),
        service("t"),
        upstream("p", "round-robin"),
      ],
      effective: { "Service/s": {} },
      outcomes: { p: "NoPath" },
    },
    {
      what: "a field targetRef is a setting like any other",
      objects: [
        naming("s", "p"),
        service("t"),
        { ...upstream("p", "x"), spec: { targetRef: { kind: "Service", name: "t" } } },
      ],
      effective: { "Service/s": { targetRef: { kind: "Service", name: "t" } }, "Service/t": {} },
      outcomes: { p: "Enforced" },
    },
    {
      what: "the Service of a Gateway of another controller is out of reach",
      objects: [
        gatewayClass("other", "example.com/other"),
        gateway("far", { class: "other" }),
        routeTo("far", "Gateway/far", "u"),
        naming("u", "p"),
        service("s"),
        service("t"),
        upstream("p", "round-robin"),
      ],
      effective: { "Service/u": {} },
      outcomes: { p: "NoPath" },
      findings: { p: ["NoController"] },
    },
  ]);
});
