import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/index.ts";
import {
  gateway,
  gatewayClass,
  listener,
  listenerSet,
  policy,
  reference,
  referenceGrant,
  route,
} from "../support/cluster/gateway-objects.ts";
import { namedCases } from "./named-kind-cases.ts";
import { statedCases, vendorCases, vendorCluster } from "./vendor-cases.ts";

const GROUP = "gateway.envoyproxy.io";
const CONTROLLER = "gateway.envoyproxy.io/gatewayclass-controller";

type On = string | readonly (string | JsonObject)[];
const made =
  (kind: string) =>
  (name: string, on: On, spec: JsonObject, created = 0) =>
    policy(kind, name, on, spec, { group: GROUP, created });
const traffic = made("BackendTrafficPolicy");
const security = made("SecurityPolicy");
const extension = made("EnvoyExtensionPolicy");
const client = made("ClientTrafficPolicy");

const retry = (numRetries: number) => ({ retry: { numRetries } });
const jwt = (name: string) => ({ jwt: { providers: [{ name }] } });

/** g has the listeners a and b, ls adds the listener x. r is on a, b and x, with two rules; tcp is on b alone. */
const shared = [
  gatewayClass("class", CONTROLLER),
  gateway("g", { listeners: [listener("a", { port: 80 }), listener("b", { port: 81 })], allowedListeners: "All" }),
  listenerSet("ls", "Gateway/g", { listeners: [listener("x", { port: 82 })] }),
  route("on-a", "Gateway/g#a", { rules: [{ name: "one" }, { name: "two" }], labels: { team: "blue" } }),
  route("on-b", "Gateway/g#b", { rules: [{ name: "only" }] }),
  route("on-x", "ListenerSet/ls#x", { rules: [{ name: "only" }] }),
];

const ONE = "HTTPRoute/on-a#one";
const TWO = "HTTPRoute/on-a#two";
const B = "HTTPRoute/on-b#only";
const X = "HTTPRoute/on-x#only";

