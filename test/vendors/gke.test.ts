import { describe, expect, test } from "vitest";
import { caveatsFor, type JsonObject } from "../../src/index.ts";
import { gateway, gatewayClass, policy, route, routeTo, service } from "../support/cluster/gateway-objects.ts";
import { directCluster, directKindCases } from "./direct-kind-cases.ts";
import { namedCases } from "./named-kind-cases.ts";
import { statedCases, vendorCases, vendorCluster } from "./vendor-cases.ts";

const group = "networking.gke.io";
const shared = directCluster("networking.gke.io/gateway");

describe("GKE: kinds on Services and Gateways, with settings below spec.default", () => {
  vendorCases(shared, [
    ...directKindCases({
      group,
      kind: "GCPBackendPolicy",
      target: "Service/s",
      wrong: "HTTPRoute/r",
      spec: { default: { timeoutSec: 40 } },
      other: { default: { timeoutSec: 50, logging: { enabled: true } } },
    }),
    ...directKindCases({
      group,
      kind: "HealthCheckPolicy",
      target: "Service/s",
      wrong: "Gateway/g",
      spec: { default: { checkIntervalSec: 5 } },
      other: { default: { checkIntervalSec: 9 } },
    }),
    ...directKindCases({
      group,
      kind: "GCPSessionAffinityPolicy",
      target: "Service/s",
      wrong: "Gateway/g",
      spec: { statefulGeneratedCookie: { cookieTtlSeconds: 50 } },
      other: { statefulGeneratedCookie: { cookieTtlSeconds: 60 } },
    }),
    ...directKindCases({
      group,
      kind: "GCPGatewayPolicy",
      target: "Gateway/g",
      wrong: "Service/s",
      spec: { default: { sslPolicy: "strict" } },
      other: { default: { allowGlobalAccess: true } },
    }),
    ...directKindCases({
      group,
      kind: "GCPTrafficDistributionPolicy",
      target: "Service/s",
      wrong: "Gateway/g",
      spec: { default: { localityLbAlgorithm: "LEAST_REQUEST" } },
      other: { default: { localityLbAlgorithm: "RANDOM" } },
    }),
    {
      what: "default is no block of defaults: it is part of the settings",
      objects: [policy("GCPBackendPolicy", "p", "Service/s", { default: { a: 1 } }, { group })],
      effective: { "Service/s": { default: { a: 1 } } },
      outcomes: { p: "Enforced" },
    },
    {
      what: "a policy of each kind on one Service: they do not meet",
      objects: [
        policy("GCPBackendPolicy", "backend", "Service/s", { default: { a: 1 } }, { group }),
        policy("HealthCheckPolicy", "health", "Service/s", { default: { b: 1 } }, { group }),
      ],
      outcomes: { backend: "Enforced", health: "Enforced" },
    },
    {
      what: "one target only: a list of two is refused",
      objects: [policy("GCPBackendPolicy", "p", ["Service/s", "Service/t"], { default: {} }, { group }), service("t")],
      outcomes: { p: "Invalid" },
    },
  ]);

  test("behind a Gateway of another controller a GCPBackendPolicy takes no effect", () => {
    const objects = [
      gatewayClass("class", "example.com/other"),
      gateway("g"),
      routeTo("r", "Gateway/g", "s"),
      service("s"),
    ];
    const { outcome } = vendorCluster([
      ...objects,
      policy("GCPBackendPolicy", "p", "Service/s", { default: {} }, { group }),
    ]);
    expect(outcome("p")).toBe("NoPath");
  });
});

describe("filters of rules", () => {
  vendorCases(
    [],
    namedCases({ group, kind: "GCPSessionAffinityFilter", controller: "networking.gke.io/gateway", by: "Filter" }),
  );

  test("which of several takes effect is not known: a caveat says so", () => {
    const kind = "GCPSessionAffinityFilter";
    const filter = { type: "ExtensionRef", extensionRef: { group, kind, name: "a" } };
    const { evaluation } = vendorCluster([
      gatewayClass("class", "networking.gke.io/gateway"),
      gateway("g"),
      route("r", "Gateway/g", { rules: [{ name: "only", fields: { filters: [filter] } }] }),
      { apiVersion: `${group}/v1`, kind, metadata: { name: "a", namespace: "default" }, spec: {} },
    ]);
    expect(caveatsFor(evaluation, { about: "Input" })).toContainEqual(
      expect.objectContaining({
        code: "ApproximateDefinition",
        message: expect.stringContaining("which of several filters of one rule takes effect is not documented by GKE"),
      }),
    );
  });
});

