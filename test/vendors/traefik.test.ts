import { describe } from "vitest";
import type { JsonObject } from "../../src/index.ts";
import { gateway, gatewayClass, listener, route } from "../support/cluster/gateway-objects.ts";
import { namedCases } from "./named-kind-cases.ts";
import { statedCases, vendorCases } from "./vendor-cases.ts";

const group = "traefik.io";
const CONTROLLER = "traefik.io/gateway-controller";
const middleware = (name: string, spec: JsonObject, namespace = "default"): JsonObject => ({
  apiVersion: `${group}/v1alpha1`,
  kind: "Middleware",
  metadata: { name, namespace },
  spec,
});
const naming = (...names: readonly string[]): JsonObject => ({
  filters: names.map((name) => ({ type: "ExtensionRef", extensionRef: { group, kind: "Middleware", name } })),
});
const stripped = { stripPrefix: { prefixes: ["/api"] } };
const limited = { rateLimit: { average: 10 } };
const edge = [
  gatewayClass("class", CONTROLLER),
  gateway("g", { listeners: [listener("a", { port: 80 }), listener("b", { port: 81 })] }),
];
const accepted = (target: string) => `${target}: Accepted=True/Accepted Enforced=True/Enforced`;

describe("Traefik: filters of rules name Middlewares", () => {
  vendorCases([], namedCases({ group, kind: "Middleware", controller: CONTROLLER, by: "Filter" }));
  vendorCases(edge, [
    {
      what: "its settings take effect on the rule, and the rule is its ancestor",
      objects: [
        route("r", "Gateway/g#a", { rules: [{ name: "api", fields: naming("p") }, { name: "rest" }] }),
        middleware("p", stripped),
      ],
      effective: { "HTTPRoute/r#api": { "default/p": stripped }, "HTTPRoute/r#rest": {} },
      outcomes: { p: "Enforced" },
      conditions: { p: [accepted("HTTPRoute/r#api")] },
    },
    {
      what: "two Middlewares of one rule add up",
      objects: [
        route("r", "Gateway/g#a", { rules: [{ name: "api", fields: naming("q", "p") }] }),
        middleware("p", stripped),
        middleware("q", limited),
      ],
      effective: { "HTTPRoute/r#api": { "default/p": stripped, "default/q": limited } },
      outcomes: { p: "Enforced", q: "Enforced" },
    },
    {
      what: "one Middleware of two routes",
      objects: [
        route("r", "Gateway/g#a", { rules: [{ name: "api", fields: naming("p") }] }),
        route("q", "Gateway/g#b", { rules: [{ name: "api", fields: naming("p") }] }),
        middleware("p", limited),
      ],
      effective: { "HTTPRoute/r#api": { "default/p": limited }, "HTTPRoute/q#api": { "default/p": limited } },
      conditions: { p: [accepted("HTTPRoute/q#api"), accepted("HTTPRoute/r#api")] },
    },
    {
      what: "a filter of a rule without a name",
      objects: [route("r", "Gateway/g#a", { rules: [{ fields: naming("p") }] }), middleware("p", limited)],
      effective: { "HTTPRoute/r#rule-1": { "default/p": limited } },
      outcomes: { p: "Enforced" },
    },
    {
      what: "a Middleware of another namespace is not meant",
      objects: [
        route("r", "Gateway/g#a", { rules: [{ name: "api", fields: naming("p") }] }),
        middleware("p", limited, "other"),
      ],
      effective: { "HTTPRoute/r#api": {} },
      outcomes: { "other/p": "NoPath" },
      findings: { r: ["NamedPolicyNotFound"] },
    },
    {
      what: "a GRPCRoute names Middlewares, too",
      objects: [
        route("calls", "Gateway/g#a", { kind: "GRPCRoute", rules: [{ name: "all", fields: naming("p") }] }),
        middleware("p", limited),
      ],
      effective: { "GRPCRoute/calls#all": { "default/p": limited } },
      outcomes: { p: "Enforced" },
    },
    {
      what: "behind a Gateway of another controller it takes no effect",
      objects: [
        gatewayClass("other", "example.com/other"),
        gateway("far", { class: "other" }),
        route("r", "Gateway/far", { rules: [{ name: "api", fields: naming("p") }] }),
        middleware("p", limited),
      ],
      effective: { "HTTPRoute/r#api": {} },
      outcomes: { p: "NoPath" },
      findings: { p: ["NoController"] },
    },
  ]);
});

statedCases("traefik");
