import { describe, expect, test } from "vitest";
import { caveatsFor, type JsonObject } from "../../src/index.ts";
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
import { statedCases, vendorCases, vendorCluster } from "./vendor-cases.ts";

const group = "agentgateway.dev";
const CONTROLLER = "agentgateway.dev/agentgateway";
const made = (name: string, on: string | JsonObject, spec: JsonObject, created = 0) =>
  policy("AgentgatewayPolicy", name, [on], spec, { group, created });

const model = (name: string): JsonObject => ({ group, kind: "AgentgatewayBackend", name });
/** g has the listeners a and b, ls adds the listener x. r goes to the Service s, ai to the AgentgatewayBackend llm. */
const shared = [
  gatewayClass("class", CONTROLLER),
  gateway("g", { listeners: [listener("a", { port: 80 }), listener("b", { port: 81 })], allowedListeners: "All" }),
  listenerSet("ls", "Gateway/g", { listeners: [listener("x", { port: 82 })] }),
  route("r", "Gateway/g#a", { rules: [{ name: "one", backends: ["s"] }, { name: "two" }] }),
  route("ai", "Gateway/g#a", { rules: [{ name: "only", backends: [model("llm")] }] }),
  route("on-x", "ListenerSet/ls#x", { rules: [{ name: "only" }] }),
  service("s", { ports: { http: 80 } }),
  {
    apiVersion: `${group}/v1alpha1`,
    kind: "AgentgatewayBackend",
    metadata: { name: "llm", namespace: "default" },
    spec: {},
  },
];
const ONE = "HTTPRoute/r#one";
const TWO = "HTTPRoute/r#two";
const AI = "HTTPRoute/ai#only";
const X = "HTTPRoute/on-x#only";

const retry = (attempts: number) => ({ retry: { attempts } });
const timeouts = (request: string) => ({ timeouts: { request } });
const override = { strategy: { inheritance: "Override" } };

