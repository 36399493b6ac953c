import { describe } from "vitest";
import type { JsonObject } from "../../src/index.ts";
import {
  gateway,
  gatewayClass,
  listener,
  listenerSet,
  policy,
  reference,
  route,
  service,
} from "../support/cluster/gateway-objects.ts";
import { namedCases } from "./named-kind-cases.ts";
import { statedCases, vendorCases } from "./vendor-cases.ts";

const group = "gateway.kgateway.dev";
const CONTROLLER = "kgateway.dev/kgateway";
const WEIGHT = "kgateway.dev/policy-weight";

const filter = { type: "ExtensionRef", extensionRef: { group, kind: "TrafficPolicy", name: "named" } };
const shared = [
  gatewayClass("class", CONTROLLER),
  gateway("g", { listeners: [listener("a", { port: 80 }), listener("b", { port: 81 })], allowedListeners: "All" }),
  listenerSet("ls", "Gateway/g", { listeners: [listener("x", { port: 82 })] }),
  route("r", "Gateway/g#a", { rules: [{ name: "one" }, { name: "two" }], labels: { team: "blue" } }),
  route("f", "Gateway/g#b", { rules: [{ name: "filtered", fields: { filters: [filter] } }] }),
  route("on-x", "ListenerSet/ls#x", { rules: [{ name: "only" }] }),
  service("s"),
];
const ONE = "HTTPRoute/r#one";
const TWO = "HTTPRoute/r#two";
const FILTERED = "HTTPRoute/f#filtered";

type On = string | readonly string[];
const made =
  (kind: string) =>
  (name: string, on: On, spec: JsonObject, created = 0, weight?: number) =>
    policy(kind, name, on, spec, {
      group,
      created,
      ...(weight === undefined ? {} : { annotations: { [WEIGHT]: String(weight) } }),
    });
const traffic = made("TrafficPolicy");
const listeners = made("HTTPListenerPolicy");
const backend = made("BackendConfigPolicy");
const named = (spec: JsonObject): JsonObject => ({
  apiVersion: `${group}/v1alpha1`,
  kind: "TrafficPolicy",
  metadata: { name: "named", namespace: "default" },
  spec,
});

