/** Envoy Gateway: policies with `mergeType`. */
import { describe, expect, test } from "vitest";
import { caveatsFor, type JsonObject } from "../../src/index.ts";
import { gateway, gatewayClass, listener, listenerSet, policy, route } from "../support/cluster/gateway-objects.ts";
import { statedCases, vendorCases, vendorCluster } from "./vendor-cases.ts";

const GROUP = "gateway.envoyproxy.io";
const CONTROLLER = "gateway.envoyproxy.io/gatewayclass-controller";
const made =
  (kind: string) =>
  (name: string, on: string | readonly string[], spec: JsonObject, created = 0) =>
    policy(kind, name, on, spec, { group: GROUP, created });
const traffic = made("BackendTrafficPolicy");
const security = made("SecurityPolicy");
const extension = made("EnvoyExtensionPolicy");

const strategic = { mergeType: "StrategicMerge" };
const json = { mergeType: "JSONMerge" };
const retry = (numRetries: number) => ({ retry: { numRetries } });
const limit = (requests: number) => ({ limit: { requests, unit: "Minute" } });
const timeout = (connectTimeout: string) => ({ timeout: { tcp: { connectTimeout } } });

const shared = [
  gatewayClass("class", CONTROLLER),
  gateway("g", { listeners: [listener("a", { port: 80 }), listener("b", { port: 81 })], allowedListeners: "All" }),
  listenerSet("ls", "Gateway/g", { listeners: [listener("x", { port: 82 })] }),
  route("r", "Gateway/g#a", { rules: [{ name: "one" }, { name: "two" }] }),
  route("on-x", "ListenerSet/ls#x", { rules: [{ name: "only" }] }),
  route("on-both", ["Gateway/g#a", "Gateway/g#b"], { rules: [{ name: "only" }] }),
];
const ONE = "HTTPRoute/r#one";
const TWO = "HTTPRoute/r#two";
const X = "HTTPRoute/on-x#only";