describe("agentgateway: each field whole, from the most specific policy", () => {
  vendorCases(shared, [
    {
      what: "a Gateway's policy takes effect on all routes, also those of its ListenerSets",
      objects: [made("g1", "Gateway/g", { traffic: retry(1) })],
      effective: { [TWO]: { traffic: retry(1) }, [X]: { traffic: retry(1) }, [AI]: { traffic: retry(1) } },
      outcomes: { g1: "Enforced" },
      conditions: { g1: ["Gateway/g: Accepted=True/Accepted Enforced=True/Enforced"] },
    },
    {
      what: "a route's fields replace the Gateway's one by one",
      objects: [
        made("g1", "Gateway/g", { traffic: { ...retry(1), ...timeouts("1s") } }),
        made("r1", "HTTPRoute/r", { traffic: retry(2) }, 1),
      ],
      effective: {
        [TWO]: { traffic: { ...retry(2), ...timeouts("1s") } },
        [X]: { traffic: { ...retry(1), ...timeouts("1s") } },
      },
      outcomes: { g1: "PartiallyEnforced by r1", r1: "Enforced" },
    },
    {
      what: "a field is taken whole",
      objects: [
        made("g1", "Gateway/g", { traffic: { retry: { attempts: 1, codes: [503] } } }),
        made("r1", "HTTPRoute/r", { traffic: retry(2) }, 1),
      ],
      effective: { [TWO]: { traffic: retry(2) } },
      outcomes: { g1: "PartiallyEnforced by r1", r1: "Enforced" },
    },
    {
      what: "the modifiers of requests and of responses are two fields",
      objects: [
        made("g1", "Gateway/g", { traffic: { headerModifiers: { response: { remove: ["server"] } } } }),
        made("r1", "HTTPRoute/r", { traffic: { headerModifiers: { request: { remove: ["cookie"] } } } }, 1),
      ],
      effective: {
        [TWO]: { traffic: { headerModifiers: { request: { remove: ["cookie"] }, response: { remove: ["server"] } } } },
      },
      outcomes: { g1: "Enforced", r1: "Enforced" },
    },
    {
      what: "Gateway, listener, route, rule: the rule's is the most specific",
      objects: [
        made("g1", "Gateway/g", { traffic: { ...retry(1), ...timeouts("1s"), cors: {}, csrf: {} } }),
        made("l1", "Gateway/g#a", { traffic: { ...retry(2), ...timeouts("2s"), cors: { maxAge: 2 } } }, 1),
        made("r1", "HTTPRoute/r", { traffic: { ...retry(3), ...timeouts("3s") } }, 2),
        made("rule", "HTTPRoute/r#two", { traffic: retry(4) }, 3),
      ],
      effective: { [TWO]: { traffic: { ...retry(4), ...timeouts("3s"), cors: { maxAge: 2 }, csrf: {} } } },
      outcomes: {
        g1: "PartiallyEnforced by l1, r1, rule",
        l1: "PartiallyEnforced by r1, rule",
        r1: "PartiallyEnforced by rule",
        rule: "Enforced",
      },
    },
    {
      what: "a ListenerSet's policy is more specific than the Gateway's",
      objects: [
        made("g1", "Gateway/g", { traffic: retry(1) }),
        made("ls1", "ListenerSet/ls", { traffic: retry(2) }, 1),
      ],
      effective: { [X]: { traffic: retry(2) }, [TWO]: { traffic: retry(1) } },
      outcomes: { g1: "PartiallyEnforced by ls1", ls1: "Enforced" },
    },
    {
      what: "Override: the Gateway keeps the fields that it sets, and others of the route take effect",
      objects: [
        made("g1", "Gateway/g", { ...override, traffic: retry(1) }),
        made("r1", "HTTPRoute/r", { traffic: { ...retry(2), ...timeouts("2s") } }, 1),
      ],
      effective: { [TWO]: { traffic: { ...retry(1), ...timeouts("2s") } } },
      outcomes: { g1: "Enforced", r1: "PartiallyEnforced by g1" },
    },
    {
      what: "Override on two levels: the higher one keeps the field",
      objects: [
        made("g1", "Gateway/g", { ...override, traffic: retry(1) }),
        made("l1", "Gateway/g#a", { ...override, traffic: retry(2) }, 1),
      ],
      effective: { [TWO]: { traffic: retry(1) } },
      outcomes: { l1: "Overridden by g1" },
    },
    {
      what: "a Service's policy is more specific than the Gateway's, for connections to it",
      objects: [
        made("g1", "Gateway/g", { backend: { tls: { sni: "g" }, tcp: { connectTimeout: "1s" } } }),
        made("s1", "Service/s", { backend: { tls: { sni: "s" } } }, 1),
      ],
      effective: { [`${ONE} > Service/s`]: { backend: { tls: { sni: "s" }, tcp: { connectTimeout: "1s" } } } },
      outcomes: { g1: "PartiallyEnforced by s1", s1: "Enforced" },
    },
    {
      what: "a route's policy is more specific than the Service's, and a rule's than its route's",
      objects: [
        made("s1", "Service/s", {
          backend: { tls: { sni: "s" }, tcp: { connectTimeout: "1s" }, http: { version: 2 } },
        }),
        made("r1", "HTTPRoute/r", { backend: { tls: { sni: "r" }, tcp: { connectTimeout: "2s" } } }, 1),
        made("rule", "HTTPRoute/r#one", { backend: { tls: { sni: "rule" } } }, 2),
      ],
      effective: {
        [`${ONE} > Service/s`]: {
          backend: { tls: { sni: "rule" }, tcp: { connectTimeout: "2s" }, http: { version: 2 } },
        },
      },
      outcomes: { s1: "PartiallyEnforced by r1, rule", r1: "PartiallyEnforced by rule", rule: "Enforced" },
    },
    {
      what: "the fields for models are merged one by one, and those for MCP",
      objects: [
        made("g1", "Gateway/g", { backend: { ai: { prompt: { append: [] }, routes: { "/a": "Messages" } } } }),
        made("m1", model("llm"), { backend: { ai: { routes: { "/b": "Models" } }, mcp: { guardrails: {} } } }, 1),
      ],
      effective: {
        [`${AI} > AgentgatewayBackend/llm`]: {
          backend: { ai: { prompt: { append: [] }, routes: { "/b": "Models" } }, mcp: { guardrails: {} } },
        },
      },
      outcomes: { g1: "PartiallyEnforced by m1", m1: "Enforced" },
    },
    {
      what: "MCP authorization rules add up, whatever else the policies set",
      objects: [
        made("g1", "Gateway/g", { backend: { mcp: { authorization: { action: "Deny" } }, tls: {} } }),
        made("m1", model("llm"), { backend: { mcp: { authorization: { action: "Allow" } } } }, 1),
      ],
      effective: {
        [`${AI} > AgentgatewayBackend/llm`]: {
          "default/g1": { backend: { mcp: { authorization: { action: "Deny" } } } },
          "default/m1": { backend: { mcp: { authorization: { action: "Allow" } } } },
          backend: { tls: {} },
        },
      },
      outcomes: { g1: "Enforced", m1: "Enforced" },
    },
    {
      what: "authorization rules of all levels add up, and the other fields replace each other",
      objects: [
        made("g1", "Gateway/g", { traffic: { ...retry(1), authorization: { action: "Deny" } } }),
        made("r1", "HTTPRoute/r", { traffic: { ...retry(2), authorization: { action: "Allow" } } }, 1),
      ],
      effective: {
        [TWO]: {
          "default/g1": { traffic: { authorization: { action: "Deny" } } },
          "default/r1": { traffic: { authorization: { action: "Allow" } } },
          traffic: retry(2),
        },
      },
      outcomes: { g1: "PartiallyEnforced by r1", r1: "Enforced" },
    },
    {
      what: "network authorization rules add up on each listener",
      objects: [
        made("g1", "Gateway/g", { frontend: { networkAuthorization: { action: "Deny" }, tcp: { maxConnections: 1 } } }),
        made(
          "p1",
          { ...reference("Gateway/g"), port: 81 },
          { frontend: { networkAuthorization: { action: "Allow" } } },
          1,
        ),
      ],
      effective: {
        "Gateway/g#b": {
          "default/g1": { frontend: { networkAuthorization: { action: "Deny" } } },
          "default/p1": { frontend: { networkAuthorization: { action: "Allow" } } },
          frontend: { tcp: { maxConnections: 1 } },
        },
      },
      outcomes: { g1: "Enforced", p1: "Enforced" },
    },
    {
      what: "the buffer of the least specific policy takes effect, with and without Override",
      objects: [
        made("g1", "Gateway/g", { traffic: { ...retry(1), buffer: { request: { maxBytes: 1 } } } }),
        made("r1", "HTTPRoute/r", { traffic: { ...retry(2), buffer: { request: { maxBytes: 2 } } } }, 1),
        made("rule", "HTTPRoute/r#two", { ...override, traffic: { buffer: { request: { maxBytes: 3 } } } }, 2),
      ],
      effective: { [TWO]: { traffic: { ...retry(2), buffer: { request: { maxBytes: 1 } } } } },
      outcomes: { rule: "Overridden by r1", r1: "PartiallyEnforced by g1" },
    },
    {
      what: "settings for clients take effect on listeners, those for requests on rules, those for backends on the way to a backend",
      objects: [
        made("g1", "Gateway/g", { frontend: { tcp: { maxConnections: 1 } }, traffic: retry(1), backend: { tls: {} } }),
      ],
      effective: {
        "Gateway/g#a": { frontend: { tcp: { maxConnections: 1 } } },
        "ListenerSet/ls#x": { frontend: { tcp: { maxConnections: 1 } } },
        [TWO]: { traffic: retry(1) },
        [`${ONE} > Service/s`]: { backend: { tls: {} } },
      },
      outcomes: { g1: "Enforced" },
      conditions: { g1: ["Gateway/g: Accepted=True/Accepted Enforced=True/Enforced"] },
    },
    {
      what: "a Gateway's settings for backends take effect behind TCPRoutes",
      objects: [
        gateway("t", { listeners: [listener("tcp", { port: 9000, protocol: "TCP" })] }),
        route("tcp", "Gateway/t", { kind: "TCPRoute", rules: [{ name: "only", backends: ["s"] }] }),
        made("g1", "Gateway/t", { backend: { tcp: { connectTimeout: "1s" } } }),
      ],
      effective: { "TCPRoute/tcp#only > Service/s": { backend: { tcp: { connectTimeout: "1s" } } } },
      outcomes: { g1: "Enforced" },
    },
    {
      what: "settings for clients are for Gateways, and those for requests not for Services",
      objects: [
        made("clients", "HTTPRoute/r", { frontend: { tls: {} } }),
        made("requests", "Service/s", { traffic: retry(1) }),
        made("good", "HTTPRoute/r", { traffic: retry(2) }),
      ],
      effective: { [TWO]: { traffic: retry(2) } },
      outcomes: { clients: "Invalid", requests: "Invalid", good: "Enforced" },
      findings: { clients: ["InvalidForTarget"], requests: ["InvalidForTarget"] },
    },
    {
      what: "a target that does not exist",
      objects: [made("p", "HTTPRoute/absent", { traffic: retry(1) })],
      effective: { [TWO]: {} },
      outcomes: { p: "TargetNotFound" },
    },
    {
      what: "of two policies on one target the fields of the older one are shown, and a caveat says that the order is not fixed",
      objects: [
        made("first", "HTTPRoute/r", { traffic: retry(1) }),
        made("second", "HTTPRoute/r", { traffic: { ...retry(2), ...timeouts("2s") } }, 1),
      ],
      effective: { [TWO]: { traffic: { ...retry(1), ...timeouts("2s") } } },
      outcomes: { first: "Enforced", second: "PartiallyEnforced by first" },
    },
    {
      what: "a port of a Service is named by its number",
      objects: [made("p1", { ...reference("Service/s"), sectionName: "80" }, { backend: { tls: { sni: "p" } } })],
      effective: { [`${ONE} > Service/s`]: { backend: { tls: { sni: "p" } } } },
      outcomes: { p1: "Enforced" },
    },
    {
      what: "an AgentgatewayBackend is a target",
      objects: [made("m1", model("llm"), { backend: { ai: { prompts: [] } } })],
      effective: { [AI]: { backend: { ai: { prompts: [] } } }, [TWO]: {} },
      outcomes: { m1: "Enforced" },
    },
    {
      what: "a port of a Gateway is a target of a policy for clients",
      objects: [made("p1", { ...reference("Gateway/g"), port: 81 }, { frontend: { tcp: { keepalives: {} } } })],
      effective: { "Gateway/g#b": { frontend: { tcp: { keepalives: {} } } }, [TWO]: {} },
      outcomes: { p1: "Enforced" },
    },
    ...["tcp", "networkAuthorization", "tls", "http", "proxyProtocol", "connect"].map((field) => ({
      what: `frontend.${field} is for a Gateway or a port of it, not for a listener by its name`,
      objects: [
        made("named", "Gateway/g#b", { frontend: { [field]: {} } }, 1),
        made("whole", "Gateway/g", { frontend: { [field]: { of: "g" } } }),
        made("port", { ...reference("Gateway/g"), port: 80 }, { frontend: { [field]: { of: 80 } } }, 2),
      ],
      outcomes: { named: "Invalid", port: "Enforced" },
      findings: { named: ["InvalidForTarget"], whole: [], port: [] },
    })),
    {
      what: "access logs, tracing and metrics can be set for a listener by its name",
      objects: [made("named", "Gateway/g#b", { frontend: { accessLog: {}, tracing: {}, metrics: {} } })],
      outcomes: { named: "Enforced" },
    },
    {
      what: "a TCPRoute is no target",
      objects: [made("p", "TCPRoute/t", { traffic: retry(1) })],
      outcomes: { p: "Invalid" },
    },
    {
      what: "behind a Gateway of another controller it takes no effect",
      objects: [
        gatewayClass("other", "kgateway.dev/kgateway"),
        gateway("k", { class: "other" }),
        route("far", "Gateway/k", { rules: [{ name: "only" }] }),
        made("p", "HTTPRoute/far", { traffic: retry(1) }),
      ],
      effective: { "HTTPRoute/far#only": {} },
      outcomes: { p: "NoPath" },
      findings: { p: ["NoController"] },
    },
  ]);
  vendorCases([], namedCases({ group, kind: "AgentgatewayParameters", controller: CONTROLLER, by: "Parameters" }));
  const parameters = (name: string, spec: JsonObject): JsonObject => ({
    apiVersion: `${group}/v1alpha1`,
    kind: "AgentgatewayParameters",
    metadata: { name, namespace: "default" },
    spec,
  });
  const parametersRef = (name: string): JsonObject => ({ group, kind: "AgentgatewayParameters", name });
  const env = (...names: readonly string[]): JsonObject => ({ env: names.map((name) => ({ name, value: "1" })) });
  vendorCases(
    [],
    [
      {
        what: "AgentgatewayParameters: environment variables are merged by name, limits by key, and raw configuration is taken whole",
        objects: [
          {
            apiVersion: "gateway.networking.k8s.io/v1",
            kind: "GatewayClass",
            metadata: { name: "class" },
            spec: {
              controllerName: CONTROLLER,
              parametersRef: { ...parametersRef("house"), namespace: "default" },
            },
          },
          {
            apiVersion: "gateway.networking.k8s.io/v1",
            kind: "Gateway",
            metadata: { name: "g", namespace: "default" },
            spec: {
              gatewayClassName: "class",
              listeners: [{ name: "http", port: 80, protocol: "HTTP" }],
              infrastructure: { parametersRef: parametersRef("own") },
            },
          },
          parameters("house", { ...env("A", "B"), resources: { limits: { cpu: 1 } }, rawConfig: { a: 1, b: 1 } }),
          parameters("own", { ...env("B"), resources: { limits: { memory: 2 } }, rawConfig: { a: 2 } }),
        ],
        effective: {
          "Gateway/g": {
            env: { B: { name: "B", value: "1" }, A: { name: "A", value: "1" } },
            resources: { limits: { cpu: 1, memory: 2 } },
            rawConfig: { a: 2 },
          },
        },
        outcomes: { own: "Enforced" },
      },
    ],
  );

  const caveatOf = (policy: JsonObject): string | undefined =>
    caveatsFor(vendorCluster([...shared, policy]).evaluation, { about: "Input" }).find(
      ({ code }) => code === "ApproximateDefinition",
    )?.message;
  const deny = { authorization: { action: "Deny" } };
  test.each([
    [
      "an Override policy with authorization rules",
      { ...override, traffic: deny },
      "take no effect below such a policy",
    ],
    [
      "a policy before routing",
      { traffic: { phase: "PreRouting", ...deny } },
      "not merged with those that take effect after",
    ],
  ])("%s has a caveat", (_, spec, words) => {
    expect(caveatOf(made("g1", "Gateway/g", spec))).toContain(words);
    expect(caveatOf(made("g1", "Gateway/g", { traffic: deny }))).not.toContain(words);
  });
});

statedCases("agentgateway");