describe("kgateway: TrafficPolicy, each field whole from the most specific policy", () => {
  vendorCases(shared, [
    {
      what: "a Gateway's policy takes effect on all routes",
      objects: [traffic("g1", ["Gateway/g"], { timeouts: { request: "1s" } })],
      effective: { [ONE]: { timeouts: { request: "1s" } }, "HTTPRoute/on-x#only": { timeouts: { request: "1s" } } },
      outcomes: { g1: "Enforced" },
    },
    {
      what: "a route's field replaces the Gateway's field whole",
      objects: [
        traffic("g1", ["Gateway/g"], { timeouts: { request: "1s", streamIdle: "9s" } }),
        traffic("r1", ["HTTPRoute/r"], { timeouts: { request: "2s" } }, 1),
      ],
      effective: { [ONE]: { timeouts: { request: "2s" } } },
      outcomes: { g1: "PartiallyEnforced by r1", r1: "Enforced" },
    },
    {
      what: "fields that the route does not set stay the Gateway's",
      objects: [
        traffic("g1", ["Gateway/g"], { timeouts: { request: "1s" }, cors: { allowCredentials: true } }),
        traffic("r1", ["HTTPRoute/r"], { timeouts: { request: "2s" } }, 1),
      ],
      effective: { [ONE]: { timeouts: { request: "2s" }, cors: { allowCredentials: true } } },
      outcomes: { g1: "PartiallyEnforced by r1", r1: "Enforced" },
    },
    {
      what: "a rule's field replaces the route's for that rule",
      objects: [
        traffic("r1", ["HTTPRoute/r"], { retry: { attempts: 1 } }),
        traffic("rule", ["HTTPRoute/r#one"], { retry: { attempts: 2 } }, 1),
      ],
      effective: { [ONE]: { retry: { attempts: 2 } }, [TWO]: { retry: { attempts: 1 } } },
      outcomes: { r1: "PartiallyEnforced by rule", rule: "Enforced" },
    },
    {
      what: "a rule's policy and the route's are both used",
      objects: [
        traffic("r1", ["HTTPRoute/r"], { cors: { a: 1 } }),
        traffic("rule", ["HTTPRoute/r#one"], { retry: { attempts: 2 } }, 1),
      ],
      effective: { [ONE]: { cors: { a: 1 }, retry: { attempts: 2 } }, [TWO]: { cors: { a: 1 } } },
      outcomes: { r1: "Enforced", rule: "Enforced" },
    },
    {
      what: "a listener's field replaces the Gateway's for the routes of the listener",
      objects: [
        traffic("g1", ["Gateway/g"], { buffer: { maxRequestSize: "1" } }),
        traffic("l1", ["Gateway/g#a"], { buffer: { maxRequestSize: "2" } }, 1),
      ],
      effective: {
        [ONE]: { buffer: { maxRequestSize: "2" } },
        "HTTPRoute/on-x#only": { buffer: { maxRequestSize: "1" } },
      },
      outcomes: { g1: "PartiallyEnforced by l1", l1: "Enforced" },
    },
    {
      what: "a ListenerSet's field replaces the Gateway's for its routes",
      objects: [
        traffic("g1", ["Gateway/g"], { buffer: { maxRequestSize: "1" } }),
        traffic("ls1", ["ListenerSet/ls"], { buffer: { maxRequestSize: "2" } }, 1),
      ],
      effective: { "HTTPRoute/on-x#only": { buffer: { maxRequestSize: "2" } } },
      outcomes: { g1: "PartiallyEnforced by ls1", ls1: "Enforced" },
    },
    {
      what: "two policies on one route are merged: the older one's field is used",
      objects: [
        traffic("new", ["HTTPRoute/r"], { retry: { attempts: 2 }, cors: { a: 2 } }, 1),
        traffic("old", ["HTTPRoute/r"], { retry: { attempts: 1 } }),
      ],
      effective: { [ONE]: { retry: { attempts: 1 }, cors: { a: 2 } } },
      outcomes: { old: "Enforced", new: "PartiallyEnforced by old" },
    },
    {
      what: "none of them is Conflicted, also if nothing of it is used",
      objects: [
        traffic("new", ["HTTPRoute/r"], { retry: { attempts: 2 } }, 1),
        traffic("old", ["HTTPRoute/r"], { retry: { attempts: 1 } }),
      ],
      effective: { "HTTPRoute/r#one": { retry: { attempts: 1 } }, "HTTPRoute/r#two": { retry: { attempts: 1 } } },
      outcomes: { new: "Overridden by old" },
    },
    {
      what: "a policy with a greater weight comes before an older one",
      objects: [
        traffic("new", ["HTTPRoute/r"], { retry: { attempts: 2 } }, 1, 10),
        traffic("old", ["HTTPRoute/r"], { retry: { attempts: 1 } }),
      ],
      effective: { [ONE]: { retry: { attempts: 2 } } },
      outcomes: { old: "Overridden by new" },
    },
    {
      what: "a policy with a negative weight comes after one without a weight",
      objects: [
        traffic("new", ["HTTPRoute/r"], { retry: { attempts: 2 } }, 1),
        traffic("old", ["HTTPRoute/r"], { retry: { attempts: 1 } }, 0, -1),
      ],
      effective: { [ONE]: { retry: { attempts: 2 } } },
      outcomes: { new: "Enforced", old: "Overridden by new" },
    },
    {
      what: "of equal weight and age the first by name",
      objects: [
        traffic("b", ["HTTPRoute/r"], { retry: { attempts: 2 } }, 0, 5),
        traffic("a", ["HTTPRoute/r"], { retry: { attempts: 1 } }, 0, 5),
      ],
      effective: { [ONE]: { retry: { attempts: 1 } } },
      outcomes: { a: "Enforced", b: "Overridden by a" },
    },
    {
      what: "weight does not count between levels: the route's comes before the Gateway's",
      objects: [
        traffic("g1", ["Gateway/g"], { retry: { attempts: 1 } }, 0, 100),
        traffic("r1", ["HTTPRoute/r"], { retry: { attempts: 2 } }, 1),
      ],
      effective: { [ONE]: { retry: { attempts: 2 } } },
      outcomes: { g1: "PartiallyEnforced by r1", r1: "Enforced" },
    },
    {
      what: "a filter of the rule names a policy without targets",
      objects: [named({ cors: { a: 1 } })],
      effective: { [FILTERED]: { cors: { a: 1 } }, [ONE]: {} },
      outcomes: { named: "Enforced" },
    },
    {
      what: "what a filter names comes before the rule's and the route's policies",
      objects: [
        named({ cors: { a: 1 } }),
        traffic("rule", ["HTTPRoute/f#filtered"], { cors: { a: 2 }, retry: { attempts: 2 } }),
        traffic("r1", ["HTTPRoute/f"], { cors: { a: 3 }, timeouts: { request: "3s" } }),
      ],
      effective: { [FILTERED]: { cors: { a: 1 }, retry: { attempts: 2 }, timeouts: { request: "3s" } } },
      outcomes: { named: "Enforced", rule: "PartiallyEnforced by named" },
    },
    {
      what: "a selector takes the routes with its labels",
      objects: [
        {
          ...named({
            targetSelectors: [{ group: "gateway.networking.k8s.io", kind: "HTTPRoute", matchLabels: { team: "blue" } }],
            cors: { a: 1 },
          }),
          metadata: { name: "sel", namespace: "default" },
        },
      ],
      effective: { [ONE]: { cors: { a: 1 } }, "HTTPRoute/on-x#only": {} },
      outcomes: { sel: "Enforced" },
    },
    {
      what: "a target in another namespace is refused",
      objects: [
        policy("TrafficPolicy", "far", [reference("HTTPRoute/default/r")], { cors: {} }, { group, namespace: "other" }),
      ],
      effective: { [ONE]: {} },
      outcomes: { "other/far": "TargetNotFound" },
    },
    {
      what: "a Service is no target",
      objects: [traffic("p", ["Service/s"], { cors: {} })],
      effective: { "HTTPRoute/r#one": {} },
      outcomes: { p: "TargetNotFound" },
    },
    {
      what: "the ancestors are the Gateways",
      objects: [traffic("p", ["HTTPRoute/r"], { cors: { a: 1 } })],
      effective: { "HTTPRoute/r#one": { cors: { a: 1 } }, "HTTPRoute/r#two": { cors: { a: 1 } } },
      conditions: { p: ["Gateway/g: Accepted=True/Accepted Enforced=True/Enforced"] },
    },
  ]);
});

