import { describe } from "vitest";
import type { JsonObject } from "../../src/index.ts";
import { gateway, gatewayClass, listener, listenerSet, policy, route } from "../support/cluster/gateway-objects.ts";
import { statedCases, vendorCases } from "./vendor-cases.ts";

const made = (kind: string) => (name: string, on: string, spec: JsonObject, created: number) =>
  policy(kind, name, on, spec, { group: "kuadrant.io", created });
const auth = made("AuthPolicy");
const rates = made("RateLimitPolicy");
const tokens = made("TokenRateLimitPolicy");

const limit = (name: string, most: number): JsonObject => ({
  limits: { [name]: { rates: [{ limit: most, window: "1m" }] } },
});
const when = (predicate: string) => ({ when: [{ predicate }] });
const accepted = "Accepted=True/Accepted Enforced=True/Enforced";

/** g has the listeners a and b. r is on a, with a rule that has a name and one that has none; other is on b. */
const shared = [
  gatewayClass("class", "istio.io/gateway-controller"),
  gateway("g", { listeners: [listener("a", { port: 80 }), listener("b", { port: 81 })], allowedListeners: "All" }),
  route("r", "Gateway/g#a", { rules: [{ name: "one" }, {}] }),
  route("other", "Gateway/g#b", { rules: [{ name: "only" }] }),
  route("calls", "Gateway/g#a", { kind: "GRPCRoute", rules: [{ name: "only" }] }),
];
const ONE = "HTTPRoute/r#one";
const SECOND = "HTTPRoute/r#rule-2";
const OTHER = "HTTPRoute/other#only";
const CALL = "GRPCRoute/calls#only";