describe("BackendTrafficPolicy without mergeType: the most specific policy alone", () => {
  vendorCases(shared, [
    {
      what: "a Gateway's policy takes effect on all routes, also those of its ListenerSets",
      objects: [traffic("g1", "Gateway/g", retry(1))],
      effective: { [ONE]: retry(1), [TWO]: retry(1), [B]: retry(1), [X]: retry(1) },
      outcomes: { g1: "Enforced" },
    },
    {
      what: "a route's policy replaces the Gateway's, field by field nothing is taken over",
      objects: [
        traffic("g1", "Gateway/g", { ...retry(1), timeout: { http: { requestTimeout: "5s" } } }),
        traffic("r1", "HTTPRoute/on-a", retry(2), 1),
      ],
      effective: { [ONE]: retry(2), [B]: { ...retry(1), timeout: { http: { requestTimeout: "5s" } } } },
      outcomes: { g1: "PartiallyEnforced by r1", r1: "Enforced" },
    },
    {
      what: "a rule's policy replaces the route's for that rule only",
      objects: [traffic("r1", "HTTPRoute/on-a", retry(1)), traffic("rule", ["HTTPRoute/on-a#one"], retry(2), 1)],
      effective: { [ONE]: retry(2), [TWO]: retry(1) },
      outcomes: { r1: "PartiallyEnforced by rule", rule: "Enforced" },
    },
    {
      what: "a listener's policy replaces the Gateway's for the routes of that listener",
      objects: [traffic("g1", "Gateway/g", retry(1)), traffic("l1", "Gateway/g#a", retry(2), 1)],
      effective: { [ONE]: retry(2), [B]: retry(1), [X]: retry(1) },
      outcomes: { g1: "PartiallyEnforced by l1", l1: "Enforced" },
    },
    {
      what: "a route's policy replaces the listener's",
      objects: [traffic("l1", "Gateway/g#a", retry(1)), traffic("r1", "HTTPRoute/on-a", retry(2), 1)],
      effective: { [ONE]: retry(2), [TWO]: retry(2) },
      outcomes: { l1: "Overridden by r1" },
    },
    {
      what: "a ListenerSet's policy replaces the Gateway's for its own routes",
      objects: [traffic("g1", "Gateway/g", retry(1)), traffic("ls1", "ListenerSet/ls", retry(2), 1)],
      effective: { [ONE]: retry(1), [X]: retry(2) },
      outcomes: { g1: "PartiallyEnforced by ls1", ls1: "Enforced" },
    },
    {
      what: "a policy on a listener of a ListenerSet replaces the ListenerSet's",
      objects: [traffic("ls1", "ListenerSet/ls", retry(1)), traffic("lx", "ListenerSet/ls#x", retry(2), 1)],
      effective: { [X]: retry(2) },
      outcomes: { ls1: "Overridden by lx", lx: "Enforced" },
    },
    {
      what: "a Gateway listener's policy has no effect on the routes of a ListenerSet",
      objects: [traffic("l1", "Gateway/g#a", retry(1))],
      effective: { [ONE]: retry(1), [X]: {} },
      outcomes: { l1: "Enforced" },
    },
    {
      what: "an empty policy on a route keeps the Gateway's out",
      objects: [traffic("g1", "Gateway/g", retry(1)), traffic("shield", "HTTPRoute/on-a", {}, 1)],
      effective: { [ONE]: {}, [B]: retry(1) },
      outcomes: { g1: "PartiallyEnforced by shield", shield: "Enforced" },
    },
    {
      what: "of two policies on one route the oldest takes effect, and the other is Conflicted",
      objects: [traffic("young", "HTTPRoute/on-a", retry(2), 1), traffic("old", "HTTPRoute/on-a", retry(1), 0)],
      effective: { [ONE]: retry(1) },
      outcomes: { old: "Enforced", young: "Conflicted by old" },
    },
    {
      what: "of two policies of one age on one Gateway the first by name takes effect",
      objects: [traffic("b", "Gateway/g", retry(2)), traffic("a", "Gateway/g", retry(1))],
      effective: { [ONE]: retry(1) },
      outcomes: { a: "Enforced", b: "Conflicted by a" },
    },
    {
      what: "policies on two rules of one route do not conflict",
      objects: [traffic("p1", ["HTTPRoute/on-a#one"], retry(1)), traffic("p2", ["HTTPRoute/on-a#two"], retry(2))],
      effective: { [ONE]: retry(1), [TWO]: retry(2) },
      outcomes: { p1: "Enforced", p2: "Enforced" },
    },
    {
      what: "a policy that conflicts on one of two targets is accepted for the other",
      objects: [
        traffic("old", "HTTPRoute/on-a", retry(1)),
        traffic("young", ["HTTPRoute/on-a", "HTTPRoute/on-b"], retry(2), 1),
      ],
      effective: { [ONE]: retry(1), [B]: retry(2) },
      outcomes: { old: "Enforced", young: "Enforced" },
      findings: { young: ["Conflicted"] },
    },
    {
      what: "a selector takes the routes with its labels in the policy's namespace",
      objects: [
        policyWith("sel", {
          targetSelectors: [{ kind: "HTTPRoute", matchLabels: { team: "blue" } }],
          ...retry(3),
        }),
      ],
      effective: { [ONE]: retry(3), [B]: {} },
      outcomes: { sel: "Enforced" },
    },
    {
      what: "references and selectors of one policy are used together",
      objects: [
        policyWith("both", {
          targetRefs: [reference("HTTPRoute/on-b")],
          targetSelectors: [{ kind: "HTTPRoute", matchLabels: { team: "blue" } }],
          ...retry(3),
        }),
      ],
      effective: { [ONE]: retry(3), [B]: retry(3), [X]: {} },
      outcomes: { both: "Enforced" },
    },
    {
      what: "a selector with namespaces takes routes of other namespaces where a ReferenceGrant permits it",
      objects: [
        {
          ...policyWith("far", {
            targetSelectors: [{ kind: "HTTPRoute", matchLabels: { team: "blue" }, namespaces: { from: "All" } }],
            ...retry(3),
          }),
          metadata: { name: "far", namespace: "other" },
        },
        referenceGrant("grant", "default", {
          from: { group: GROUP, kind: "BackendTrafficPolicy", namespace: "other" },
          to: { kind: "HTTPRoute" },
        }),
      ],
      effective: { [ONE]: retry(3), [B]: {} },
      outcomes: { "other/far": "Enforced" },
    },
    {
      what: "without the ReferenceGrant it takes none of them",
      objects: [
        {
          ...policyWith("far", {
            targetSelectors: [{ kind: "HTTPRoute", matchLabels: { team: "blue" }, namespaces: { from: "All" } }],
            ...retry(3),
          }),
          metadata: { name: "far", namespace: "other" },
        },
      ],
      effective: { [ONE]: {} },
      outcomes: { "other/far": "TargetNotFound" },
    },
    {
      what: "a target in another namespace is refused, also with a ReferenceGrant",
      objects: [
        policy("BackendTrafficPolicy", "far", "HTTPRoute/default/on-a", retry(1), { group: GROUP, namespace: "other" }),
        referenceGrant("grant", "default", {
          from: { group: GROUP, kind: "BackendTrafficPolicy", namespace: "other" },
          to: { kind: "HTTPRoute" },
        }),
      ],
      effective: { [ONE]: {} },
      outcomes: { "other/far": "TargetNotFound" },
    },
    {
      what: "a target that does not exist",
      objects: [traffic("lost", "HTTPRoute/nowhere", retry(1))],
      effective: { "HTTPRoute/on-a#one": {} },
      outcomes: { lost: "TargetNotFound" },
    },
    {
      what: "a rule that does not exist",
      objects: [traffic("lost", ["HTTPRoute/on-a#three"], retry(1))],
      effective: { "HTTPRoute/on-a#one": {} },
      outcomes: { lost: "TargetNotFound" },
    },
    {
      what: "a Service is no target",
      objects: [traffic("wrong", "Service/s", retry(1))],
      effective: { "HTTPRoute/on-a#one": {} },
      outcomes: { wrong: "TargetNotFound" },
    },
    {
      what: "the ancestors of a route's policy are the Gateways of the route",
      objects: [traffic("r1", "HTTPRoute/on-a", retry(1))],
      effective: {
        "HTTPRoute/on-a#one": { retry: { numRetries: 1 } },
        "HTTPRoute/on-a#two": { retry: { numRetries: 1 } },
      },
      conditions: { r1: ["Gateway/g: Accepted=True/Accepted Enforced=True/Enforced"] },
    },
  ]);
});

