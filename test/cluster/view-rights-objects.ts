/** A small cluster in which every value of a policy is unique, and users with some rights each. */

import type { JsonObject } from "../../src/core/model/json.ts";
import { anySpec, customResourceDefinition } from "../support/crd/custom-resource.ts";

export const NAMESPACES = ["infra", "bakery", "shop"] as const;
/** `OpenPolicy` shows its values to owners of targets, `GuardedPolicy` all but its secret, `ClosedPolicy` none. */
export const KINDS = ["OpenPolicy", "GuardedPolicy", "ClosedPolicy"] as const;
export type PolicyKindName = (typeof KINDS)[number];

/** The kind of the policies without a namespace that belong to a kind. */
export const clusterKindOf = (kind: PolicyKindName): string => `Cluster${kind}`;

export const pluralOf = (kind: string): string => kind.toLowerCase().replace(/y$/, "ies");

const GROUP = "view.example.com";
const GATEWAY_API = "gateway.networking.k8s.io/v1";
const RBAC = "rbac.authorization.k8s.io";

export function gatewayObjects(): {
  readonly crds: readonly JsonObject[];
  readonly namespaces: readonly JsonObject[];
  readonly objects: readonly JsonObject[];
} {
  const parentRefs = [{ name: "prod", namespace: "infra" }];
  const listeners = [{ name: "http", port: 80, protocol: "HTTP", allowedRoutes: { namespaces: { from: "All" } } }];
  return {
    crds: [...KINDS.map(crd), ...KINDS.map(clusterCrd)],
    namespaces: NAMESPACES.map((name) => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } })),
    objects: [
      ...KINDS.map(definition),
      {
        apiVersion: GATEWAY_API,
        kind: "GatewayClass",
        metadata: { name: "house" },
        spec: { controllerName: "prevail.dev/gateway" },
      },
      {
        apiVersion: GATEWAY_API,
        kind: "Gateway",
        metadata: { name: "prod", namespace: "infra" },
        spec: { gatewayClassName: "house", listeners },
      },
      ...["bakery", "shop"].map((namespace) => ({
        apiVersion: GATEWAY_API,
        kind: "HTTPRoute",
        metadata: { name: "web", namespace },
        spec: { parentRefs, hostnames: [`${namespace}.example.com`] },
      })),
    ],
  };
}

const crd = (kind: PolicyKindName): JsonObject =>
  customResourceDefinition({ group: GROUP, kind, plural: pluralOf(kind), spec: anySpec });

function clusterCrd(policyKind: PolicyKindName): JsonObject {
  const kind = clusterKindOf(policyKind);
  const made = customResourceDefinition({ group: GROUP, kind, plural: pluralOf(kind), spec: anySpec });
  return { ...made, spec: { ...(made["spec"] as JsonObject), scope: "Cluster" } };
}

const definition = (kind: PolicyKindName): JsonObject => ({
  apiVersion: "prevail.dev/v1alpha1",
  kind: "PolicyDefinition",
  metadata: { name: `${pluralOf(kind)}.${GROUP}` },
  spec: {
    policies: [
      { group: GROUP, kind, scope: "Namespaced" },
      { group: GROUP, kind: clusterKindOf(kind), scope: "Cluster" },
    ],
    class: "Inherited",
    targeting: {
      kinds: [
        { kind: "GatewayClass", policies: [clusterKindOf(kind)] },
        { kind: "Gateway", policies: [kind] },
        { kind: "HTTPRoute", policies: [kind] },
      ],
    },
    hierarchy: { effectiveTargets: ["HTTPRouteRule"] },
    merge: { granularity: { default: "Field" }, blocks: "Combined" },
    ...(kind === "ClosedPolicy" ? {} : { visibility: "Target" }),
    ...(kind === "GuardedPolicy" ? { sensitive: ["secret"] } : {}),
  },
});