describe("mergeType: a route's policy is merged with the closest policy above it", () => {
  vendorCases(shared, [
    {
      what: "fields that the route's policy does not set come from the Gateway's",
      objects: [
        traffic("g1", "Gateway/g", { ...retry(1), ...timeout("1s") }),
        traffic("r1", "HTTPRoute/r", { ...strategic, ...retry(2) }, 1),
      ],
      effective: { [ONE]: { ...retry(2), ...timeout("1s") }, [X]: { ...retry(1), ...timeout("1s") } },
      outcomes: { g1: "PartiallyEnforced by r1", r1: "Enforced" },
      conditions: { r1: ["Gateway/g: Accepted=True/Accepted Enforced=True/Enforced"] },
    },
    {
      what: "JSONMerge merges maps field by field, too",
      objects: [
        traffic("g1", "Gateway/g", { retry: { numRetries: 1, perRetry: { timeout: "1s" } } }),
        traffic("r1", "HTTPRoute/r", { ...json, ...retry(2) }, 1),
      ],
      effective: { [ONE]: { retry: { numRetries: 2, perRetry: { timeout: "1s" } } } },
      outcomes: { g1: "PartiallyEnforced by r1", r1: "Enforced" },
    },
    {
      what: "JSONMerge replaces the list of upgrades, and that of rate limit rules",
      objects: [
        traffic("g1", "Gateway/g", {
          httpUpgrade: [{ type: "websocket" }, { type: "spdy/3.1" }],
          rateLimit: { type: "Global", global: { rules: [limit(100)] } },
        }),
        traffic(
          "r1",
          "HTTPRoute/r",
          { ...json, httpUpgrade: [{ type: "websocket" }], rateLimit: { global: { rules: [limit(5)] } } },
          1,
        ),
      ],
      effective: {
        [ONE]: { httpUpgrade: [{ type: "websocket" }], rateLimit: { type: "Global", global: { rules: [limit(5)] } } },
      },
      outcomes: { g1: "PartiallyEnforced by r1", r1: "Enforced" },
    },
    {
      what: "JSONMerge leaves a list of the Gateway that the route's policy does not have",
      objects: [
        traffic("g1", "Gateway/g", { httpUpgrade: [{ type: "websocket" }] }),
        traffic("r1", "HTTPRoute/r", { ...json, ...retry(2) }, 1),
      ],
      effective: { [ONE]: { httpUpgrade: { websocket: { type: "websocket" } }, ...retry(2) } },
      outcomes: { g1: "Enforced", r1: "Enforced" },
    },
    {
      what: "StrategicMerge merges upgrades and compressions by their type",
      objects: [
        traffic("g1", "Gateway/g", { httpUpgrade: [{ type: "websocket" }, { type: "spdy/3.1" }] }),
        traffic("r1", "HTTPRoute/r", { ...strategic, httpUpgrade: [{ type: "websocket", connect: {} }] }, 1),
      ],
      effective: {
        [ONE]: { httpUpgrade: { websocket: { type: "websocket", connect: {} }, "spdy/3.1": { type: "spdy/3.1" } } },
      },
      outcomes: { r1: "Enforced" },
    },
    {
      what: "StrategicMerge adds the rate limit rules of the route to those of the Gateway",
      objects: [
        traffic("g1", "Gateway/g", { rateLimit: { type: "Global", global: { rules: [limit(100)] } } }),
        traffic("r1", "HTTPRoute/r", { ...strategic, rateLimit: { type: "Global", global: { rules: [limit(5)] } } }, 1),
      ],
      effective: {
        [ONE]: {
          rateLimit: { type: "Global", global: { rules: { "default/r1[0]": limit(5), "default/g1[0]": limit(100) } } },
        },
      },
      outcomes: { r1: "Enforced" },
    },
    {
      what: "without mergeType the rate limit rules of the Gateway are replaced",
      objects: [
        traffic("g1", "Gateway/g", { rateLimit: { global: { rules: [limit(100)] } } }),
        traffic("r1", "HTTPRoute/r", { rateLimit: { global: { rules: [limit(5)] } } }, 1),
      ],
      effective: { [ONE]: { rateLimit: { global: { rules: { "default/r1[0]": limit(5) } } } } },
      outcomes: { g1: "PartiallyEnforced by r1", r1: "Enforced" },
    },
    {
      what: "SecurityPolicy: StrategicMerge merges context extensions by name",
      objects: [
        security("house", "Gateway/g", { extAuth: { contextExtensions: [{ name: "a" }, { name: "b", value: "1" }] } }),
        security(
          "own",
          "HTTPRoute/r",
          { ...strategic, extAuth: { contextExtensions: [{ name: "b", value: "2" }] } },
          1,
        ),
      ],
      effective: {
        [ONE]: { extAuth: { contextExtensions: { b: { name: "b", value: "2" }, a: { name: "a" } } } },
      },
      outcomes: { house: "PartiallyEnforced by own", own: "Enforced" },
    },
    {
      what: "the closest policy is the listener's; the Gateway's is not merged in",
      objects: [
        traffic("g1", "Gateway/g", { ...timeout("1s"), useClientProtocol: true }),
        traffic("l1", "Gateway/g#a", timeout("2s"), 1),
        traffic("r1", "HTTPRoute/r", { ...strategic, ...retry(2) }, 2),
      ],
      effective: { [ONE]: { ...retry(2), ...timeout("2s") } },
      outcomes: { g1: "PartiallyEnforced by l1, r1", r1: "Enforced" },
    },
    {
      what: "behind a ListenerSet the closest is its listener's, then its own, then the Gateway's",
      objects: [
        traffic("g1", "Gateway/g", { useClientProtocol: true }),
        traffic("ls1", "ListenerSet/ls", timeout("3s"), 1),
        traffic("x1", "HTTPRoute/on-x", { ...strategic, ...retry(2) }, 2),
      ],
      effective: { [X]: { ...retry(2), ...timeout("3s") } },
      outcomes: { g1: "PartiallyEnforced by x1", ls1: "Enforced", x1: "Enforced" },
    },
    {
      what: "behind a ListenerSet without policies it is the Gateway's, and never that of a listener of the Gateway",
      objects: [
        traffic("g1", "Gateway/g", timeout("1s")),
        traffic("l1", "Gateway/g#a", { useClientProtocol: true }, 1),
        traffic("x1", "HTTPRoute/on-x", { ...strategic, ...retry(2) }, 2),
      ],
      effective: { [X]: { ...retry(2), ...timeout("1s") } },
      outcomes: { g1: "PartiallyEnforced by l1", l1: "Enforced", x1: "Enforced" },
    },
    {
      what: "a rule's policy is merged with the Gateway's, and never with its route's",
      objects: [
        traffic("g1", "Gateway/g", timeout("1s")),
        traffic("r1", "HTTPRoute/r", { ...strategic, useClientProtocol: true }, 1),
        traffic("rule", ["HTTPRoute/r#one"], { ...strategic, ...retry(2) }, 2),
      ],
      effective: { [ONE]: { ...retry(2), ...timeout("1s") }, [TWO]: { useClientProtocol: true, ...timeout("1s") } },
      outcomes: { r1: "PartiallyEnforced by rule", rule: "Enforced", g1: "Enforced" },
    },
    {
      what: "a rule's policy without mergeType takes effect alone, below a route's that merges",
      objects: [
        traffic("g1", "Gateway/g", timeout("1s")),
        traffic("r1", "HTTPRoute/r", { ...strategic, useClientProtocol: true }, 1),
        traffic("rule", ["HTTPRoute/r#one"], retry(2), 2),
      ],
      effective: { [ONE]: retry(2), [TWO]: { useClientProtocol: true, ...timeout("1s") } },
      outcomes: { g1: "PartiallyEnforced by rule", r1: "PartiallyEnforced by rule", rule: "Enforced" },
    },
    {
      what: "a policy with mergeType that has no policy above it takes effect as it is",
      objects: [traffic("r1", "HTTPRoute/r", { ...strategic, ...retry(2) })],
      effective: { [ONE]: retry(2) },
      outcomes: { r1: "Enforced" },
    },
    {
      what: "a policy with mergeType that sets nothing lets everything of the closest policy through",
      objects: [traffic("g1", "Gateway/g", retry(1)), traffic("r1", "HTTPRoute/r", strategic, 1)],
      effective: { [ONE]: retry(1) },
      outcomes: { g1: "Enforced" },
    },
    {
      what: "a listener's policy never merges with the Gateway's",
      objects: [traffic("g1", "Gateway/g", timeout("1s")), traffic("l1", "Gateway/g#a", retry(2), 1)],
      effective: { [ONE]: retry(2) },
      outcomes: { g1: "PartiallyEnforced by l1", l1: "Enforced" },
    },
    {
      what: "a route on two listeners is merged with a policy for each of them",
      objects: [
        traffic("l1", "Gateway/g#a", timeout("1s")),
        traffic("l2", "Gateway/g#b", timeout("2s")),
        traffic("r1", "HTTPRoute/on-both", { ...strategic, ...retry(2) }, 1),
      ],
      effective: {
        "Gateway/g#a > HTTPRoute/on-both#only": { ...retry(2), ...timeout("1s") },
        "Gateway/g#b > HTTPRoute/on-both#only": { ...retry(2), ...timeout("2s") },
      },
      outcomes: { r1: "Enforced" },
    },
    {
      what: "of two policies on one route the oldest is merged, and the other is Conflicted",
      objects: [
        traffic("g1", "Gateway/g", timeout("1s")),
        traffic("old", "HTTPRoute/r", { ...strategic, ...retry(1) }, 1),
        traffic("new", "HTTPRoute/r", { ...strategic, ...retry(2) }, 2),
      ],
      effective: { [ONE]: { ...retry(1), ...timeout("1s") } },
      outcomes: { old: "Enforced", new: "Conflicted by old" },
      conditions: { new: ["HTTPRoute/r: Accepted=False/Conflicted"] },
    },
    {
      what: "a mergeType that Envoy Gateway does not have makes the policy invalid",
      objects: [traffic("r1", "HTTPRoute/r", { mergeType: "Replace", ...retry(1) })],
      outcomes: { r1: "Invalid" },
    },
    {
      what: "SecurityPolicy: a route adds CORS to the Gateway's JWT",
      objects: [
        security("house", "Gateway/g", { jwt: { providers: [{ name: "house" }] } }),
        security("cors", "HTTPRoute/r", { ...strategic, cors: { allowOrigins: ["*"] } }, 1),
      ],
      effective: { [ONE]: { jwt: { providers: [{ name: "house" }] }, cors: { allowOrigins: ["*"] } } },
      outcomes: { house: "Enforced", cors: "Enforced" },
    },
    {
      what: "EnvoyExtensionPolicy: the list of filters of a kind is one value",
      objects: [
        extension("house", "Gateway/g", { lua: [{ type: "Inline", inline: "a" }], wasm: [{ name: "w" }] }),
        extension("own", "HTTPRoute/r", { ...strategic, lua: [{ type: "Inline", inline: "b" }] }, 1),
      ],
      effective: { [ONE]: { lua: [{ type: "Inline", inline: "b" }], wasm: [{ name: "w" }] } },
      outcomes: { house: "PartiallyEnforced by own" },
    },
  ]);
});