describe("GKE: extensions of a Gateway", () => {
  const chain = (name: string): JsonObject => ({ extensionChains: [{ name }] });
  vendorCases(shared, [
    ...["GCPTrafficExtension", "GCPRoutingExtension"].flatMap((kind) =>
      directKindCases({
        group,
        kind,
        target: "Gateway/g",
        wrong: "Service/s",
        spec: chain("a"),
        other: chain("b"),
        ancestor: "Gateway/g",
      }),
    ),
    {
      what: "one extension of each kind on one Gateway: they do not meet",
      objects: [
        policy("GCPTrafficExtension", "traffic", ["Gateway/g"], chain("a"), { group }),
        policy("GCPRoutingExtension", "routing", ["Gateway/g"], chain("b"), { group }),
      ],
      kind: "GCPRoutingExtension",
      effective: { "Gateway/g": chain("b") },
      outcomes: { traffic: "Enforced", routing: "Enforced" },
    },
  ]);
});

describe("GKE: a GCPClientTLSPolicy of a Namespace, a Service or a port of it", () => {
  const tls = (name: string, on: string | JsonObject, tlsMode: string, created = 0) =>
    policy("GCPClientTLSPolicy", name, [on], { tlsMode }, { group, created });
  const onNamespace = { group: "", kind: "Namespace", name: "default" };
  const mesh = [service("s", { ports: { http: 80, admin: 81 } }), service("t")];
  vendorCases(mesh, [
    {
      what: "that of the Namespace takes effect on all its Services",
      objects: [tls("n", onNamespace, "MutualTLS")],
      effective: { "Service/s#http": { tlsMode: "MutualTLS" }, "Service/t#http": { tlsMode: "MutualTLS" } },
      outcomes: { n: "Enforced" },
    },
    {
      what: "that of a Service replaces that of the Namespace",
      objects: [tls("n", onNamespace, "MutualTLS"), tls("s", "Service/s", "Disable", 1)],
      effective: { "Service/s#http": { tlsMode: "Disable" }, "Service/t#http": { tlsMode: "MutualTLS" } },
      outcomes: { n: "PartiallyEnforced by s", s: "Enforced" },
    },
    {
      what: "that of a port replaces that of the Service",
      objects: [tls("s", "Service/s", "Disable"), tls("p", "Service/s#admin", "MutualTLS", 1)],
      effective: { "Service/s#http": { tlsMode: "Disable" }, "Service/s#admin": { tlsMode: "MutualTLS" } },
      outcomes: { s: "PartiallyEnforced by p", p: "Enforced" },
    },
    {
      what: "a Gateway is no target of a GCPClientTLSPolicy",
      objects: [tls("p", "Gateway/g", "Disable")],
      effective: { "Service/s#http": {} },
      outcomes: { p: "TargetNotFound" },
    },
  ]);
});

describe("GKE: policies that select Pods", () => {
  const pod = (name: string, app: string): JsonObject => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "default", labels: { app } },
    spec: { containers: [{ name: "main", image: "till" }] },
  });
  const made = (kind: string, name: string, app: string, spec: JsonObject): JsonObject => ({
    apiVersion: `${group}/v1`,
    kind,
    metadata: { name, namespace: "default" },
    spec: { targetRefs: [{ group: "", kind: "Pod", selector: { matchLabels: { app } } }], ...spec },
  });
  const allow = (action: string): JsonObject => ({ action, rules: [{}] });
  vendorCases(
    [pod("till", "till"), pod("menu", "menu")],
    [
      {
        what: "a GCPServerTLSPolicy takes effect on the Pods that it selects",
        objects: [made("GCPServerTLSPolicy", "p", "till", { mtlsMode: "Strict" })],
        effective: { "Pod/till": { mtlsMode: "Strict" }, "Pod/menu": {} },
        outcomes: { p: "Enforced" },
      },
      {
        what: "GCPAuthzPolicies of one Pod all take effect, those that deny first",
        objects: [
          made("GCPAuthzPolicy", "a", "till", allow("ALLOW")),
          made("GCPAuthzPolicy", "z", "till", allow("DENY")),
        ],
        effective: { "Pod/till": { "default/a": allow("ALLOW"), "default/z": allow("DENY") }, "Pod/menu": {} },
        outcomes: { a: "Enforced", z: "Enforced" },
      },
      {
        what: "a GCPAuthzPolicy of a Gateway",
        objects: [...shared, policy("GCPAuthzPolicy", "g1", ["Gateway/g"], allow("DENY"), { group })],
        effective: { "Gateway/g": { "default/g1": allow("DENY") }, "Pod/till": {} },
        outcomes: { g1: "Enforced" },
      },
    ],
  );
});

statedCases("gke");
