/**
 * Gateway API, "HTTPRouteRule"
 * GEP-1713, "Listener Precedence"
 */
import { describe, expect, test } from "vitest";
import {
  gateway,
  listener,
  listenerSet,
  referenceGrant,
  route,
  service,
} from "../../../test/support/cluster/gateway-objects.ts";
import { buildSnapshot, evaluate } from "../../index.ts";
import { worldOf } from "../evaluation.ts";
import type { JsonObject } from "../model/json.ts";
import { formatRef } from "../model/refs.ts";
import { compileDataplane } from "./compile-dataplane.ts";
import type { DataplaneConfig, ListenerConfig, RuleConfig } from "./gateway-config.ts";

const compile = (objects: readonly unknown[], endpointAnnotations: "Used" | "Ignored" = "Used"): DataplaneConfig =>
  compileDataplane(worldOf(evaluate(buildSnapshot(objects, { validated: true }))), { endpointAnnotations });

const problemsOf = ({ problems }: DataplaneConfig): readonly string[] =>
  problems.map(({ object, field, message }) => `${formatRef(object)} ${field}: ${message}`);

const listenersOf = ({ gateways }: DataplaneConfig): readonly ListenerConfig[] =>
  gateways.flatMap(({ ports }) => ports.flatMap(({ listeners }) => listeners));

/** `example.com /a → default/r#rule-1`, in the order in which they are asked. */
const routesOf = (config: DataplaneConfig): readonly string[] =>
  listenersOf(config).flatMap(({ virtualHosts }) =>
    virtualHosts.flatMap(({ hostname, routes }) =>
      routes.map(({ match, rule }) => `${hostname} ${match.path?.value ?? ""} → ${rule.route.name}#${rule.rule}`),
    ),
  );

/** The rules of the first listener, each once, in the order of their matches. */
const rulesOf = (config: DataplaneConfig): readonly RuleConfig[] => [
  ...new Set(listenersOf(config)[0]?.virtualHosts.flatMap(({ routes }) => routes.map(({ rule }) => rule))),
];

const prefix = (value: string): JsonObject => ({ matches: [{ path: { type: "PathPrefix", value } }] });
const withRule = (rule: JsonObject, kind = "HTTPRoute"): readonly JsonObject[] => [
  gateway("g"),
  service("b"),
  service("c"),
  route("r", "Gateway/g", { kind, rules: [{ fields: rule }] }),
];
const toB = [{ name: "b", port: 80 }];

