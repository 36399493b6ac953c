/** A small cluster with one object of every kind. Tests modify it with hostile values. */

import type { PolicyDefinition } from "../../src/core/model/definition.ts";
import type { JsonObject } from "../../src/core/model/json.ts";
import { foreignGroup, gatewayGroup, policyGroup } from "../property/random/define-kind.ts";
import { policyKinds } from "../property/random/policy-kinds.ts";
import { customResourceDefinition } from "../support/crd/custom-resource.ts";

export const definitions: readonly PolicyDefinition[] = policyKinds.map(({ definition }) => definition);

const gatewayApi = `${gatewayGroup}/v1`;

export function policy(kind: string, name: string, spec: JsonObject, namespace = "bakery"): JsonObject {
  const metadata = kind.startsWith("Cluster") ? { name } : { name, namespace };
  return {
    apiVersion: `${policyGroup}/v1`,
    kind,
    metadata: { ...metadata, creationTimestamp: "2026-01-01T00:00:00Z" },
    spec,
  };
}

export const toGateway: JsonObject = { group: gatewayGroup, kind: "Gateway", name: "front" };
export const toRoute: JsonObject = { group: gatewayGroup, kind: "HTTPRoute", name: "baker" };

const gatewayClass: JsonObject = {
  apiVersion: gatewayApi,
  kind: "GatewayClass",
  metadata: { name: "plain" },
  spec: { controllerName: "example.com/gateway" },
};

export const gateway: JsonObject = {
  apiVersion: gatewayApi,
  kind: "Gateway",
  metadata: {
    name: "front",
    namespace: "bakery",
    labels: { team: "red" },
    annotations: { "example.com/strategy": "override" },
  },
  spec: {
    gatewayClassName: "plain",
    allowedListeners: { namespaces: { from: "Same" } },
    listeners: [
      {
        name: "http",
        protocol: "HTTP",
        port: 80,
        hostname: "*.example.com",
        allowedRoutes: { namespaces: { from: "All" } },
      },
      {
        name: "inner",
        protocol: "HTTPS",
        port: 443,
        allowedRoutes: {
          kinds: [{ group: gatewayGroup, kind: "HTTPRoute" }],
          namespaces: {
            from: "Selector",
            selector: {
              matchLabels: { team: "red" },
              matchExpressions: [{ key: "team", operator: "In", values: ["red"] }],
            },
          },
        },
      },
    ],
  },
};

export const httpRoute: JsonObject = {
  apiVersion: gatewayApi,
  kind: "HTTPRoute",
  metadata: { name: "baker", namespace: "bakery", labels: { team: "red" } },
  spec: {
    hostnames: ["baker.example.com"],
    parentRefs: [
      { group: gatewayGroup, kind: "Gateway", name: "front", namespace: "bakery", sectionName: "http", port: 80 },
    ],
    rules: [
      {
        name: "one",
        matches: [{ path: { type: "PathPrefix", value: "/" } }],
        retry: { attempts: 1, codes: [503], backoff: "100ms" },
        timeouts: { request: "1s" },
        filters: [{ type: "RetryFilter", retry: { attempts: 1 } }],
        backendRefs: [
          { name: "oven", port: 80, weight: 1 },
          { group: "", kind: "Service", name: "mill", namespace: "farm", port: 80 },
        ],
      },
      { backendRefs: [{ name: "oven", port: 80 }] },
    ],
  },
};

export const service: JsonObject = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "oven", namespace: "bakery", labels: { team: "red" } },
  spec: {
    ports: [
      { name: "http", port: 80, protocol: "TCP" },
      { name: "admin", port: 81 },
    ],
  },
};

export const grant: JsonObject = {
  apiVersion: `${gatewayGroup}/v1beta1`,
  kind: "ReferenceGrant",
  metadata: { name: "let-them", namespace: "farm" },
  spec: {
    from: [
      { group: gatewayGroup, kind: "HTTPRoute", namespace: "bakery" },
      { group: policyGroup, kind: "PatchPolicy", namespace: "bakery" },
    ],
    to: [{ group: "", kind: "Service", name: "mill" }],
  },
};

export const mergePolicy: JsonObject = policy("MergePolicy", "limits", {
  targetRefs: [toGateway, { ...toRoute, sectionName: "one" }],
  targetSelectors: [
    {
      group: gatewayGroup,
      kind: "HTTPRoute",
      matchLabels: { team: "red" },
      matchExpressions: [{ key: "team", operator: "In", values: ["red"] }],
    },
  ],
  strategy: "merge",
  unset: ["limits.b"],
  limits: { a: 1 },
  rules: { authentication: { a: 1 } },
  defaults: { strategy: "merge", when: "!has(spec.limits)", remove: ["b"], limits: { a: 2, b: 2 } },
  overrides: { strategy: "atomic", when: "spec.limits.a > 5", limits: { a: { rate: 3 } } },
});

const crd = customResourceDefinition({
  group: policyGroup,
  kind: "InferredPolicy",
  plural: "inferredpolicies",
  labels: { "gateway.networking.k8s.io/policy": "Inherited" },
  spec: {
    type: "object",
    properties: {
      targetRef: {
        type: "object",
        properties: { group: { type: "string" }, kind: { type: "string" }, name: { type: "string" } },
      },
      labels: { type: "object", additionalProperties: { type: "string" } },
    },
  },
});

