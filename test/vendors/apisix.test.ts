import { describe } from "vitest";
import type { JsonObject } from "../../src/index.ts";
import { gateway, gatewayClass, listener, policy, route } from "../support/cluster/gateway-objects.ts";
import { directCluster, directKindCases } from "./direct-kind-cases.ts";
import { namedCases } from "./named-kind-cases.ts";
import { statedCases, vendorCases } from "./vendor-cases.ts";

const group = "apisix.apache.org";
const retries = (count: number) => ({ retries: count });
const tcp = [
  gateway("t", { listeners: [listener("tcp", { protocol: "TCP", port: 9000 })] }),
  route("tcp", "Gateway/t", { kind: "TCPRoute", rules: [{ backends: ["s"] }] }),
];

describe("APISIX: a port's policy replaces its Service's; L4RoutePolicy on whole routes", () => {
  vendorCases(directCluster("apisix.apache.org/apisix-ingress-controller"), [
    ...directKindCases({
      group,
      kind: "BackendTrafficPolicy",
      target: "Service/s",
      at: "Service/s#http",
      wrong: "HTTPRoute/r",
      spec: retries(1),
      other: retries(2),
      ancestor: "Gateway/g",
      conflict: "Undefined",
    }),
    {
      what: "a policy on a port replaces the Service's there",
      objects: [
        policy("BackendTrafficPolicy", "s1", "Service/s", retries(1), { group, created: 0 }),
        policy("BackendTrafficPolicy", "p1", ["Service/s#http"], retries(2), { group, created: 1 }),
      ],
      effective: { "Service/s#http": retries(2), "Service/s#admin": retries(1) },
      outcomes: { s1: "Enforced", p1: "Enforced" },
    },
    {
      what: "a policy on the Service and one on a port do not conflict",
      objects: [
        policy("BackendTrafficPolicy", "s1", "Service/s", retries(1), { group }),
        policy("BackendTrafficPolicy", "p1", ["Service/s#http"], retries(2), { group }),
      ],
      effective: { "Service/s#http": { retries: 2 }, "Service/s#admin": { retries: 1 } },
      outcomes: { p1: "Enforced" },
    },
    {
      what: "a port that the Service does not have",
      objects: [policy("BackendTrafficPolicy", "p1", ["Service/s#grpc"], retries(2), { group })],
      effective: { "Service/s#http": {} },
      outcomes: { p1: "TargetNotFound" },
    },
    {
      what: "an L4RoutePolicy takes effect on a TCPRoute",
      objects: [...tcp, policy("L4RoutePolicy", "p", ["TCPRoute/tcp"], { plugins: [] }, { group })],
      effective: { "TCPRoute/tcp": { plugins: [] } },
      outcomes: { p: "Enforced" },
    },
    {
      what: "of two L4RoutePolicies on one route the oldest takes effect",
      objects: [
        ...tcp,
        policy("L4RoutePolicy", "new", ["TCPRoute/tcp"], { plugins: [1] }, { group, created: 1 }),
        policy("L4RoutePolicy", "old", ["TCPRoute/tcp"], { plugins: [0] }, { group, created: 0 }),
      ],
      effective: { "TCPRoute/tcp": { plugins: [0] } },
      outcomes: { new: "Conflicted by old" },
    },
    {
      what: "an HTTPRoute is no target of an L4RoutePolicy",
      objects: [policy("L4RoutePolicy", "p", ["HTTPRoute/r"], { plugins: [] }, { group })],
      effective: { "HTTPRoute/r": {} },
      outcomes: { p: "TargetNotFound" },
    },
  ]);
});

describe("filters of rules", () => {
  vendorCases(
    [],
    namedCases({
      group,
      kind: "PluginConfig",
      controller: "apisix.apache.org/apisix-ingress-controller",
      by: "Filter",
    }),
  );
});

describe("APISIX: a Gateway names its GatewayProxy", () => {
  const proxied = (name: string) => ({
    ...gateway("g"),
    spec: {
      gatewayClassName: "class",
      listeners: [listener("http")],
      infrastructure: { parametersRef: { group, kind: "GatewayProxy", name } },
    },
  });
  const made = (name: string) => ({
    apiVersion: `${group}/v1alpha1`,
    kind: "GatewayProxy",
    metadata: { name, namespace: "default" },
    spec: { plugins: [{ name: "cors", enabled: true }] },
  });
  vendorCases(
    [gatewayClass("class", "apisix.apache.org/apisix-ingress-controller")],
    [
      {
        what: "it takes effect on that Gateway",
        objects: [proxied("p"), gateway("plain"), made("p")],
        effective: { "Gateway/g": { plugins: [{ name: "cors", enabled: true }] }, "Gateway/plain": {} },
        outcomes: { p: "Enforced" },
        conditions: { p: ["Gateway/g: Accepted=True/Accepted Enforced=True/Enforced"] },
      },
      {
        what: "a name without an object is a finding about the Gateway",
        objects: [proxied("absent"), made("p")],
        effective: { "Gateway/g": {} },
        outcomes: { p: "NoPath" },
        findings: { g: ["NamedPolicyNotFound"] },
      },
    ],
  );
});

describe("APISIX: HTTPRoutePolicies of a route and of its rules", () => {
  const vars = (value: string): JsonObject => ({ vars: [["arg_a", "==", value]] });
  const made = (name: string, on: string, spec: JsonObject, created = 0) =>
    policy("HTTPRoutePolicy", name, [on], spec, { group, created });
  const edge = [
    gatewayClass("class", "apisix.apache.org/apisix-ingress-controller"),
    gateway("g"),
    route("r", "Gateway/g", { rules: [{ name: "one" }, { name: "two" }] }),
  ];
  vendorCases(edge, [
    {
      what: "a route's conditions are for all its rules",
      objects: [made("p", "HTTPRoute/r", vars("x"))],
      effective: { "HTTPRoute/r#one": { "default/p": vars("x") }, "HTTPRoute/r#two": { "default/p": vars("x") } },
      outcomes: { p: "Enforced" },
    },
    {
      what: "the conditions of the route and of the rule add up",
      objects: [made("p", "HTTPRoute/r", vars("x")), made("q", "HTTPRoute/r#one", vars("y"), 1)],
      effective: {
        "HTTPRoute/r#one": { "default/p": vars("x"), "default/q": vars("y") },
        "HTTPRoute/r#two": { "default/p": vars("x") },
      },
      outcomes: { p: "Enforced", q: "Enforced" },
      conditions: { p: ["Gateway/g: Accepted=True/Accepted Enforced=True/Enforced"] },
    },
    {
      what: "two on one rule add up, and none is in conflict",
      objects: [made("p", "HTTPRoute/r#one", vars("x")), made("q", "HTTPRoute/r#one", vars("y"))],
      effective: { "HTTPRoute/r#one": { "default/p": vars("x"), "default/q": vars("y") } },
      outcomes: { p: "Enforced", q: "Enforced" },
    },
    {
      what: "a rule that does not exist",
      objects: [made("p", "HTTPRoute/r#three", vars("x"))],
      effective: { "HTTPRoute/r#one": {} },
      outcomes: { p: "TargetNotFound" },
    },
    {
      what: "a Gateway is no target of an HTTPRoutePolicy",
      objects: [made("p", "Gateway/g", vars("x"))],
      effective: { "HTTPRoute/r#one": {} },
      outcomes: { p: "TargetNotFound" },
    },
  ]);
});

statedCases("apisix");