describe("listeners", () => {
  test("ports in order; on one port the more specific hostname first; ListenerSets beside their Gateway", () => {
    const config = compile([
      gateway("g", {
        allowedListeners: "All",
        listeners: [
          listener("late", { port: 8080 }),
          listener("any"),
          listener("wild", { hostname: "*.example.com" }),
          listener("exact", { hostname: "a.example.com" }),
        ],
      }),
      listenerSet("s", "Gateway/g", { listeners: [listener("deep", { hostname: "*.b.example.com" })] }),
    ]);
    expect(
      config.gateways[0]?.ports.map(({ port, listeners }) => [
        port,
        listeners.map(({ name, hostname }) => [name, hostname]),
      ]),
    ).toEqual([
      [
        80,
        [
          ["exact", "a.example.com"],
          ["deep", "*.b.example.com"],
          ["wild", "*.example.com"],
          ["any", undefined],
        ],
      ],
      [8080, [["late", undefined]]],
    ]);
    expect(config.gateways[0]).toMatchObject({ className: "class", controllerName: undefined });
  });

  test.each<[string, readonly JsonObject[], readonly string[], string]>([
    [
      "two with the same port and hostname: neither is served",
      [listener("one"), listener("two"), listener("three", { port: 81 })],
      ["three"],
      "Gateway default/g spec.listeners[0]: listener two of Gateway default/g has the same port, and the same hostname or none: the listener is not served",
    ],
    [
      "two protocols on one port: neither is served",
      [listener("one"), listener("two", { protocol: "HTTPS", hostname: "a.b" })],
      [],
      "Gateway default/g spec.listeners[0]: listener two of Gateway default/g has the same port and protocol HTTPS, not HTTP: the listener is not served",
    ],
    [
      "of another protocol",
      [{ name: "one", port: 80, protocol: "example.com/quic" }],
      [],
      "Gateway default/g spec.listeners[0].protocol: protocol example.com/quic is not supported, only HTTP, HTTPS, TLS, TCP, UDP: the listener is not served",
    ],
    [
      "HTTPS without a certificate",
      [{ ...listener("one", { protocol: "HTTPS" }), tls: { mode: "Terminate" } }],
      [],
      "Gateway default/g spec.listeners[0].tls: no certificate can be used: the listener is not served",
    ],
    [
      "filters before all routes, which are not supported",
      [{ ...listener("one"), filters: { requests: [{ type: "ExternalAuth" }] } }],
      [],
      "Gateway default/g spec.listeners[0].filters: filters of listeners are not supported: the listener is not served",
    ],
  ])("%s", (_, listeners, served, problem) => {
    const config = compile([gateway("g", { listeners })]);
    expect(listenersOf(config).map(({ name }) => name)).toEqual(served);
    expect(problemsOf(config)).toContain(problem);
  });

  test("a Gateway's listener comes before a ListenerSet's, an older set before a newer one", () => {
    const set = (name: string, created: string, ...own: readonly JsonObject[]): JsonObject => {
      const made = listenerSet(name, "Gateway/g", { listeners: own });
      return { ...made, metadata: { ...(made["metadata"] as JsonObject), creationTimestamp: created } };
    };
    const config = compile([
      gateway("g", { allowedListeners: "All", listeners: [listener("own")] }),
      set("a", "2026-02-01T00:00:00Z", listener("a"), listener("a81", { port: 81 })),
      set("z", "2026-01-01T00:00:00Z", listener("z81", { port: 81 })),
    ]);
    expect(listenersOf(config).map(({ name }) => name)).toEqual(["own", "z81"]);
  });

  test("certificates: beside the Gateway, elsewhere with a grant, and what is left out", () => {
    const https = {
      ...listener("https", { protocol: "HTTPS" }),
      tls: {
        certificateRefs: [
          { name: "mine" },
          { name: "theirs", namespace: "certs" },
          { name: "forbidden", namespace: "other" },
          { name: "map", kind: "ConfigMap" },
        ],
      },
    };
    const grant = referenceGrant("g", "certs", {
      from: { kind: "Gateway", namespace: "default" },
      to: { group: "", kind: "Secret" },
    });
    const config = compile([gateway("g", { listeners: [https] }), grant]);
    expect(listenersOf(config)[0]?.certificates.map((ref) => formatRef(ref))).toEqual([
      "Secret default/mine",
      "Secret certs/theirs",
    ]);
    expect(problemsOf(config)).toEqual([
      "Gateway default/g spec.listeners[0].tls.certificateRefs[2]: Gateway default/g may not refer to Secret other/forbidden: no ReferenceGrant in namespace 'other' allows it from Gateway in namespace 'default': the certificate is ignored",
      "Gateway default/g spec.listeners[0].tls.certificateRefs[3]: only Secrets are supported as certificates: the certificate is ignored",
    ]);
  });
});

