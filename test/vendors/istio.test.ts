import { describe, expect, test } from "vitest";
import { caveatsFor, check, type JsonObject } from "../../src/index.ts";
import { gateway, gatewayClass, policy, route, service } from "../support/cluster/gateway-objects.ts";
import { statedCases, vendorCases, vendorCluster } from "./vendor-cases.ts";

interface Made {
  readonly namespace?: string;
  readonly created?: number;
}

/** A policy with a target, or without one (`on` is empty). */
const made =
  (group: string, kind: string) =>
  (name: string, on: string, spec: JsonObject, { namespace = "shop", created = 0 }: Made = {}): JsonObject => {
    const one = policy(kind, name, on === "" ? [] : [on], spec, { group, namespace, created });
    return on === "" ? { ...one, spec } : one;
  };
const authorization = made("security.istio.io", "AuthorizationPolicy");
const tokens = made("security.istio.io", "RequestAuthentication");
const peers = made("security.istio.io", "PeerAuthentication");
const telemetry = made("telemetry.istio.io", "Telemetry");
const plugin = made("extensions.istio.io", "WasmPlugin");
const envoyFilter = made("networking.istio.io", "EnvoyFilter");
const proxyConfig = made("networking.istio.io", "ProxyConfig");
const mesh = { namespace: "istio-system" };

/** Two namespaces with a Gateway and a Service each; Istio's waypoint in shop. */
const shared = [
  gatewayClass("class", "istio.io/gateway-controller"),
  gatewayClass("istio-waypoint", "istio.io/mesh-controller"),
  gateway("g", { namespace: "shop" }),
  gateway("waypoint", { namespace: "shop", class: "istio-waypoint" }),
  gateway("g", { namespace: "bakery" }),
  route("r", "Gateway/g", { namespace: "shop", rules: [{ name: "only", backends: ["till"] }] }),
  service("till", { namespace: "shop" }),
  service("oven", { namespace: "bakery" }),
];
const G = "Gateway/shop/g";
const OTHER = "Gateway/bakery/g";
const TILL = "Service/shop/till";
const OVEN = "Service/bakery/oven";
const paths = (one: string) => ({ rules: [{ to: [{ operation: { paths: [one] } }] }] });
const entry = (name: string, spec: JsonObject) => ({ [name]: spec });