/** Names of policies and their values are `NAMESPACE-KIND-NAME`, each of them unique. */
export const policyObjects = (): readonly JsonObject[] =>
  KINDS.flatMap((kind) => {
    const value = (namespace: string, name: string): string => `${namespace}-${kind.toLowerCase()}-${name}`;
    const ofTeam = (namespace: string): readonly JsonObject[] => [
      policy(kind, namespace, "own", "HTTPRoute/web", {
        defaults: { a: value(namespace, "lost"), b: value(namespace, "b"), secret: value(namespace, "lostsecret") },
      }),
      policy(kind, namespace, "ghost", "HTTPRoute/web", { defaults: { a: value(namespace, "ghostlost") } }),
      policy(kind, namespace, "broken", "HTTPRoute/missing", { defaults: { a: value(namespace, "brokenvalue") } }),
    ];
    const house = { overrides: { a: value("infra", "a"), secret: value("infra", "secret") } };
    return [
      clusterPolicy(kind, { defaults: { c: value("cluster", "c") } }),
      policy(kind, "infra", "house", "Gateway/prod", house),
      ...ofTeam("bakery"),
      ...ofTeam("shop"),
    ];
  });

function policy(kind: PolicyKindName, namespace: string, name: string, target: string, spec: JsonObject): JsonObject {
  const [targetKind = "", targetName = ""] = target.split("/");
  const targetRefs = [{ group: "gateway.networking.k8s.io", kind: targetKind, name: targetName }];
  return {
    apiVersion: `${GROUP}/v1`,
    kind,
    metadata: { name: `${namespace}-${kind.toLowerCase()}-${name}`, namespace },
    spec: { targetRefs, ...spec },
  };
}

const clusterPolicy = (kind: PolicyKindName, spec: JsonObject): JsonObject => ({
  apiVersion: `${GROUP}/v1`,
  kind: clusterKindOf(kind),
  metadata: { name: `cluster-${kind.toLowerCase()}-wide` },
  spec: { targetRefs: [{ group: "gateway.networking.k8s.io", kind: "GatewayClass", name: "house" }], ...spec },
});

/** Some rights for a user, by a pattern that differs from user to user and from round to round; some of them in all namespaces. */
export function rightsOf(user: string, index: number, round: number): readonly JsonObject[] {
  const next = bits(index * 7919 + round * 104_729 + 1);
  const isWide = index % 5 === 0;
  const scopes: readonly (string | undefined)[] = isWide ? [undefined, ...NAMESPACES] : NAMESPACES;
  const ofCluster = clusterRules(bits(index * 6151 + round * 49_157 + 3));
  const others = scopes.flatMap((namespace) => {
    const rules: JsonObject[] = [];
    for (const resource of ["effectivepolicies", "policyreaches"])
      for (const verb of ["get", "list"])
        if (next() && (namespace !== undefined || next()))
          rules.push({ apiGroups: ["view.prevail.dev"], resources: [resource], verbs: [verb] });
    for (const kind of KINDS)
      if (next() && (namespace !== undefined || next()))
        rules.push({ apiGroups: [GROUP], resources: [pluralOf(kind)], verbs: ["get"] });
    return rules.length === 0 ? [] : roleWith(user, namespace, rules);
  });
  return [...others, ...roleWith(user, undefined, ofCluster, `${user}-cluster`)];
}

/** Rights to resources that have no namespace. */
function clusterRules(next: () => boolean): readonly JsonObject[] {
  const rules: JsonObject[] = [];
  for (const resource of ["clustereffectivepolicies", "clusterpolicyreaches"])
    for (const verb of ["get", "list"])
      if (next() || next()) rules.push({ apiGroups: ["view.prevail.dev"], resources: [resource], verbs: [verb] });
  for (const kind of KINDS)
    if (next()) rules.push({ apiGroups: [GROUP], resources: [pluralOf(clusterKindOf(kind))], verbs: ["get"] });
  return rules;
}

function roleWith(
  user: string,
  namespace: string | undefined,
  rules: readonly JsonObject[],
  name = user,
): readonly JsonObject[] {
  const prefix = namespace === undefined ? "Cluster" : "";
  const metadata = { name, ...(namespace === undefined ? {} : { namespace }), labels: { test: "rights", user } };
  return [
    { apiVersion: `${RBAC}/v1`, kind: `${prefix}Role`, metadata, rules },
    {
      apiVersion: `${RBAC}/v1`,
      kind: `${prefix}RoleBinding`,
      metadata,
      roleRef: { apiGroup: RBAC, kind: `${prefix}Role`, name },
      // Rights of a group count as those of a user do.
      subjects: [
        user.endsWith("1")
          ? { apiGroup: RBAC, kind: "Group", name: `group-of-${user}` }
          : { apiGroup: RBAC, kind: "User", name: user },
      ],
    },
  ];
}

/** A sequence of random decisions with a known seed. */
function bits(seed: number): () => boolean {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return (state >> 16) % 2 === 0;
  };
}