describe("kgateway: HTTPListenerPolicy and BackendConfigPolicy", () => {
  vendorCases(shared, [
    {
      what: "a Gateway's HTTPListenerPolicy takes effect on all its listeners",
      objects: [listeners("g1", ["Gateway/g"], { useRemoteAddress: true })],
      effective: { "Gateway/g#a": { useRemoteAddress: true }, "ListenerSet/ls#x": { useRemoteAddress: true } },
      outcomes: { g1: "Enforced" },
    },
    {
      what: "a listener's fields replace the Gateway's, each whole",
      objects: [
        listeners("g1", ["Gateway/g"], { tracing: { a: 1, b: 1 }, idleTimeout: "1s" }),
        listeners("l1", ["Gateway/g#a"], { tracing: { a: 2 } }, 1),
      ],
      effective: { "Gateway/g#a": { tracing: { a: 2 }, idleTimeout: "1s" } },
    },
    {
      what: "two HTTPListenerPolicies on one Gateway: the older one's fields are used, and the others added",
      objects: [
        listeners("new", ["Gateway/g"], { idleTimeout: "2s", acceptHttp10: true }, 1),
        listeners("old", ["Gateway/g"], { idleTimeout: "1s" }),
      ],
      effective: { "Gateway/g#a": { idleTimeout: "1s", acceptHttp10: true } },
      outcomes: { new: "PartiallyEnforced by old", old: "Enforced" },
    },
    {
      what: "two BackendConfigPolicies on one Service: the older one's fields are used, and the others added",
      objects: [
        backend("new", ["Service/s"], { connectTimeout: "2s", tls: { sni: "b" } }, 1),
        backend("old", ["Service/s"], { connectTimeout: "1s" }),
      ],
      effective: { "Service/s": { connectTimeout: "1s", tls: { sni: "b" } } },
      outcomes: { old: "Enforced", new: "PartiallyEnforced by old" },
    },
    {
      what: "a field of a BackendConfigPolicy is taken whole",
      objects: [
        backend("new", ["Service/s"], { tls: { sni: "b", minVersion: "1.2" } }, 1),
        backend("old", ["Service/s"], { tls: { sni: "a" } }),
      ],
      effective: { "Service/s": { tls: { sni: "a" } } },
      outcomes: { new: "Overridden by old", old: "Enforced" },
    },
    {
      what: "an HTTPRoute is no target of a BackendConfigPolicy",
      objects: [backend("p", ["HTTPRoute/r"], { connectTimeout: "2s" })],
      effective: { "Service/s": {} },
      outcomes: { p: "TargetNotFound" },
    },
  ]);
});