describe("virtual hosts: what listener and route have in common", () => {
  test.each<[string, string | undefined, readonly string[] | undefined, readonly string[]]>([
    ["neither says anything", undefined, undefined, ["*"]],
    ["the listener alone", "a.b", undefined, ["a.b"]],
    ["the route alone, the more specific first", undefined, ["*.b", "a.b", "*.x.b"], ["a.b", "*.x.b", "*.b"]],
    ["a wildcard listener, and what fits", "*.b", ["x.b", "x.y.b", "b", "*.y.b", "other"], ["x.y.b", "x.b", "*.y.b"]],
    ["a precise listener, and wildcards above it", "x.y.b", ["*.b", "*.y.b"], ["x.y.b"]],
    ["both wildcards, the route's above", "*.y.b", ["*.b"], ["*.y.b"]],
  ])("%s", (_, own, hostnames, hosts) => {
    const options = own === undefined ? {} : { hostname: own };
    const config = compile([
      gateway("g", { listeners: [listener("l", options)] }),
      route("r", "Gateway/g", hostnames === undefined ? {} : { hostnames }),
    ]);
    expect(listenersOf(config)[0]?.virtualHosts.map(({ hostname }) => hostname)).toEqual(hosts);
  });

  test("routes in precedence, over all routes of a host", () => {
    const config = compile([
      gateway("g"),
      route("old", "Gateway/g", { rules: [{ fields: prefix("/") }, { fields: prefix("/a/b") }] }),
      route("new", "Gateway/g", { hostnames: ["x.y"], rules: [{ fields: prefix("/a") }] }),
      route("third", "Gateway/g", { rules: [{ fields: prefix("/a") }] }),
    ]);
    expect(routesOf(config)).toEqual([
      "x.y /a → new#rule-1",
      "* /a/b → old#rule-2",
      "* /a → third#rule-1",
      "* / → old#rule-1",
    ]);
  });

  test("below one precise listener the route with the more specific hostname comes first", () => {
    const config = compile([
      gateway("g", { listeners: [listener("l", { hostname: "x.y.b" })] }),
      route("a", "Gateway/g", { hostnames: ["*.b"], rules: [{ fields: prefix("/long") }] }),
      route("b", "Gateway/g", { hostnames: ["*.y.b"] }),
    ]);
    expect(routesOf(config)).toEqual(["x.y.b / → b#rule-1", "x.y.b /long → a#rule-1"]);
  });

  test("a rule is one object, for all its matches and at all listeners with the same settings", () => {
    const config = compile([
      gateway("g", { listeners: [listener("one"), listener("two", { port: 81 })] }),
      route("r", "Gateway/g", {
        hostnames: ["a.b", "c.d"],
        rules: [{ fields: { matches: [{ method: "GET" }, { method: "PUT" }] } }],
      }),
    ]);
    const rules = listenersOf(config).flatMap(({ virtualHosts }) =>
      virtualHosts.flatMap(({ routes }) => routes.map(({ rule }) => rule)),
    );
    expect(rules).toHaveLength(8);
    expect(new Set(rules).size).toBe(1);
  });
});

