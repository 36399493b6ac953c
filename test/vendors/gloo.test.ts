import { describe } from "vitest";
import type { JsonObject } from "../../src/index.ts";
import { gateway, gatewayClass, listener, policy, route } from "../support/cluster/gateway-objects.ts";
import { statedCases, vendorCases } from "./vendor-cases.ts";

const group = "gateway.solo.io";
const X = "gateway.networking.x-k8s.io";

const shared: readonly JsonObject[] = [
  gatewayClass("class", "solo.io/gloo-gateway"),
  gateway("g", { listeners: [listener("a", { port: 80 }), listener("b", { port: 81 })], allowedListeners: "All" }),
  {
    apiVersion: `${X}/v1alpha1`,
    kind: "XListenerSet",
    metadata: { name: "ls", namespace: "default" },
    spec: {
      parentRef: { group: "gateway.networking.k8s.io", kind: "Gateway", name: "g" },
      listeners: [listener("x", { port: 82 })],
    },
  },
];

type On = string | JsonObject;
const made =
  (kind: string) =>
  (name: string, on: On, options: JsonObject, created = 0) =>
    policy(kind, name, [on], { options }, { group, created });
const host = made("VirtualHostOption");
const listenerOption = made("ListenerOption");
const set = (sectionName?: string): JsonObject => ({
  group: X,
  kind: "XListenerSet",
  name: "ls",
  ...(sectionName === undefined ? {} : { sectionName }),
});
const spec = (options: JsonObject) => ({ options });

describe("Gloo Gateway: VirtualHostOption, each field of options whole", () => {
  vendorCases(shared, [
    {
      what: "a Gateway's options take effect on its listeners and on those of its ListenerSets",
      objects: [host("g1", "Gateway/g", { retries: { n: 1 } })],
      effective: { "Gateway/g#a": spec({ retries: { n: 1 } }), "XListenerSet/ls#x": spec({ retries: { n: 1 } }) },
      outcomes: { g1: "Enforced" },
    },
    {
      what: "a listener's field replaces the Gateway's field whole, other fields stay",
      objects: [
        host("g1", "Gateway/g", { retries: { n: 1, on: "5xx" }, cors: { a: 1 } }),
        host("l1", "Gateway/g#a", { retries: { n: 2 } }, 1),
      ],
      effective: {
        "Gateway/g#a": spec({ retries: { n: 2 }, cors: { a: 1 } }),
        "Gateway/g#b": spec({ retries: { n: 1, on: "5xx" }, cors: { a: 1 } }),
      },
      outcomes: { g1: "PartiallyEnforced by l1", l1: "Enforced" },
    },
    {
      what: "on one target the older policy's field is taken, and both take effect",
      objects: [
        host("new", "Gateway/g", { retries: { n: 2 }, cors: { a: 2 } }, 1),
        host("old", "Gateway/g", { retries: { n: 1 } }),
      ],
      effective: { "Gateway/g#a": spec({ retries: { n: 1 }, cors: { a: 2 } }) },
      outcomes: { old: "Enforced", new: "PartiallyEnforced by old" },
    },
    {
      what: "a ListenerSet's field replaces the Gateway's",
      objects: [host("g1", "Gateway/g", { cors: { a: 1 } }), host("s1", set(), { cors: { a: 2 } }, 1)],
      effective: { "Gateway/g#a": spec({ cors: { a: 1 } }), "XListenerSet/ls#x": spec({ cors: { a: 2 } }) },
      outcomes: { g1: "PartiallyEnforced by s1", s1: "Enforced" },
    },
    {
      what: "a policy on a listener of a ListenerSet is the most specific",
      objects: [host("s1", set(), { cors: { a: 1 } }), host("x1", set("x"), { cors: { a: 2 } }, 1)],
      effective: { "XListenerSet/ls#x": spec({ cors: { a: 2 } }) },
      outcomes: { s1: "Overridden by x1" },
    },
    {
      what: "a Gateway listener's policy has no effect on a ListenerSet",
      objects: [host("l1", "Gateway/g#a", { cors: { a: 1 } })],
      effective: { "Gateway/g#a": spec({ cors: { a: 1 } }), "XListenerSet/ls#x": {} },
      outcomes: { l1: "Enforced" },
    },
    {
      what: "a policy whose fields are all set by others takes no effect",
      objects: [host("g1", "Gateway/g", { cors: { a: 1 } }), host("g2", "Gateway/g", { cors: { a: 2 } }, 1)],
      effective: {
        "Gateway/g#a": { options: { cors: { a: 1 } } },
        "Gateway/g#b": { options: { cors: { a: 1 } } },
        "XListenerSet/ls#x": { options: { cors: { a: 1 } } },
      },
      outcomes: { g1: "Enforced", g2: "Overridden by g1" },
    },
  ]);
});