describe("kgateway: HTTPRoutes that delegate to other HTTPRoutes", () => {
  const PRIORITY = "kgateway.dev/inherited-policy-priority";
  const parent = (to: JsonObject, priority?: string) =>
    route("parent", "Gateway/g#a", {
      rules: [{ name: "team", backends: [to] }],
      ...(priority === undefined ? {} : { annotations: { [PRIORITY]: priority } }),
    });
  const child = (namespace = "default") =>
    route("child", [], { namespace, rules: [{ name: "only" }], labels: { "delegation.kgateway.dev/label": "blue" } });
  const delegate = (name: string, namespace = "default"): JsonObject => ({
    group: "gateway.networking.k8s.io",
    kind: "HTTPRoute",
    name,
    namespace,
  });
  const both = [
    traffic("p1", ["HTTPRoute/parent"], { retry: { attempts: 1 }, cors: { a: 1 } }),
    traffic("c1", ["HTTPRoute/child"], { retry: { attempts: 2 } }, 1),
  ];
  const CHILD = "HTTPRoute/parent#team > HTTPRoute/child#only";
  vendorCases(shared, [
    {
      what: "a parent's policy takes effect on its child, also in another namespace without a grant",
      objects: [
        parent(delegate("child", "team")),
        child("team"),
        traffic("p1", ["HTTPRoute/parent"], { cors: { a: 1 } }),
      ],
      effective: { "HTTPRoute/parent#team > HTTPRoute/team/child#only": { cors: { a: 1 } } },
      outcomes: { p1: "Enforced" },
    },
    {
      what: "without the annotation the child's fields replace the parent's",
      objects: [parent(delegate("child")), child(), ...both],
      effective: { [CHILD]: { retry: { attempts: 2 }, cors: { a: 1 } } },
      outcomes: { p1: "PartiallyEnforced by c1", c1: "Enforced" },
    },
    {
      what: "ShallowMergePreferParent: the parent's fields replace the child's",
      objects: [parent(delegate("child"), "ShallowMergePreferParent"), child(), ...both],
      effective: { [CHILD]: { retry: { attempts: 1 }, cors: { a: 1 } } },
      outcomes: { p1: "Enforced", c1: "Overridden by p1" },
    },
    {
      what: "the annotation does not count between a Gateway and its routes",
      objects: [
        parent(delegate("child"), "ShallowMergePreferParent"),
        child(),
        traffic("g1", ["Gateway/g"], { retry: { attempts: 9 } }),
        traffic("p1", ["HTTPRoute/parent"], { retry: { attempts: 1 } }, 1),
      ],
      effective: { [CHILD]: { retry: { attempts: 1 } } },
      outcomes: { g1: "PartiallyEnforced by p1", p1: "Enforced" },
    },
    {
      what: "a star stands for all HTTPRoutes of the namespace",
      objects: [parent(delegate("*", "team")), child("team"), traffic("p1", ["HTTPRoute/parent"], { cors: { a: 1 } })],
      effective: { "HTTPRoute/parent#team > HTTPRoute/team/child#only": { cors: { a: 1 } } },
      outcomes: { p1: "Enforced" },
    },
    {
      what: "a label stands for the HTTPRoutes that have it",
      objects: [
        parent({ group: "delegation.kgateway.dev", kind: "label", name: "blue", namespace: "all" }),
        child("team"),
        traffic("p1", ["HTTPRoute/parent"], { cors: { a: 1 } }),
      ],
      effective: { "HTTPRoute/parent#team > HTTPRoute/team/child#only": { cors: { a: 1 } } },
      outcomes: { p1: "Enforced" },
    },
  ]);
});