describe("Istio: AuthorizationPolicies add up", () => {
  const deny = { action: "DENY", ...paths("/admin") };
  const allow = paths("/");
  vendorCases(shared, [
    {
      what: "a policy on a Gateway takes effect on that Gateway",
      objects: [authorization("p", "Gateway/g", allow)],
      effective: { [G]: entry("shop/p", allow), [OTHER]: {}, [TILL]: {} },
      outcomes: { "shop/p": "Enforced" },
      conditions: { "shop/p": ["Accepted=True/Accepted Enforced=True/Enforced"] },
    },
    {
      what: "a policy without a target takes effect in its namespace",
      objects: [authorization("p", "", allow)],
      effective: { [G]: entry("shop/p", allow), [TILL]: entry("shop/p", allow), [OVEN]: {}, [OTHER]: {} },
      outcomes: { "shop/p": "Enforced" },
    },
    {
      what: "in the root namespace it takes effect in the whole mesh",
      objects: [authorization("p", "", deny, mesh)],
      effective: { [G]: entry("istio-system/p", deny), [OVEN]: entry("istio-system/p", deny) },
      outcomes: { "istio-system/p": "Enforced" },
    },
    {
      what: "the policies of mesh, namespace and Gateway all take effect",
      objects: [
        authorization("m", "", deny, mesh),
        authorization("n", "", allow),
        authorization("p", "Gateway/g", allow),
      ],
      effective: {
        [G]: { ...entry("istio-system/m", deny), ...entry("shop/n", allow), ...entry("shop/p", allow) },
        [TILL]: { ...entry("istio-system/m", deny), ...entry("shop/n", allow) },
      },
      outcomes: { "istio-system/m": "Enforced", "shop/n": "Enforced", "shop/p": "Enforced" },
    },
    {
      what: "two policies on one Gateway are no conflict",
      objects: [authorization("a", "Gateway/g", allow), authorization("b", "Gateway/g", deny, { created: 1 })],
      effective: { [G]: { ...entry("shop/a", allow), ...entry("shop/b", deny) } },
      outcomes: { "shop/a": "Enforced", "shop/b": "Enforced" },
      findings: { a: [], b: [] },
    },
    {
      what: "a policy that sets nothing is one of them: it allows nothing",
      objects: [authorization("none", "", {})],
      effective: { [G]: entry("shop/none", {}) },
      outcomes: { "shop/none": "Enforced" },
    },
    {
      what: "a policy on a Service",
      objects: [authorization("p", "Service/till", allow)],
      effective: { [TILL]: entry("shop/p", allow), [G]: {} },
      outcomes: { "shop/p": "Enforced" },
    },
    {
      what: "a policy on a ServiceEntry",
      objects: [
        {
          apiVersion: "networking.istio.io/v1",
          kind: "ServiceEntry",
          metadata: { name: "outside", namespace: "shop" },
          spec: { hosts: ["example.com"] },
        },
        policy(
          "AuthorizationPolicy",
          "p",
          [{ group: "networking.istio.io", kind: "ServiceEntry", name: "outside" }],
          allow,
          { group: "security.istio.io", namespace: "shop", created: 0 },
        ),
      ],
      effective: { "ServiceEntry/shop/outside": entry("shop/p", allow) },
      outcomes: { "shop/p": "Enforced" },
    },
    {
      what: "a policy on a waypoint takes effect there: its controller is Istio's, too",
      objects: [authorization("p", "Gateway/waypoint", allow)],
      effective: { "Gateway/shop/waypoint": entry("shop/p", allow), [G]: {} },
      outcomes: { "shop/p": "Enforced" },
    },
    {
      what: "a Gateway in another namespace is out of reach",
      objects: [authorization("p", "Gateway/bakery/g", allow)],
      effective: { [OTHER]: {} },
      outcomes: { "shop/p": "TargetNotFound" },
    },
    {
      what: "an HTTPRoute is no target",
      objects: [authorization("p", "HTTPRoute/r", allow)],
      outcomes: { "shop/p": "TargetNotFound" },
    },
    {
      what: "a target that does not exist",
      objects: [authorization("p", "Gateway/nowhere", allow)],
      outcomes: { "shop/p": "TargetNotFound" },
    },
    {
      what: "the field targetRef of older versions is read, too",
      objects: [
        policy("AuthorizationPolicy", "p", "Gateway/g", allow, { group: "security.istio.io", namespace: "shop" }),
      ],
      effective: { [G]: entry("shop/p", allow) },
      outcomes: { "shop/p": "Enforced" },
    },
    {
      what: "behind a Gateway of another controller it takes no effect",
      objects: [
        gatewayClass("nginx", "gateway.nginx.org/nginx-gateway-controller"),
        gateway("n", { class: "nginx", namespace: "shop" }),
        authorization("p", "Gateway/n", allow),
      ],
      effective: { "Gateway/shop/n": {} },
      outcomes: { "shop/p": "NoPath" },
      findings: { p: ["NoController"] },
    },
  ]);

  test("CUSTOM is evaluated before DENY, and DENY before ALLOW, whatever their age is", () => {
    const { effectiveAt } = vendorCluster([
      ...shared,
      authorization("a-allow", "Gateway/g", allow),
      authorization("b-deny", "Gateway/g", deny, { created: 1 }),
      authorization("c-custom", "Gateway/g", { action: "CUSTOM", provider: { name: "x" } }, { created: 2 }),
    ]);
    expect(effectiveAt(G).order?.map(({ policy: id }) => id.split("/").pop())).toEqual([
      "c-custom",
      "b-deny",
      "a-allow",
    ]);
  });

  test("check never advises to delete one of two", () => {
    const { evaluation } = vendorCluster([
      ...shared,
      authorization("a", "Gateway/g", allow),
      authorization("b", "Gateway/g", allow, { created: 1 }),
    ]);
    expect(check(evaluation).filter(({ message }) => /delete|Conflicted/.test(message))).toEqual([]);
  });
});

describe("Istio: RequestAuthentications add up", () => {
  const rule = (issuer: string) => ({ jwtRules: [{ issuer }] });
  vendorCases(shared, [
    {
      what: "the tokens of mesh and Gateway are both accepted",
      objects: [tokens("m", "", rule("house"), mesh), tokens("p", "Gateway/g", rule("own"))],
      effective: { [G]: { ...entry("istio-system/m", rule("house")), ...entry("shop/p", rule("own")) } },
      outcomes: { "istio-system/m": "Enforced", "shop/p": "Enforced" },
    },
    {
      what: "a RequestAuthentication never meets an AuthorizationPolicy",
      objects: [tokens("p", "Gateway/g", rule("own")), authorization("a", "Gateway/g", {})],
      kind: "RequestAuthentication",
      effective: { [G]: entry("shop/p", rule("own")) },
      outcomes: { "shop/p": "Enforced", "shop/a": "Enforced" },
    },
  ]);
});