describe("EnvoyProxy: mergeType of the Gateway's", () => {
  const parameters = (name: string) => ({ group: GROUP, kind: "EnvoyProxy", name, namespace: "default" });
  const proxied = (spec: JsonObject, house: JsonObject = {}): readonly JsonObject[] => [
    {
      apiVersion: "gateway.networking.k8s.io/v1",
      kind: "GatewayClass",
      metadata: { name: "class" },
      spec: { controllerName: CONTROLLER, parametersRef: parameters("house") },
    },
    {
      apiVersion: "gateway.networking.k8s.io/v1",
      kind: "Gateway",
      metadata: { name: "g", namespace: "default" },
      spec: {
        gatewayClassName: "class",
        listeners: [{ name: "http", port: 80, protocol: "HTTP" }],
        infrastructure: { parametersRef: { group: GROUP, kind: "EnvoyProxy", name: "own" } },
      },
    },
    proxy("house", { logging: { level: { default: "warn" } }, concurrency: 2, ...house }),
    proxy("own", spec),
  ];
  const env = (...names: readonly string[]): JsonObject => ({
    provider: {
      kubernetes: { envoyDeployment: { container: { env: names.map((name) => ({ name, value: name })) } } },
    },
  });
  vendorCases(
    [],
    [
      {
        what: "with Replace, as without it, the Gateway's takes effect alone",
        objects: proxied({ mergeType: "Replace", concurrency: 4 }),
        effective: { "Gateway/g": { concurrency: 4 } },
        outcomes: { house: "Overridden by own", own: "Enforced" },
      },
      {
        what: "with StrategicMerge its fields replace those of the GatewayClass one by one",
        objects: proxied({ ...strategic, concurrency: 4 }),
        effective: { "Gateway/g": { concurrency: 4, logging: { level: { default: "warn" } } } },
        outcomes: { house: "PartiallyEnforced by own", own: "Enforced" },
      },
      {
        what: "StrategicMerge merges environment variables by name",
        objects: proxied({ ...strategic, ...env("B", "C") }, { logging: {}, ...env("A", "B") }),
        effective: {
          "Gateway/g": {
            concurrency: 2,
            logging: {},
            provider: {
              kubernetes: {
                envoyDeployment: {
                  container: {
                    env: {
                      B: { name: "B", value: "B" },
                      C: { name: "C", value: "C" },
                      A: { name: "A", value: "A" },
                    },
                  },
                },
              },
            },
          },
        },
        outcomes: { own: "Enforced" },
      },
      {
        what: "JSONMerge replaces the environment variables",
        objects: proxied({ mergeType: "JSONMerge", ...env("B") }, env("A")),
        effective: {
          "Gateway/g": { concurrency: 2, logging: { level: { default: "warn" } }, ...env("B") },
        },
        outcomes: { house: "PartiallyEnforced by own", own: "Enforced" },
      },
    ],
  );
});

function proxy(name: string, spec: JsonObject): JsonObject {
  return { apiVersion: `${GROUP}/v1alpha1`, kind: "EnvoyProxy", metadata: { name, namespace: "default" }, spec };
}

describe("what is approximate", () => {
  const codes = (spec: JsonObject) => {
    const { evaluation } = vendorCluster([...shared, security("r1", "HTTPRoute/r", spec), tcp]);
    return caveatsFor(evaluation, { about: "Input" }).map(({ code }) => code);
  };
  const tcp = security("tcp", "TCPRoute/absent", { authorization: {} });

  test("a SecurityPolicy on a TCPRoute with mergeType: Envoy Gateway judges what comes of the merge, and a caveat says so", () => {
    expect(codes({ ...json, jwt: { providers: [] } })).toEqual([]);
    const merged = { ...tcp, spec: { ...(tcp["spec"] as JsonObject), ...strategic } };
    const { evaluation } = vendorCluster([...shared, merged]);
    expect(caveatsFor(evaluation, { about: "Input" }).map(({ code }) => code)).toEqual(["ApproximateDefinition"]);
  });
});

statedCases("envoy-gateway");