describe("what a rule does", () => {
  const actionOf = (rule: JsonObject) => rulesOf(compile(withRule(rule)))[0]?.action;

  test("forwards by weight; a weight of 0 is left out, none means 1", () => {
    expect(
      actionOf({
        backendRefs: [
          { name: "b", port: 80, weight: 0 },
          { name: "b", port: 80, weight: 3 },
          { name: "c", port: 80 },
        ],
      }),
    ).toMatchObject({
      type: "Forward",
      backends: [
        { weight: 3, target: { type: "Backend", backend: { id: "default/b:80" } } },
        { weight: 1, target: { type: "Backend", backend: { id: "default/c:80" } } },
      ],
    });
  });

  test.each<[string, JsonObject, string]>([
    ["no backends", {}, "the rule has no backends"],
    ["weights of 0 only", { backendRefs: [{ name: "b", port: 80, weight: 0 }] }, "no backend has a weight above 0"],
    [
      "a missing Service only",
      { backendRefs: [{ name: "x", port: 80 }] },
      "spec.rules[0].backendRefs[0]: no Service 'x' in namespace 'default'",
    ],
    [
      "a port that is not there",
      { backendRefs: [{ name: "b", port: 81 }] },
      "spec.rules[0].backendRefs[0]: Service default/b has no port 81",
    ],
    [
      "no port",
      { backendRefs: [{ name: "b" }] },
      "spec.rules[0].backendRefs[0]: the reference to Service default/b has no port",
    ],
    [
      "another kind",
      { backendRefs: [{ group: "x.io", kind: "Bucket", name: "b" }] },
      "spec.rules[0].backendRefs[0]: kind 'Bucket' of group 'x.io' is left to implementations: it is not known here, and the path ends",
    ],
    [
      "a Service elsewhere without a grant",
      { backendRefs: [{ name: "b", namespace: "other", port: 80 }] },
      "spec.rules[0].backendRefs[0]: HTTPRoute default/r may not refer to Service other/b: no ReferenceGrant in namespace 'other' allows it from HTTPRoute in namespace 'default'",
    ],
    [
      "an extension",
      { backendRefs: toB, filters: [{ type: "ExtensionRef", extensionRef: { group: "x.io", kind: "X", name: "x" } }] },
      "spec.rules[0].filters[0]: filters of type ExtensionRef are not supported",
    ],
    [
      "external authorization without a server",
      {
        backendRefs: toB,
        filters: [{ type: "ExternalAuth", externalAuth: { protocol: "HTTP", backendRef: { name: "x", port: 80 } } }],
      },
      "spec.rules[0].filters[0]: externalAuth.backendRef: no Service 'x' in namespace 'default'",
    ],
    [
      "a prefix replaced that nothing asks for",
      {
        backendRefs: toB,
        matches: [{ path: { type: "Exact", value: "/a" } }],
        filters: [
          { type: "URLRewrite", urlRewrite: { path: { type: "ReplacePrefixMatch", replacePrefixMatch: "/" } } },
        ],
      },
      "spec.rules[0].filters[0]: ReplacePrefixMatch needs a rule with exactly one match, which has a path of type PathPrefix",
    ],
  ])("responds with 500: %s", (_, rule, reason) => {
    expect(actionOf(rule)).toEqual({ type: "Respond", status: 500, reason });
  });

  test("a redirect by a status that the API server refuses: the route is absent", () => {
    expect(actionOf({ filters: [{ type: "RequestRedirect", requestRedirect: { statusCode: 304 } }] })).toBeUndefined();
  });

  test("one of two backends is missing: its share gets a 500, and that is reported", () => {
    const config = compile(
      withRule({
        backendRefs: [
          { name: "b", port: 80, weight: 3 },
          { name: "x", port: 80 },
        ],
      }),
    );
    expect(rulesOf(config)[0]?.action).toMatchObject({
      type: "Forward",
      backends: [
        { weight: 3, target: { type: "Backend" } },
        {
          weight: 1,
          target: {
            type: "Unavailable",
            status: 500,
            reason: "spec.rules[0].backendRefs[1]: no Service 'x' in namespace 'default'",
          },
        },
      ],
    });
    expect(problemsOf(config)).toEqual([
      "HTTPRoute default/r spec.rules[0].backendRefs[1]: no Service 'x' in namespace 'default': its share of the requests gets a 500",
    ]);
  });

  test.each([
    [
      "a redirect",
      "RequestRedirect",
      "RequestRedirect takes effect before a backend is picked; move it to the filters of the rule",
    ],
    ["CORS", "CORS", "CORS takes effect before a backend is picked; move it to the filters of the rule"],
    ["an extension", "ExtensionRef", "filters of type ExtensionRef are not supported"],
  ])("a filter of one backend that cannot be carried out: %s", (_, type, reason) => {
    expect(
      actionOf({
        backendRefs: [
          { name: "b", port: 80, filters: [{ type }] },
          { name: "c", port: 80 },
        ],
      }),
    ).toMatchObject({
      backends: [
        { target: { type: "Unavailable", reason: `spec.rules[0].backendRefs[0].filters[0]: ${reason}` } },
        { target: { type: "Backend" } },
      ],
    });
  });

  test("a redirect needs no backends, and the rule's other filters stay", () => {
    const [rule] = rulesOf(
      compile(
        withRule({
          ...prefix("/old"),
          filters: [
            { type: "ResponseHeaderModifier", responseHeaderModifier: { set: [{ name: "X-A", value: "1" }] } },
            {
              type: "RequestRedirect",
              requestRedirect: { scheme: "https", path: { type: "ReplacePrefixMatch", replacePrefixMatch: "/new" } },
            },
          ],
        }),
      ),
    );
    expect(rule).toMatchObject({
      filters: [{ type: "ResponseHeaderModifier", set: [{ name: "x-a", value: "1" }], add: [], remove: [] }],
      action: {
        type: "Redirect",
        redirect: {
          scheme: "https",
          hostname: undefined,
          port: undefined,
          path: { type: "ReplacePrefixMatch", prefix: "/old", path: "/new" },
          status: 302,
        },
      },
    });
  });
});