describe("Istio: PeerAuthentication, the most specific mode", () => {
  const mode = (one: string) => ({ mtls: { mode: one } });
  vendorCases(shared, [
    {
      what: "the mesh's mode",
      objects: [peers("m", "", mode("STRICT"), mesh)],
      effective: { [TILL]: mode("STRICT"), [OVEN]: mode("STRICT") },
      outcomes: { "istio-system/m": "Enforced" },
    },
    {
      what: "a namespace's mode replaces the mesh's",
      objects: [peers("m", "", mode("STRICT"), mesh), peers("n", "", mode("PERMISSIVE"))],
      effective: { [TILL]: mode("PERMISSIVE"), [OVEN]: mode("STRICT") },
      outcomes: { "istio-system/m": "PartiallyEnforced by shop/n", "shop/n": "Enforced" },
    },
    {
      what: "of two in one namespace the oldest is used",
      objects: [peers("new", "", mode("DISABLE"), { created: 1 }), peers("old", "", mode("STRICT"))],
      effective: { [TILL]: mode("STRICT") },
      outcomes: { "shop/old": "Enforced", "shop/new": "Conflicted by shop/old" },
    },
    {
      what: "of two of the mesh the oldest is used",
      objects: [peers("new", "", mode("DISABLE"), { ...mesh, created: 1 }), peers("old", "", mode("STRICT"), mesh)],
      effective: { [OVEN]: mode("STRICT") },
      outcomes: { "istio-system/new": "Conflicted by istio-system/old", "istio-system/old": "Enforced" },
    },
  ]);
});

describe("Istio: Telemetry, WasmPlugin, EnvoyFilter, ProxyConfig", () => {
  const sampling = (percentage: number) => ({ tracing: [{ randomSamplingPercentage: percentage }] });
  vendorCases(shared, [
    {
      what: "Telemetries of mesh, namespace and Gateway are all listed",
      objects: [
        telemetry("m", "", sampling(1), mesh),
        telemetry("n", "", sampling(2)),
        telemetry("p", "Gateway/g", sampling(3)),
      ],
      effective: {
        [G]: {
          ...entry("istio-system/m", sampling(1)),
          ...entry("shop/n", sampling(2)),
          ...entry("shop/p", sampling(3)),
        },
        [OTHER]: entry("istio-system/m", sampling(1)),
      },
      outcomes: { "istio-system/m": "Enforced", "shop/n": "Enforced", "shop/p": "Enforced" },
    },
    {
      what: "WasmPlugins of mesh and Gateway both take effect",
      objects: [plugin("m", "", { url: "a" }, mesh), plugin("p", "Gateway/g", { url: "b" })],
      effective: { [G]: { ...entry("istio-system/m", { url: "a" }), ...entry("shop/p", { url: "b" }) } },
      outcomes: { "istio-system/m": "Enforced", "shop/p": "Enforced" },
    },
    {
      what: "EnvoyFilters of a namespace take effect on its Gateways",
      objects: [envoyFilter("p", "", { configPatches: [] })],
      effective: { [G]: entry("shop/p", { configPatches: [] }), [OTHER]: {} },
      outcomes: { "shop/p": "Enforced" },
    },
    {
      what: "ProxyConfig: a namespace's fields replace the mesh's one by one",
      objects: [
        proxyConfig("m", "", { concurrency: 1, image: { imageType: "debug" } }, mesh),
        proxyConfig("n", "", { concurrency: 2 }),
      ],
      effective: {
        [G]: { concurrency: 2, image: { imageType: "debug" } },
        [OTHER]: { concurrency: 1, image: { imageType: "debug" } },
      },
      outcomes: { "istio-system/m": "PartiallyEnforced by shop/n" },
    },
  ]);

  test("WasmPlugins are in the order of phase and priority", () => {
    const { effectiveAt } = vendorCluster([
      ...shared,
      plugin("late", "Gateway/g", { url: "a" }),
      plugin("stats", "Gateway/g", { url: "b", phase: "STATS", priority: 9 }),
      plugin("second", "Gateway/g", { url: "c", phase: "AUTHN", priority: 1 }),
      plugin("first", "Gateway/g", { url: "d", phase: "AUTHN", priority: 10 }),
    ]);
    expect(effectiveAt(G).order?.map(({ policy: id }) => id.split("/").pop())).toEqual([
      "first",
      "second",
      "stats",
      "late",
    ]);
  });
});

