/** Objects of the cluster that the chart is installed in. */
import type { JsonObject } from "../../src/core/model/json.ts";
import { anySpec, customResourceDefinition, pluralOf } from "../support/crd/custom-resource.ts";

const crd = (group: string, kind: string, version: string, spec: JsonObject): JsonObject =>
  customResourceDefinition({
    group,
    kind,
    plural: pluralOf(kind),
    version,
    spec,
    status: anySpec,
    hasSubresource: true,
  });

const targets = { targetRef: { ...anySpec } };

/** Policy kinds of a vendor, and the kinds of the Prometheus operator and of cert-manager that the chart can render, with no schema to speak of. */
export const foreignCrds: readonly JsonObject[] = [
  ...["AuthPolicy", "LimitPolicy"].map((kind) =>
    crd("policies.example.com", kind, "v1", { ...anySpec, properties: targets }),
  ),
  ...["ServiceMonitor", "PrometheusRule"].map((kind) => crd("monitoring.coreos.com", kind, "v1", anySpec)),
  ...["Issuer", "Certificate"].map((kind) => crd("cert-manager.io", kind, "v1", anySpec)),
  // Its status has no conditions.
  crd("kitchen.example.com", "Oven", "v1", anySpec),
];

const GATEWAY_API = "gateway.networking.k8s.io";
const inBakery = (name: string) => ({ name, namespace: "bakery" });
const toProd = { parentRefs: [{ name: "prod" }] };
const toOven = { backendRefs: [{ name: "oven", port: 80 }] };
const listener = (name: string, protocol: string, port: number) => ({ name, protocol, port });

const OVEN = { group: "kitchen.example.com", kind: "Oven" };

/** A LimitPolicy is attached to one route of any kind, or to an Oven. */
const limitDefinition = {
  apiVersion: "prevail.dev/v1alpha1",
  kind: "PolicyDefinition",
  metadata: { name: "limitpolicies.policies.example.com" },
  spec: {
    policies: [{ group: "policies.example.com", kind: "LimitPolicy" }],
    class: "Inherited",
    targeting: { refs: "One", kinds: ["TLSRoute", "TCPRoute", "UDPRoute", OVEN] },
    hierarchy: {
      effectiveTargets: ["TLSRouteRule", "TCPRouteRule", "UDPRouteRule", OVEN],
      kinds: [{ ...OVEN, plural: "ovens" }],
    },
  },
};

/** A policy that affects an object whose kind has no conditions. */
export const ovenPolicy: JsonObject = {
  apiVersion: "policies.example.com/v1",
  kind: "LimitPolicy",
  metadata: inBakery("hearth"),
  spec: { targetRef: { ...OVEN, name: "hearth" }, limit: 1 },
};
const oven: JsonObject = {
  apiVersion: `${OVEN.group}/v1`,
  kind: OVEN.kind,
  metadata: { ...inBakery("hearth"), annotations: { "example.com/bricks": "80" } },
  spec: { degrees: 220 },
};

/** Policies that affect an object of each kind that gets conditions or annotations. */
const reported: readonly JsonObject[] = [
  limitDefinition,
  oven,
  ovenPolicy,
  ...["TLSRoute", "TCPRoute", "UDPRoute"].flatMap((kind) => [
    {
      apiVersion: `${GATEWAY_API}/${kind === "TLSRoute" ? "v1" : "v1alpha2"}`,
      kind,
      metadata: inBakery(kind.toLowerCase()),
      spec: { ...toProd, ...(kind === "TLSRoute" ? { hostnames: ["oven.example"] } : {}), rules: [toOven] },
    },
    {
      apiVersion: "policies.example.com/v1",
      kind: "LimitPolicy",
      metadata: inBakery(kind.toLowerCase()),
      spec: { targetRef: { group: GATEWAY_API, kind, name: kind.toLowerCase() }, limit: 1 },
    },
  ]),
  {
    apiVersion: `${GATEWAY_API}/v1`,
    kind: "ListenerSet",
    metadata: inBakery("more"),
    spec: { parentRef: { name: "prod" }, listeners: [listener("more", "HTTP", 8080)] },
  },
  {
    apiVersion: `${GATEWAY_API}/v1`,
    kind: "GRPCRoute",
    metadata: inBakery("grpc"),
    spec: { parentRefs: [{ group: GATEWAY_API, kind: "ListenerSet", name: "more" }], rules: [toOven] },
  },
  {
    apiVersion: "prevail.dev/v1alpha1",
    kind: "ClusterRetryPolicy",
    metadata: { name: "house" },
    spec: {
      targetRefs: [{ group: GATEWAY_API, kind: "GatewayClass", name: "house" }],
      defaults: { timeouts: { request: "10s" } },
    },
  },
];

/** A route with a policy, and a policy of each vendor's kind. */
export const clusterObjects: readonly JsonObject[] = [
  { apiVersion: "v1", kind: "Namespace", metadata: { name: "bakery" } },
  {
    apiVersion: `${GATEWAY_API}/v1`,
    kind: "GatewayClass",
    metadata: { name: "house" },
    spec: { controllerName: "prevail.dev/gateway" },
  },
  {
    apiVersion: `${GATEWAY_API}/v1`,
    kind: "Gateway",
    metadata: inBakery("prod"),
    spec: {
      gatewayClassName: "house",
      listeners: [
        listener("http", "HTTP", 80),
        { ...listener("tls", "TLS", 443), tls: { mode: "Passthrough" } },
        listener("tcp", "TCP", 5000),
        listener("udp", "UDP", 5001),
      ],
      allowedListeners: { namespaces: { from: "Same" } },
    },
  },
  {
    apiVersion: `${GATEWAY_API}/v1`,
    kind: "HTTPRoute",
    metadata: inBakery("baker"),
    spec: { ...toProd, rules: [toOven] },
  },
  { apiVersion: "v1", kind: "Service", metadata: inBakery("oven"), spec: { ports: [{ port: 80 }] } },
  {
    apiVersion: "prevail.dev/v1alpha1",
    kind: "RetryPolicy",
    metadata: inBakery("retries"),
    spec: {
      targetRefs: [{ group: GATEWAY_API, kind: "HTTPRoute", name: "baker" }],
      defaults: { retry: { attempts: 2 } },
    },
  },
  {
    apiVersion: "policies.example.com/v1",
    kind: "AuthPolicy",
    metadata: inBakery("own"),
    spec: { targetRef: { group: GATEWAY_API, kind: "HTTPRoute", name: "baker" } },
  },
  ...reported,
];

/** Each object that the controller writes status into, and the part of its status that it writes. */
export const reportedObjects: readonly (readonly [string, "ancestors" | "conditions" | "parents"])[] = [
  ["retrypolicy/retries", "ancestors"],
  ["clusterretrypolicy/house", "ancestors"],
  ["limitpolicy/tcproute", "ancestors"],
  ["gatewayclass/house", "conditions"],
  ["gateway/prod", "conditions"],
  ["listenerset/more", "conditions"],
  ["httproute/baker", "parents"],
  ["grpcroute/grpc", "parents"],
  ["tlsroute/tlsroute", "parents"],
  ["tcproute/tcproute", "parents"],
  ["udproute/udproute", "parents"],
];

/** Every rule of an HTTPRoute must have retries. */
export const coverageRule = {
  apiVersion: "prevail.dev/v1alpha1",
  kind: "CoverageRule",
  metadata: { name: "retried" },
  spec: {
    targets: { levels: ["HTTPRouteRule"] },
    policyKind: "RetryPolicy",
    condition: "has(spec.retry.attempts)",
    enforce: "Deny",
  },
};