function policyWith(name: string, spec: JsonObject): JsonObject {
  return {
    apiVersion: `${GROUP}/v1alpha1`,
    kind: "BackendTrafficPolicy",
    metadata: { name, namespace: "default" },
    spec,
  };
}

describe("SecurityPolicy and EnvoyExtensionPolicy: the same order", () => {
  const tcp = route("tcp", "Gateway/t", { kind: "TCPRoute", rules: [{ name: "only", backends: ["s"] }] });
  const tcpGateway = gateway("t", { listeners: [listener("tcp", { port: 9000, protocol: "TCP" })] });
  vendorCases(shared, [
    {
      what: "the route's SecurityPolicy drops the Gateway's JWT",
      objects: [security("house", "Gateway/g", jwt("house")), security("cors", "HTTPRoute/on-a", { cors: {} }, 1)],
      effective: { [ONE]: { cors: {} }, [B]: jwt("house") },
      outcomes: { house: "PartiallyEnforced by cors" },
    },
    {
      what: "an empty SecurityPolicy opens its route",
      objects: [security("house", "Gateway/g", jwt("house")), security("open", "HTTPRoute/on-b", {}, 1)],
      effective: { [ONE]: jwt("house"), [B]: {} },
      outcomes: { house: "PartiallyEnforced by open", open: "Enforced" },
    },
    {
      what: "a Gateway's SecurityPolicy takes effect on TCPRoutes",
      objects: [tcpGateway, tcp, security("house", "Gateway/t", { authorization: { defaultAction: "Deny" } })],
      effective: { "TCPRoute/tcp#only": { authorization: { defaultAction: "Deny" } } },
      outcomes: { house: "Enforced" },
    },
    {
      what: "on TCPRoutes only the authorization of a Gateway's SecurityPolicy takes effect",
      objects: [
        tcpGateway,
        tcp,
        security("house", "Gateway/t", { ...jwt("house"), authorization: { defaultAction: "Deny" } }),
      ],
      effective: { "TCPRoute/tcp#only": { authorization: { defaultAction: "Deny" } } },
      outcomes: { house: "Enforced" },
    },
    {
      what: "a listener's SecurityPolicy without authorization does not keep the Gateway's out of TCPRoutes",
      objects: [
        tcpGateway,
        tcp,
        security("house", "Gateway/t", { authorization: { defaultAction: "Deny" } }),
        security("listener", "Gateway/t#tcp", jwt("listener"), 1),
      ],
      effective: { "TCPRoute/tcp#only": { authorization: { defaultAction: "Deny" } } },
      outcomes: { house: "Enforced", listener: "NoPath" },
    },
    {
      what: "a TCPRoute's SecurityPolicy may have nothing but authorization",
      objects: [
        tcpGateway,
        tcp,
        security("house", "Gateway/t", { authorization: { defaultAction: "Deny" } }),
        security("http", "TCPRoute/tcp", { ...jwt("http"), authorization: { defaultAction: "Allow" } }, 1),
        security("own", "TCPRoute/tcp#only", { authorization: { rules: [] } }, 2),
      ],
      effective: { "TCPRoute/tcp#only": { authorization: { rules: [] } } },
      outcomes: { house: "Overridden by own", http: "Invalid", own: "Enforced" },
      findings: { http: ["InvalidForTarget"] },
    },
    {
      what: "a rule's EnvoyExtensionPolicy replaces the Gateway's for that rule",
      objects: [
        extension("house", "Gateway/g", { lua: [] }),
        extension("rule", ["HTTPRoute/on-a#two"], { wasm: [] }, 1),
      ],
      effective: { [ONE]: { lua: [] }, [TWO]: { wasm: [] } },
      outcomes: { house: "PartiallyEnforced by rule", rule: "Enforced" },
    },
    {
      what: "two kinds never meet",
      objects: [security("s", "Gateway/g", jwt("house")), extension("e", "HTTPRoute/on-a", { lua: [] }, 1)],
      kind: "SecurityPolicy",
      effective: { [ONE]: jwt("house") },
      outcomes: { s: "Enforced", e: "Enforced" },
    },
  ]);
});