describe("RateLimitPolicy: defaults and overrides, atomic or limit by limit", () => {
  vendorCases(shared, [
    {
      what: "a Gateway's limits take effect on the rules of all its routes",
      objects: [rates("g1", "Gateway/g", limit("all", 9), 0)],
      effective: {
        [ONE]: limit("all", 9),
        [SECOND]: limit("all", 9),
        [OTHER]: limit("all", 9),
        [CALL]: limit("all", 9),
      },
      outcomes: { g1: "Enforced" },
      conditions: { g1: [accepted] },
    },
    {
      what: "limits outside of a block are atomic defaults: a route's policy replaces them",
      objects: [rates("g1", "Gateway/g", limit("all", 9), 0), rates("r1", "HTTPRoute/r", limit("own", 5), 1)],
      effective: { [ONE]: limit("own", 5), [OTHER]: limit("all", 9) },
      outcomes: { g1: "PartiallyEnforced by r1", r1: "Enforced" },
    },
    {
      what: "defaults without a strategy are atomic",
      objects: [
        rates("g1", "Gateway/g", { defaults: limit("all", 9) }, 0),
        rates("r1", "HTTPRoute/r", limit("own", 5), 1),
      ],
      effective: { [ONE]: limit("own", 5) },
      outcomes: { g1: "PartiallyEnforced by r1", r1: "Enforced" },
    },
    {
      what: "merged defaults add the limits whose names the route does not use",
      objects: [
        rates(
          "g1",
          "Gateway/g",
          { defaults: { strategy: "merge", limits: { all: { rates: [] }, own: { rates: [] } } } },
          0,
        ),
        rates("r1", "HTTPRoute/r", limit("own", 5), 1),
      ],
      effective: { [ONE]: { limits: { all: { rates: [] }, own: { rates: [{ limit: 5, window: "1m" }] } } } },
      outcomes: { g1: "PartiallyEnforced by r1", r1: "Enforced" },
    },
    {
      what: "atomic overrides replace everything below",
      objects: [
        rates("g1", "Gateway/g", { overrides: limit("all", 9) }, 0),
        rates("r1", "HTTPRoute/r", limit("own", 5), 1),
      ],
      effective: { [ONE]: limit("all", 9) },
      outcomes: { g1: "Enforced", r1: "Overridden by g1" },
      conditions: { r1: ["Accepted=True/Accepted Enforced=False/Overridden"] },
    },
    {
      what: "merged overrides replace limits of their names, and leave the others",
      objects: [
        rates("g1", "Gateway/g", { overrides: { strategy: "merge", ...limit("all", 9) } }, 0),
        rates("r1", "HTTPRoute/r", { limits: { all: { rates: [] }, own: { rates: [] } } }, 1),
      ],
      effective: { [ONE]: { limits: { all: { rates: [{ limit: 9, window: "1m" }] }, own: { rates: [] } } } },
      outcomes: { g1: "Enforced", r1: "PartiallyEnforced by g1" },
    },
    {
      what: "a limit is one rule: the rates of one policy never meet the conditions of another",
      objects: [
        rates("g1", "Gateway/g", { defaults: { strategy: "merge", limits: { x: when("false") } } }, 0),
        rates("r1", "HTTPRoute/r", limit("x", 5), 1),
      ],
      effective: { [ONE]: limit("x", 5) },
      outcomes: { g1: "PartiallyEnforced by r1" },
    },
    {
      what: "the conditions of the policy are a rule like any other, and come with merged defaults",
      objects: [
        rates("g1", "Gateway/g", { defaults: { strategy: "merge", ...when("true"), ...limit("all", 9) } }, 0),
        rates("r1", "HTTPRoute/r", limit("own", 5), 1),
      ],
      effective: { [ONE]: { ...when("true"), limits: { ...inner(limit("all", 9)), ...inner(limit("own", 5)) } } },
      outcomes: { g1: "Enforced", r1: "Enforced" },
    },
    {
      what: "the route's conditions replace those of merged defaults",
      objects: [
        rates("g1", "Gateway/g", { defaults: { strategy: "merge", ...when("true"), ...limit("all", 9) } }, 0),
        rates("r1", "HTTPRoute/r", { ...when("false"), ...limit("all", 5) }, 1),
      ],
      effective: { [ONE]: { ...when("false"), ...limit("all", 5) } },
      outcomes: { g1: "PartiallyEnforced by r1", r1: "Enforced" },
    },
    {
      what: "a listener's policy is between the Gateway's and the route's",
      objects: [
        rates("g1", "Gateway/g", limit("all", 9), 0),
        rates("l1", "Gateway/g#a", { overrides: { strategy: "merge", ...limit("port", 3) } }, 1),
        rates("r1", "HTTPRoute/r", limit("own", 5), 2),
      ],
      effective: {
        [ONE]: { limits: { ...inner(limit("port", 3)), ...inner(limit("own", 5)) } },
        [CALL]: limit("port", 3),
        [OTHER]: limit("all", 9),
      },
      outcomes: { g1: "PartiallyEnforced by l1, r1", l1: "Enforced", r1: "Enforced" },
    },
    {
      what: "a rule's policy is the most specific",
      objects: [rates("r1", "HTTPRoute/r", limit("own", 5), 0), rates("rule", "HTTPRoute/r#one", limit("one", 1), 1)],
      effective: { [ONE]: limit("one", 1), [SECOND]: limit("own", 5) },
      outcomes: { r1: "PartiallyEnforced by rule" },
    },
    {
      what: "a rule without a name is a target by its index",
      objects: [rates("second", "HTTPRoute/r#rule-2", limit("one", 1), 0)],
      effective: { [ONE]: {}, [SECOND]: limit("one", 1) },
      outcomes: { second: "Enforced" },
    },
    {
      what: "of two policies on one target the newer is lower, so its limits take effect",
      objects: [rates("old", "HTTPRoute/r", limit("old", 1), 0), rates("new", "HTTPRoute/r", limit("new", 2), 1)],
      effective: { [ONE]: limit("new", 2) },
      outcomes: { old: "Overridden by new", new: "Enforced" },
    },
    {
      what: "of overrides on one target the older is higher, so its limits take effect",
      objects: [
        rates("old", "Gateway/g", { overrides: limit("old", 1) }, 0),
        rates("new", "Gateway/g", { overrides: limit("new", 2) }, 1),
      ],
      effective: { [ONE]: limit("old", 1) },
      outcomes: { old: "Enforced", new: "Overridden by old" },
    },
    {
      what: "a policy has defaults or overrides or neither",
      objects: [rates("both", "Gateway/g", { defaults: limit("a", 1), overrides: limit("b", 1) }, 0)],
      effective: { [ONE]: {} },
      outcomes: { both: "Invalid" },
    },
    {
      what: "a strategy that Kuadrant does not have",
      objects: [rates("typo", "Gateway/g", { defaults: { strategy: "patch", ...limit("a", 1) } }, 0)],
      outcomes: { typo: "Invalid" },
    },
    {
      what: "the routes of a ListenerSet are out of reach",
      objects: [
        listenerSet("ls", "Gateway/g", { listeners: [listener("x", { port: 82 })] }),
        route("behind", "ListenerSet/ls#x", { rules: [{ name: "only" }] }),
        rates("g1", "Gateway/g", limit("all", 9), 0),
      ],
      effective: { "HTTPRoute/behind#only": {}, [ONE]: limit("all", 9) },
      outcomes: { g1: "Enforced" },
    },
    {
      what: "a Service is no target",
      objects: [rates("wrong", "Service/s", limit("a", 1), 0)],
      outcomes: { wrong: "TargetNotFound" },
    },
  ]);
});

/** The limits themselves. */
function inner(spec: JsonObject): JsonObject {
  return spec["limits"] as JsonObject;
}

