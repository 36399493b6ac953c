import { describe } from "vitest";
import type { JsonObject } from "../../src/index.ts";
import { policy } from "../support/cluster/gateway-objects.ts";
import { directCluster, directKindCases } from "./direct-kind-cases.ts";
import { statedCases, vendorCases } from "./vendor-cases.ts";

const group = "kuadrant.io";
const dns = (name: string, on: string, spec: { readonly [key: string]: number }, created = 0) =>
  policy("DNSPolicy", name, on, spec, { group, created });

describe.each(["istio.io/gateway-controller", "gateway.envoyproxy.io/gatewayclass-controller"])(
  "Kuadrant behind %s: DNSPolicy and TLSPolicy act for each listener",
  (controller) => {
    vendorCases(directCluster(controller), [
      ...directKindCases({
        group,
        kind: "DNSPolicy",
        ancestor: "",
        target: "Gateway/g",
        at: "Gateway/g#b",
        wrong: "HTTPRoute/r",
        spec: { a: 1 },
        other: { b: 1 },
      }),
      ...directKindCases({
        group,
        kind: "TLSPolicy",
        ancestor: "",
        target: "Gateway/g",
        at: "Gateway/g#b",
        wrong: "Service/s",
        spec: { issuerRef: { name: "one" } },
        other: { issuerRef: { name: "two" } },
      }),
      {
        what: "a listener's policy replaces the Gateway's there",
        objects: [dns("g1", "Gateway/g", { ttl: 1 }), dns("l1", "Gateway/g#a", { ttl: 2 }, 1)],
        effective: { "Gateway/g#a": { ttl: 2 }, "Gateway/g#b": { ttl: 1 } },
        outcomes: { g1: "Enforced", l1: "Enforced" },
      },
      {
        what: "a policy for each listener leaves nothing to the Gateway's",
        objects: [
          dns("g1", "Gateway/g", { ttl: 1 }),
          dns("l1", "Gateway/g#a", { ttl: 2 }, 1),
          dns("l2", "Gateway/g#b", { ttl: 3 }, 1),
        ],
        effective: { "Gateway/g#a": { ttl: 2 }, "Gateway/g#b": { ttl: 3 } },
        outcomes: { g1: "Overridden by l1, l2", l1: "Enforced", l2: "Enforced" },
      },
    ]);
  },
);

describe("Kuadrant: kinds of its extensions", () => {
  const extensions = "extensions.kuadrant.io";
  const made = (kind: string, name: string, on: string, spec: JsonObject, created = 0) =>
    policy(kind, name, on, spec, { group: extensions, created });
  const plan = (tier: string): JsonObject => ({ plans: [{ tier, predicate: "true" }] });
  vendorCases(directCluster("istio.io/gateway-controller"), [
    {
      what: "PlanPolicies of the Gateway and of the route are both listed",
      objects: [
        made("PlanPolicy", "g1", "Gateway/g", plan("a")),
        made("PlanPolicy", "r1", "HTTPRoute/r", plan("b"), 1),
      ],
      effective: {
        "Gateway/g#a > HTTPRoute/r#only": { "default/g1": plan("a"), "default/r1": plan("b") },
      },
      outcomes: { g1: "Enforced", r1: "Enforced" },
    },
    {
      what: "an OIDCPolicy of a route has conditions, and no ancestors",
      objects: [made("OIDCPolicy", "p", "HTTPRoute/r", { provider: { issuerURL: "https://id.example.com" } })],
      effective: {
        "Gateway/g#a > HTTPRoute/r#only": { "default/p": { provider: { issuerURL: "https://id.example.com" } } },
      },
      conditions: { p: ["Accepted=True/Accepted Enforced=True/Enforced"] },
    },
    {
      what: "a GRPCRoute is no target of an OIDCPolicy",
      objects: [made("OIDCPolicy", "p", "GRPCRoute/r", {})],
      effective: { "Gateway/g#a > HTTPRoute/r#only": {} },
      outcomes: { p: "TargetNotFound" },
    },
    {
      what: "a TelemetryPolicy takes effect on the listeners of its Gateway",
      objects: [made("TelemetryPolicy", "p", "Gateway/g", { metrics: { default: { labels: { user: "auth.user" } } } })],
      effective: { "Gateway/g#a": { "default/p": { metrics: { default: { labels: { user: "auth.user" } } } } } },
      outcomes: { p: "Enforced" },
    },
    {
      what: "an HTTPRoute is no target of a TelemetryPolicy",
      objects: [made("TelemetryPolicy", "p", "HTTPRoute/r", {})],
      effective: { "Gateway/g#a": {} },
      outcomes: { p: "TargetNotFound" },
    },
    {
      what: "a ThreatPolicy takes effect on the routes of its Gateway",
      objects: [made("ThreatPolicy", "p", "Gateway/g", { threshold: 5 })],
      effective: { "Gateway/g#b > HTTPRoute/r#only": { "default/p": { threshold: 5 } } },
      outcomes: { p: "Enforced" },
    },
  ]);
});

statedCases("kuadrant");