describe("Istio: policies that select workloads", () => {
  const workload = (kind: string, name: string, app: string, namespace = "shop"): JsonObject => ({
    apiVersion: "apps/v1",
    kind,
    metadata: { name, namespace },
    spec: { template: { metadata: { labels: { app } } } },
  });
  const selecting = (app: string): JsonObject => ({ selector: { matchLabels: { app } } });
  const strict = { mtls: { mode: "STRICT" } };
  const permissive = { mtls: { mode: "PERMISSIVE" } };
  const deployments = [workload("Deployment", "till", "till"), workload("StatefulSet", "stock", "stock")];
  const oven = workload("Deployment", "oven", "till", "bakery");
  vendorCases(
    [...shared, ...deployments, oven],
    [
      {
        what: "it takes effect on the workloads of its namespace with the labels",
        objects: [authorization("p", "", { ...selecting("till"), ...paths("/") })],
        effective: {
          "Deployment/shop/till": entry("shop/p", paths("/")),
          "StatefulSet/shop/stock": {},
          "Deployment/bakery/oven": {},
        },
        outcomes: { "shop/p": "Enforced" },
      },
      {
        what: "from the root namespace it takes effect on workloads of all namespaces",
        objects: [authorization("p", "", { ...selecting("till"), ...paths("/") }, mesh)],
        effective: {
          "Deployment/shop/till": entry("istio-system/p", paths("/")),
          "Deployment/bakery/oven": entry("istio-system/p", paths("/")),
        },
        outcomes: { "istio-system/p": "Enforced" },
      },
      {
        what: "PeerAuthentication: the workload's mode, then the namespace's, then the mesh's",
        objects: [
          peers("m", "", { mtls: { mode: "DISABLE" } }, mesh),
          peers("n", "", strict),
          peers("w", "", { ...selecting("till"), ...permissive }),
        ],
        effective: {
          "Deployment/shop/till": permissive,
          "StatefulSet/shop/stock": strict,
          "Deployment/bakery/oven": { mtls: { mode: "DISABLE" } },
        },
        outcomes: { "shop/w": "Enforced", "shop/n": "PartiallyEnforced by shop/w" },
      },
      {
        what: "a Gateway is a workload with its name as a label",
        objects: [
          authorization("p", "", {
            selector: { matchLabels: { "gateway.networking.k8s.io/gateway-name": "g" } },
            ...paths("/"),
          }),
        ],
        effective: { [G]: entry("shop/p", paths("/")), [OTHER]: {} },
        outcomes: { "shop/p": "Enforced" },
      },
      {
        what: "the labels of an EnvoyFilter are in its workloadSelector",
        objects: [envoyFilter("p", "", { workloadSelector: { labels: { app: "stock" } }, configPatches: [] })],
        effective: { "StatefulSet/shop/stock": entry("shop/p", { configPatches: [] }), "Deployment/shop/till": {} },
        outcomes: { "shop/p": "Enforced" },
      },
    ],
  );
});

describe("Istio: what is not known is reported", () => {
  const messages = (...objects: readonly JsonObject[]) =>
    caveatsFor(vendorCluster([...shared, ...objects]).evaluation, { about: "Input" }).map(({ message }) => message);

  test("a GatewayClass as target is approximate", () => {
    const target = { group: "gateway.networking.k8s.io", kind: "GatewayClass", name: "istio-waypoint" };
    const one = policy("AuthorizationPolicy", "p", [target], {}, { group: "security.istio.io", ...mesh });
    expect(messages(one).join()).toContain("Istio takes istio-waypoint as all waypoints");
  });

  test("UNSET takes the mode from above in Istio", () => {
    expect(messages(peers("p", "", { mtls: { mode: "UNSET" } })).join()).toContain("UNSET takes the mode from above");
    expect(messages(peers("p", "", { mtls: { mode: "STRICT" } })).join()).not.toContain("UNSET");
  });
});

statedCases("istio");