describe("kgateway: ListenerPolicy", () => {
  const policies = made("ListenerPolicy");
  const port = (number: number, settings: JsonObject): JsonObject => ({ port: number, listener: settings });
  const http = (settings: JsonObject): JsonObject => ({ default: { httpSettings: settings } });
  vendorCases(shared, [
    {
      what: "default is a setting, and takes effect on all listeners of the Gateway",
      objects: [policies("g1", ["Gateway/g"], http({ idleTimeout: "1s" }))],
      effective: { "Gateway/g#a": http({ idleTimeout: "1s" }), "Gateway/g#b": http({ idleTimeout: "1s" }) },
      outcomes: { g1: "Enforced" },
      conditions: { g1: ["Gateway/g: Accepted=True/Accepted Enforced=True/Enforced"] },
    },
    {
      what: "a listener's fields replace the Gateway's, each whole",
      objects: [
        policies("g1", ["Gateway/g"], http({ tracing: { a: 1, b: 1 }, idleTimeout: "1s" })),
        policies("l1", ["Gateway/g#a"], http({ tracing: { a: 2 } }), 1),
      ],
      effective: {
        "Gateway/g#a": http({ tracing: { a: 2 }, idleTimeout: "1s" }),
        "Gateway/g#b": http({ tracing: { a: 1, b: 1 }, idleTimeout: "1s" }),
      },
      outcomes: { g1: "PartiallyEnforced by l1", l1: "Enforced" },
    },
    {
      what: "two on one Gateway: the older one's fields are used, and the others added",
      objects: [
        policies("new", ["Gateway/g"], { default: { proxyProtocol: {}, perConnectionBufferLimitBytes: 2 } }, 1),
        policies("old", ["Gateway/g"], { default: { perConnectionBufferLimitBytes: 1 } }),
      ],
      effective: { "Gateway/g#a": { default: { proxyProtocol: {}, perConnectionBufferLimitBytes: 1 } } },
      outcomes: { old: "Enforced", new: "PartiallyEnforced by old" },
    },
    {
      what: "the settings of ports are merged port by port",
      objects: [
        policies("g1", ["Gateway/g"], { perPort: [port(80, { proxyProtocol: {} }), port(81, {})] }),
        policies("l1", ["Gateway/g#a"], { perPort: [port(80, { perConnectionBufferLimitBytes: 1 })] }, 1),
      ],
      effective: {
        "Gateway/g#a": {
          perPort: { "80": port(80, { proxyProtocol: {}, perConnectionBufferLimitBytes: 1 }), "81": port(81, {}) },
        },
      },
      outcomes: { g1: "Enforced", l1: "Enforced" },
    },
    {
      what: "an HTTPRoute is no target",
      objects: [policies("p", ["HTTPRoute/r"], http({ idleTimeout: "1s" }))],
      effective: { "Gateway/g#a": {} },
      outcomes: { p: "TargetNotFound" },
    },
  ]);
});

describe("kgateway: what objects name", () => {
  vendorCases(
    [],
    [
      ...namedCases({ group, kind: "DirectResponse", controller: CONTROLLER, by: "Filter" }),
      ...namedCases({ group, kind: "GatewayParameters", controller: CONTROLLER, by: "Parameters" }),
    ],
  );
});

describe("kgateway: how much of a field is taken", () => {
  vendorCases(shared, [
    {
      what: "the local and the global rate limit are two fields",
      objects: [
        traffic("g1", ["Gateway/g"], { rateLimit: { local: { tokenBucket: { maxTokens: 1 } } } }),
        traffic("r1", ["HTTPRoute/r"], { rateLimit: { global: { descriptors: [] } } }, 1),
      ],
      effective: {
        [ONE]: { rateLimit: { local: { tokenBucket: { maxTokens: 1 } }, global: { descriptors: [] } } },
      },
      outcomes: { g1: "Enforced", r1: "Enforced" },
    },
    {
      what: "the fields of dns are taken one by one, others of a BackendConfigPolicy whole",
      objects: [
        backend("old", ["Service/s"], { dns: { jitter: "1s" }, loadBalancer: { roundRobin: {} } }),
        backend("new", ["Service/s"], { dns: { respectTTL: true }, loadBalancer: { ringHash: {} } }, 1),
      ],
      effective: { "Service/s": { dns: { jitter: "1s", respectTTL: true }, loadBalancer: { roundRobin: {} } } },
      outcomes: { old: "Enforced", new: "PartiallyEnforced by old" },
    },
    {
      what: "a ListenerPolicy's tcpKeepalive is taken whole, its HTTP settings one by one",
      objects: [
        made("ListenerPolicy")("g1", ["Gateway/g"], {
          default: { tcpKeepalive: { a: 1, b: 1 }, httpSettings: { idleTimeout: "1s", localReplies: { a: 1, b: 1 } } },
        }),
        made("ListenerPolicy")(
          "l1",
          ["Gateway/g#a"],
          { default: { tcpKeepalive: { a: 2 }, httpSettings: { localReplies: { a: 2 } } } },
          1,
        ),
      ],
      effective: {
        "Gateway/g#a": {
          default: { tcpKeepalive: { a: 2 }, httpSettings: { idleTimeout: "1s", localReplies: { a: 2 } } },
        },
      },
      outcomes: { g1: "PartiallyEnforced by l1", l1: "Enforced" },
    },
  ]);
});

statedCases("kgateway");