describe("ClientTrafficPolicy: a listener's own policy, its ListenerSet's, its Gateway's", () => {
  const idle = (text: string) => ({ timeout: { http: { idleTimeout: text } } });
  vendorCases(shared, [
    {
      what: "a Gateway's policy takes effect on its listeners and on those of its ListenerSets",
      objects: [client("g1", "Gateway/g", idle("1s"))],
      effective: { "Gateway/g#a": idle("1s"), "Gateway/g#b": idle("1s"), "ListenerSet/ls#x": idle("1s") },
      outcomes: { g1: "Enforced" },
    },
    {
      what: "a listener's policy replaces the Gateway's there",
      objects: [client("g1", "Gateway/g", idle("1s")), client("l1", "Gateway/g#a", { http3: {} }, 1)],
      effective: { "Gateway/g#a": { http3: {} }, "Gateway/g#b": idle("1s") },
      outcomes: { g1: "PartiallyEnforced by l1" },
    },
    {
      what: "a ListenerSet's policy replaces the Gateway's, whichever is older",
      objects: [client("g1", "Gateway/g", idle("1s")), client("ls1", "ListenerSet/ls", idle("2s"), 1)],
      effective: { "Gateway/g#a": idle("1s"), "ListenerSet/ls#x": idle("2s") },
      outcomes: { g1: "PartiallyEnforced by ls1", ls1: "Enforced" },
    },
    {
      what: "two policies on one listener: the oldest, the other is Conflicted",
      objects: [client("new", "Gateway/g#a", idle("2s"), 1), client("old", "Gateway/g#a", idle("1s"))],
      effective: { "Gateway/g#a": idle("1s") },
      outcomes: { new: "Conflicted by old" },
      conditions: { new: ["Gateway/g#a: Accepted=False/Conflicted"] },
    },
    {
      what: "a policy on a Gateway and one on its listener do not conflict",
      objects: [client("g1", "Gateway/g", idle("1s")), client("l1", "Gateway/g#a", idle("2s"))],
      effective: {
        "Gateway/g#a": { timeout: { http: { idleTimeout: "2s" } } },
        "Gateway/g#b": { timeout: { http: { idleTimeout: "1s" } } },
        "ListenerSet/ls#x": { timeout: { http: { idleTimeout: "1s" } } },
      },
      outcomes: { g1: "PartiallyEnforced by l1", l1: "Enforced" },
    },
    {
      what: "an HTTPRoute is no target",
      objects: [client("wrong", "HTTPRoute/on-a", idle("1s"))],
      effective: { "Gateway/g#a": {} },
      outcomes: { wrong: "TargetNotFound" },
    },
  ]);
});