describe("Gloo Gateway: ListenerOption, the first alone", () => {
  vendorCases(shared, [
    {
      what: "a listener's policy replaces the Gateway's as a whole",
      objects: [listenerOption("g1", "Gateway/g", { a: 1, b: 1 }), listenerOption("l1", "Gateway/g#a", { a: 2 }, 1)],
      effective: { "Gateway/g#a": spec({ a: 2 }), "Gateway/g#b": spec({ a: 1, b: 1 }) },
      outcomes: { g1: "PartiallyEnforced by l1", l1: "Enforced" },
    },
    {
      what: "on one target the oldest takes effect alone, and none is Conflicted",
      objects: [listenerOption("new", "Gateway/g", { b: 2 }, 1), listenerOption("old", "Gateway/g", { a: 1 })],
      effective: { "Gateway/g#a": spec({ a: 1 }) },
      outcomes: { old: "Enforced", new: "Overridden by old" },
    },
    {
      what: "an empty policy of a listener keeps the Gateway's out",
      objects: [
        listenerOption("g1", "Gateway/g", { a: 1 }),
        policy("ListenerOption", "shield", ["Gateway/g#a"], {}, { group, created: 1 }),
      ],
      effective: { "Gateway/g#a": {}, "Gateway/g#b": spec({ a: 1 }) },
      outcomes: { g1: "PartiallyEnforced by shield", shield: "Enforced" },
    },
    {
      what: "a Service is no target",
      objects: [listenerOption("p", "Service/s", { a: 1 })],
      effective: { "Gateway/g#a": {} },
      outcomes: { p: "TargetNotFound" },
    },
  ]);
});

describe("Gloo Gateway: RouteOption", () => {
  const filter = { type: "ExtensionRef", extensionRef: { group, kind: "RouteOption", name: "named" } };
  const routed = route("r", "Gateway/g#a", {
    rules: [{ name: "one", fields: { filters: [filter] } }, { name: "two" }],
  });
  const option = made("RouteOption");
  const named: JsonObject = {
    apiVersion: `${group}/v1`,
    kind: "RouteOption",
    metadata: { name: "named", namespace: "default" },
    spec: spec({ cors: { a: 1 } }),
  };
  vendorCases(
    [...shared, routed, named],
    [
      {
        what: "what a filter names takes effect on that rule, before what targets the route",
        objects: [option("r1", "HTTPRoute/r", { cors: { a: 2 }, retries: { n: 2 } })],
        effective: {
          "HTTPRoute/r#one": spec({ cors: { a: 1 }, retries: { n: 2 } }),
          "HTTPRoute/r#two": spec({ cors: { a: 2 }, retries: { n: 2 } }),
        },
        outcomes: { named: "Enforced", r1: "PartiallyEnforced by named" },
      },
      {
        what: "of two on one route the older one's fields are used, and the others added",
        objects: [
          option("new", "HTTPRoute/r", { retries: { n: 2 }, timeout: "2s" }, 1),
          option("old", "HTTPRoute/r", { retries: { n: 1 } }),
        ],
        effective: { "HTTPRoute/r#two": spec({ retries: { n: 1 }, timeout: "2s" }) },
        outcomes: { named: "Enforced", new: "PartiallyEnforced by old", old: "Enforced" },
      },
    ],
  );
});

describe("Gloo Gateway: HTTPRoutes that delegate to other HTTPRoutes", () => {
  const OVERRIDES = "delegation.gateway.solo.io/enable-policy-overrides";
  const parent = (overrides?: string) =>
    route("parent", "Gateway/g#a", {
      rules: [{ name: "team", backends: [{ group: "gateway.networking.k8s.io", kind: "HTTPRoute", name: "child" }] }],
      ...(overrides === undefined ? {} : { annotations: { [OVERRIDES]: overrides } }),
    });
  const child = route("child", [], { rules: [{ name: "only" }] });
  const option = made("RouteOption");
  const both = [
    option("p1", "HTTPRoute/parent", { retries: { n: 1 }, timeout: "1s" }),
    option("c1", "HTTPRoute/child", { retries: { n: 2 }, timeout: "2s", cors: { a: 2 } }, 1),
  ];
  const CHILD = "HTTPRoute/parent#team > HTTPRoute/child#only";
  vendorCases(
    [...shared, child],
    [
      {
        what: "the parent's fields replace the child's, and the child adds its own",
        objects: [parent(), ...both],
        effective: { [CHILD]: spec({ retries: { n: 1 }, timeout: "1s", cors: { a: 2 } }) },
        outcomes: { p1: "Enforced", c1: "PartiallyEnforced by p1" },
      },
      {
        what: "with the annotation * the child's fields replace the parent's",
        objects: [parent("*"), ...both],
        effective: { [CHILD]: spec({ retries: { n: 2 }, timeout: "2s", cors: { a: 2 } }) },
        outcomes: { p1: "Overridden by c1", c1: "Enforced" },
      },
      {
        what: "with a list of fields the child may set these",
        objects: [parent("retries"), ...both],
        effective: { [CHILD]: spec({ retries: { n: 2 }, timeout: "1s", cors: { a: 2 } }) },
        outcomes: { p1: "PartiallyEnforced by c1", c1: "PartiallyEnforced by p1" },
      },
    ],
  );
});

statedCases("gloo");