describe("AuthPolicy: named rules of several maps, and rules that are one value", () => {
  const key = (name: string) => ({ [name]: { apiKey: { selector: {} } } });
  const denied = (code: number, text: string): JsonObject => ({ code, body: { value: text } });
  vendorCases(shared, [
    {
      what: "a response of two policies is never mixed",
      objects: [
        auth(
          "g1",
          "Gateway/g",
          { defaults: { strategy: "merge", rules: { response: { unauthenticated: denied(401, "house") } } } },
          0,
        ),
        auth("r1", "HTTPRoute/r", { rules: { response: { unauthenticated: { code: 302 } } } }, 1),
      ],
      effective: {
        [ONE]: { rules: { response: { unauthenticated: { code: 302 } } } },
        [CALL]: { rules: { response: { unauthenticated: denied(401, "house") } } },
      },
      outcomes: { g1: "PartiallyEnforced by r1", r1: "Enforced" },
    },
    {
      what: "rules of one name in two maps are two rules",
      objects: [
        auth("g1", "Gateway/g", { defaults: { strategy: "merge", rules: { authentication: key("x") } } }, 0),
        auth("r1", "HTTPRoute/r", { rules: { authorization: { x: { opa: { rego: "allow = true" } } } } }, 1),
      ],
      effective: {
        [ONE]: { rules: { authentication: key("x"), authorization: { x: { opa: { rego: "allow = true" } } } } },
      },
      outcomes: { g1: "Enforced", r1: "Enforced" },
    },
    {
      what: "an identity of the Gateway is replaced whole by one of its name",
      objects: [
        auth("g1", "Gateway/g", { defaults: { strategy: "merge", rules: { authentication: key("users") } } }, 0),
        auth("r1", "HTTPRoute/r", { rules: { authentication: { users: { anonymous: {} } } } }, 1),
      ],
      effective: { [ONE]: { rules: { authentication: { users: { anonymous: {} } } } } },
      outcomes: { g1: "PartiallyEnforced by r1", r1: "Enforced" },
    },
    {
      what: "patterns, headers and filters are merged by name",
      objects: [
        auth(
          "g1",
          "Gateway/g",
          {
            defaults: {
              strategy: "merge",
              patterns: { api: { allOf: [] } },
              rules: { response: { success: { headers: { a: { plain: {} } }, filters: { f: { json: {} } } } } },
            },
          },
          0,
        ),
        auth("r1", "HTTPRoute/r", { rules: { response: { success: { headers: { b: { plain: {} } } } } } }, 1),
      ],
      effective: {
        [ONE]: {
          patterns: { api: { allOf: [] } },
          rules: {
            response: { success: { headers: { a: { plain: {} }, b: { plain: {} } }, filters: { f: { json: {} } } } },
          },
        },
      },
      outcomes: { g1: "Enforced", r1: "Enforced" },
    },
    {
      what: "an override of the Gateway keeps its identities over a route's",
      objects: [
        auth("g1", "Gateway/g", { overrides: { rules: { authentication: key("house") } } }, 0),
        auth("open", "HTTPRoute/r", { rules: { authentication: { all: { anonymous: {} } } } }, 1),
      ],
      effective: { [ONE]: { rules: { authentication: key("house") } } },
      outcomes: { open: "Overridden by g1" },
    },
    {
      what: "behind a controller that Kuadrant does not serve it takes no effect",
      objects: [
        gatewayClass("nginx", "gateway.nginx.org/nginx-gateway-controller"),
        gateway("n", { class: "nginx" }),
        route("far", "Gateway/n", { rules: [{ name: "only" }] }),
        auth("r1", "HTTPRoute/far", { rules: { authentication: key("x") } }, 0),
      ],
      effective: { "HTTPRoute/far#only": {} },
      outcomes: { r1: "NoPath" },
      findings: { r1: ["NoController"] },
    },
  ]);
});

describe("TokenRateLimitPolicy: as RateLimitPolicy, for HTTPRoutes only", () => {
  vendorCases(shared, [
    {
      what: "a Gateway's limits take effect on HTTPRoutes",
      objects: [tokens("g1", "Gateway/g", limit("all", 9), 0)],
      effective: { [ONE]: limit("all", 9), [CALL]: {} },
      outcomes: { g1: "Enforced" },
      conditions: { g1: [accepted] },
    },
    {
      what: "a GRPCRoute is no target",
      objects: [tokens("wrong", "GRPCRoute/calls", limit("all", 9), 0)],
      outcomes: { wrong: "TargetNotFound" },
    },
    {
      what: "it never meets a RateLimitPolicy",
      objects: [tokens("t", "Gateway/g", limit("all", 9), 0), rates("r1", "HTTPRoute/r", limit("own", 5), 1)],
      kind: "TokenRateLimitPolicy",
      effective: { [ONE]: limit("all", 9) },
      outcomes: { t: "Enforced", r1: "Enforced" },
    },
  ]);
});

statedCases("kuadrant");