describe("whose Gateways", () => {
  test("behind a Gateway of another controller a SecurityPolicy takes no effect, and a finding says so", () => {
    const istio = [gatewayClass("class", "istio.io/gateway-controller"), gateway("g"), route("r", "Gateway/g")];
    const { outcome, findingsOn } = vendorCluster([...istio, security("jwt", "HTTPRoute/r", jwt("house"))]);
    expect(outcome("jwt")).toBe("NoPath");
    expect(findingsOn("jwt").map(({ code }) => code)).toEqual(["NoController"]);
  });
});

describe("what objects name, and what adds up", () => {
  const patch = (name: string, priority: number) =>
    policy("EnvoyPatchPolicy", name, "Gateway/g", { type: "JSONPatch", priority }, { group: GROUP });
  vendorCases(shared, [
    {
      what: "EnvoyPatchPolicies on one Gateway all take effect",
      objects: [patch("a", 5), patch("b", -1)],
      effective: {
        "Gateway/g": {
          "default/b": { type: "JSONPatch", priority: -1 },
          "default/a": { type: "JSONPatch", priority: 5 },
        },
      },
      outcomes: { a: "Enforced", b: "Enforced" },
      conditions: { a: ["Gateway/g: Accepted=True/Accepted Enforced=True/Enforced"] },
    },
    {
      what: "an EnvoyPatchPolicy on an HTTPRoute is refused",
      objects: [policy("EnvoyPatchPolicy", "p", "HTTPRoute/on-a", {}, { group: GROUP })],
      effective: { "Gateway/g": {} },
      outcomes: { p: "TargetNotFound" },
    },
  ]);
  vendorCases(
    [],
    [
      ...namedCases({ group: GROUP, kind: "HTTPRouteFilter", controller: CONTROLLER, by: "Filter" }),
      ...namedCases({ group: GROUP, kind: "EnvoyProxy", controller: CONTROLLER, by: "Parameters" }),
    ],
  );
});

statedCases("envoy-gateway");