const definitionDocument: JsonObject = {
  apiVersion: "prevail.dev/v1alpha1",
  kind: "PolicyDefinition",
  metadata: { name: "latepolicies.example.com" },
  spec: {
    policies: [{ group: policyGroup, kind: "LatePolicy", scope: "Namespaced" }],
    class: "Inherited",
    targeting: {
      fields: { ref: "targetRef", refs: "targetRefs", selectors: "targetSelectors" },
      refs: "Many",
      selectors: true,
      crossNamespace: "Forbidden",
      positionalRules: false,
      kinds: [
        { group: gatewayGroup, kind: "Gateway", sections: ["Listener"] },
        { group: gatewayGroup, kind: "HTTPRoute", sections: ["Rule"] },
      ],
    },
    hierarchy: {
      effectiveTargets: ["HTTPRouteRule"],
      namespaces: { above: ["Gateway"] },
      roots: [],
      links: [],
      kinds: [],
    },
    merge: {
      granularity: { default: "Field", field: "strategy", values: { atomic: "Atomic", field: "Field" } },
      rules: [],
      atomicPaths: ["labels"],
      blocks: "Combined",
      bare: "AtomicDefaults",
      decidedBy: "Higher",
      sameTarget: "Established",
      empty: "GivesWay",
    },
    mapsTo: [{ from: "retry", to: "HTTPRoute spec.rules[].retry", create: true }],
    status: { vocabulary: "Enforced" },
  },
};

const fruit = (kind: string, name: string, spec: JsonObject, namespace?: string): JsonObject => ({
  apiVersion: `${foreignGroup}/v1`,
  kind,
  metadata: namespace === undefined ? { name } : { name, namespace },
  spec,
});

export const bakery: readonly JsonObject[] = [
  { apiVersion: "v1", kind: "Namespace", metadata: { name: "bakery", labels: { team: "red" } } },
  { apiVersion: "v1", kind: "Namespace", metadata: { name: "farm" } },
  gatewayClass,
  gateway,
  {
    apiVersion: gatewayApi,
    kind: "ListenerSet",
    metadata: { name: "more", namespace: "bakery" },
    spec: {
      parentRef: { group: gatewayGroup, kind: "Gateway", name: "front", namespace: "bakery" },
      listeners: [{ name: "extra", protocol: "HTTP", port: 8080, allowedRoutes: { namespaces: { from: "Same" } } }],
    },
  },
  httpRoute,
  {
    apiVersion: gatewayApi,
    kind: "GRPCRoute",
    metadata: { name: "orders", namespace: "bakery" },
    spec: {
      parentRefs: [{ group: gatewayGroup, kind: "ListenerSet", name: "more" }],
      rules: [{ backendRefs: [{ name: "oven", port: 80 }] }],
    },
  },
  {
    apiVersion: gatewayApi,
    kind: "HTTPRoute",
    metadata: { name: "mesh", namespace: "farm" },
    spec: {
      parentRefs: [{ group: "", kind: "Service", name: "mill", port: 80 }],
      rules: [{ backendRefs: [{ name: "mill", port: 80 }] }],
    },
  },
  service,
  { apiVersion: "v1", kind: "Service", metadata: { name: "mill", namespace: "farm" }, spec: { ports: [{ port: 80 }] } },
  grant,
  fruit("Orchard", "north", {}),
  fruit(
    "Tree",
    "t1",
    { orchard: "north", branches: [{ name: "b1", apples: [{ group: foreignGroup, kind: "Apple", name: "apple1" }] }] },
    "farm",
  ),
  fruit("Apple", "apple1", { treeRefs: [{ group: foreignGroup, kind: "Tree", name: "t1" }] }, "farm"),
  mergePolicy,
  policy("MergePolicy", "own", { targetRef: toRoute, limits: { b: 9 } }),
  policy("PatchPolicy", "patch", {
    targetRef: toGateway,
    overrides: { strategy: "patch", colors: { dark: null, light: 1 } },
  }),
  policy("PatchPolicy", "patched", { targetRef: toRoute, strategy: "patch", colors: { dark: 2 }, color: [1, 2] }),
  policy("MappedPolicy", "retries", {
    targetRef: toGateway,
    defaults: { retry: { attempts: 5, backoff: "1s" }, labels: { k: 1 } },
  }),
  policy("NamespacePolicy", "everywhere", {
    targetRef: { group: "", kind: "Namespace", name: "bakery" },
    override: { timeouts: { request: "9s" } },
  }),
  policy("ClusterNamespacePolicy", "class", {
    targetRef: { group: gatewayGroup, kind: "GatewayClass", name: "plain" },
    default: { retry: { attempts: 7 } },
  }),
  policy("DirectPolicy", "port", {
    targetRef: { group: "", kind: "Service", name: "oven", sectionName: "http" },
    color: 1,
  }),
  policy("AnnotationPolicy", "annotated", { targetRef: toGateway, limits: { a: 1 } }),
  policy("MeshPolicy", "consumer", {
    targetRef: { group: "", kind: "Service", name: "mill", namespace: "farm" },
    color: 1,
  }),
  policy(
    "ForeignPolicy",
    "fruit",
    { targetRef: { group: foreignGroup, kind: "Tree", name: "t1", sectionName: "b1" }, limits: { a: 1 } },
    "farm",
  ),
  policy("CustomPolicy", "summed", { targetRef: toGateway, color: 1 }),
  crd,
  policy("InferredPolicy", "inferred", { targetRef: toGateway, color: 1 }),
  definitionDocument,
  policy("LatePolicy", "late", { targetRef: toGateway, defaults: { retry: { attempts: 3 } } }),
];
