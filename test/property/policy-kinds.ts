/**
 * The policy kinds that random clusters use: one per way a definition can differ, and for each the places in its spec
 * where policies meet. Few places on purpose: collisions are what is tested.
 */

import type { CustomStrategy } from "../../src/core/merge/custom-strategy.ts";
import type { MergeRules, PolicyDefinition } from "../../src/core/model/definition.ts";
import { isJsonObject, type Json, type JsonObject, ownValue } from "../../src/core/model/json.ts";
import type { GroupKind } from "../../src/core/model/refs.ts";
import {
  define,
  foreignGroup,
  gateway,
  gatewayClass,
  gatewayTargets,
  grpcRoute,
  httpRoute,
  listenerSet,
  namespace,
  type PolicyKindUnderTest,
  policyGroup,
  section,
  service,
  strategyAnnotation,
  target,
  tcpRoute,
  tlsRoute,
} from "./define-kind.ts";

const ruleNames: Omit<PolicyKindUnderTest, "definition"> = {
  places: ["limits.a", "limits.b", "rules.authentication.a", "rules.authorization.b", "limits", "note"],
  strategies: ["atomic", "merge", "merge"],
  removals: ["a", "b", "limits", "limits.a", "rules.authentication.a", "nothing"],
  conditions: [
    "spec.limits.a > 1",
    "has(spec.limits) && size(spec.limits) > 0",
    "self.spec.rules.authentication.a < 3",
    "!has(spec.limits)",
    "spec.limits.a.startsWith('x')",
    "1 / 0 == 1",
  ],
};

const leaves: Omit<PolicyKindUnderTest, "definition"> = {
  places: ["color", "colors.dark", "colors.light", "colors", "colors.light.shade", "empty"],
  strategies: ["atomic", "patch", "patch"],
  removals: ["color", "colors", "colors.dark", "nothing"],
  conditions: [
    "spec.color == 1",
    "has(spec.colors)",
    "spec.colors.dark > 1",
    "size(spec) == 0",
    "self.spec.color + 'x' == 'yx'",
    "1 / 0 == 1",
  ],
};

const retries: Omit<PolicyKindUnderTest, "definition"> = {
  places: ["retry.attempts", "retry.codes", "retry.hint", "timeouts.request", "labels", "labels.k", "retry"],
  strategies: ["field", "field", "atomic"],
  removals: ["retry.attempts", "retry", "timeouts.request", "nothing"],
  conditions: [
    "spec.retry.attempts > 1",
    "has(spec.retry)",
    "!has(spec.timeouts)",
    "size(spec.retry.codes) > 1",
    "spec.retry.attempts + 'x' == 'y'",
  ],
};

const fieldGranularity: MergeRules["granularity"] = {
  default: "Field",
  field: "strategy",
  values: { atomic: "Atomic", field: "Field" },
};

/** RFC 9: named rules. */
const mergeKind: PolicyKindUnderTest = {
  ...ruleNames,
  definition: define({
    kind: "MergePolicy",
    merge: {
      granularity: { default: "Atomic", field: "strategy", values: { atomic: "Atomic", merge: "Merge" } },
      rules: ["limits", "rules.*"],
    },
  }),
};

/** GEP-713: JSON Merge Patch, with tombstones; targets in other namespaces by ReferenceGrant. */
const patchKind: PolicyKindUnderTest = {
  ...leaves,
  definition: define({
    kind: "PatchPolicy",
    targeting: {
      crossNamespace: "ReferenceGrant",
      kinds: [...gatewayTargets, target(grpcRoute, ["Rule"]), target(tlsRoute), target(tcpRoute)],
    },
    hierarchy: {
      effectiveTargets: [httpRoute, grpcRoute, tlsRoute, tcpRoute].map((route) => section(route, "Rule")),
    },
    merge: {
      granularity: { default: "Atomic", field: "strategy", values: { atomic: "Atomic", patch: "Patch" } },
    },
  }),
};

/** REF: settings that are fields of the route, too; they end at the backend. */
const mappedKind: PolicyKindUnderTest = {
  ...retries,
  definition: define({
    kind: "MappedPolicy",
    targeting: { kinds: [...gatewayTargets, target(service, ["Port"])] },
    hierarchy: { effectiveTargets: [service, section(httpRoute, "Rule")] },
    merge: { granularity: fieldGranularity, atomicPaths: ["labels"], sameTarget: "OldestWins" },
    mapsTo: [
      { from: "retry", to: { level: section(httpRoute, "Rule"), path: "retry" }, create: true },
      { from: "timeouts", to: { level: section(httpRoute, "Rule"), path: "timeouts" }, create: true },
    ],
  }),
};

/** REF's RetryFilter: the field is in the items of a list, and only in those that exist. */
const filterKind: PolicyKindUnderTest = {
  ...retries,
  definition: define({
    kind: "FilterPolicy",
    merge: { granularity: fieldGranularity, sameTarget: "OldestWins", bare: "Direct" },
    mapsTo: [
      {
        from: "retry",
        to: { level: section(httpRoute, "Rule"), path: "filters[type=RetryFilter].retry" },
        create: false,
      },
    ],
  }),
};

/** The same field on two levels, and one that is only touched where it is; whole specs that meet scalars. */
const ownKind: PolicyKindUnderTest = {
  ...retries,
  strategies: ["atomic", "atomic", "field"],
  definition: define({
    kind: "OwnPolicy",
    merge: { granularity: { ...fieldGranularity, default: "Atomic" }, bare: "Direct" },
    mapsTo: [
      { from: "retry", to: { level: httpRoute, path: "spec.retry" }, create: true },
      { from: "retry", to: { level: section(httpRoute, "Rule"), path: "retry" }, create: true },
      { from: "labels", to: { level: section(httpRoute, "Rule"), path: "timeouts.labels" }, create: false },
    ],
  }),
};

/** Several settings go to items, one of them to parts of items that may be created. */
const itemsKind: PolicyKindUnderTest = {
  ...retries,
  definition: define({
    kind: "ItemsPolicy",
    merge: { granularity: fieldGranularity, atomicPaths: ["labels"] },
    mapsTo: [
      {
        from: "retry",
        to: { level: section(httpRoute, "Rule"), path: "filters[type=RetryFilter].retry" },
        create: true,
      },
      { from: "timeouts", to: { level: section(httpRoute, "Rule"), path: "filters[].more.timeouts" }, create: true },
      { from: "labels", to: { level: httpRoute, path: "spec.retry.labels" }, create: true },
    ],
  }),
};

/** A Direct kind that sets what its target has itself. */
const directFieldsKind: PolicyKindUnderTest = {
  ...retries,
  strategies: [],
  definition: define({
    kind: "DirectFieldsPolicy",
    class: "Direct",
    targeting: { kinds: [target(httpRoute)] },
    hierarchy: { effectiveTargets: [httpRoute] },
    merge: { none: true },
    mapsTo: [{ from: "retry", to: { level: httpRoute, path: "spec.retry" }, create: true }],
  }),
};

/** Namespaces are levels; a cluster-scoped kind is joined for GatewayClasses and any Namespace. */
const namespaceKind: PolicyKindUnderTest = {
  ...retries,
  definition: define({
    kind: "NamespacePolicy",
    joined: [{ group: policyGroup, kind: "ClusterNamespacePolicy", scope: "Cluster" }],
    targeting: {
      kinds: [
        target(namespace),
        target(gateway, ["Listener"], ["NamespacePolicy"]),
        target(httpRoute, ["Rule"], ["NamespacePolicy"]),
        target(listenerSet, ["Listener"], ["NamespacePolicy"]),
        target(gatewayClass, [], ["ClusterNamespacePolicy"]),
      ],
    },
    hierarchy: { namespacesAbove: [gateway, httpRoute] },
    merge: { granularity: fieldGranularity, atomicPaths: ["labels"], sameTarget: "OldestWins", bare: "Direct" },
  }),
};

/** A Direct kind: None, on Services and their ports. */
const directKind: PolicyKindUnderTest = {
  ...leaves,
  strategies: [],
  definition: define({
    kind: "DirectPolicy",
    class: "Direct",
    targeting: { kinds: [target(service, ["Port"])] },
    hierarchy: { effectiveTargets: [service, section(service, "Port")] },
    merge: { none: true },
  }),
};

/** The lower policy picks the granularity; rules may be named by their place. */
const lowerKind: PolicyKindUnderTest = {
  ...leaves,
  strategies: ["atomic", "patch", "field"],
  definition: define({
    kind: "LowerPolicy",
    targeting: { positionalRules: true },
    merge: {
      granularity: {
        default: "Field",
        field: "strategy",
        values: { atomic: "Atomic", patch: "Patch", field: "Field" },
      },
      decidedBy: "Lower",
    },
  }),
};

/** An annotation on the higher policy's target picks the strategy. */
const annotationKind: PolicyKindUnderTest = {
  ...ruleNames,
  definition: define({
    kind: "AnnotationPolicy",
    merge: {
      granularity: { default: "Merge", field: "strategy", values: { atomic: "Atomic", merge: "Merge" } },
      rules: ["limits", "rules.*"],
      decidedBy: "Annotation",
      annotation: {
        key: strategyAnnotation,
        values: {
          override: { base: "Overrides", granularity: "Merge" },
          default: { base: "Defaults", granularity: "Merge" },
          takeover: { base: "Overrides", granularity: "Atomic" },
        },
      },
    },
  }),
};

/** Mesh: consumers may target Services of others, for their own traffic. */
const meshKind: PolicyKindUnderTest = {
  ...leaves,
  strategies: ["atomic", "field"],
  definition: define({
    kind: "MeshPolicy",
    targeting: { crossNamespace: "Consumer", kinds: [target(service, ["Port"]), target(httpRoute, ["Rule"])] },
    hierarchy: { effectiveTargets: [service, section(httpRoute, "Rule")] },
    merge: {
      granularity: { default: "Field", field: "strategy", values: { atomic: "Atomic", field: "Field" } },
      sameTarget: "OldestWins",
    },
  }),
};

/** GEP-713: one block per policy, one target per policy. Its paths begin at Gateways. */
const exclusiveKind: PolicyKindUnderTest = {
  ...leaves,
  definition: define({
    kind: "ExclusivePolicy",
    targeting: { refs: "One", selectors: false, crossNamespace: "ReferenceGrant" },
    hierarchy: { roots: [gateway] },
    merge: {
      granularity: { default: "Atomic", field: "strategy", values: { atomic: "Atomic", patch: "Patch" } },
      blocks: "Exclusive",
    },
  }),
};

/** None for an inherited kind: on one target the oldest wins, and along a path only one level says anything at a place. */
const noneKind: PolicyKindUnderTest = {
  ...leaves,
  strategies: [],
  definition: define({ kind: "NonePolicy", merge: { none: true } }),
};

/** GEP-713's custom atomicity: numbers add up, so that values come out that nobody wrote. */
const customKind: PolicyKindUnderTest = {
  ...leaves,
  strategies: ["sum", "sum", "atomic"],
  definition: define({
    kind: "CustomPolicy",
    merge: {
      granularity: {
        default: { custom: "sum" },
        field: "strategy",
        values: { sum: { custom: "sum" }, atomic: "Atomic" },
      },
    },
  }),
};

/** Both specs together; where both have a number the sum, else the established value. */
const sum = (established: JsonObject, challenger: JsonObject): JsonObject => {
  const keys = [...new Set([...Object.keys(challenger), ...Object.keys(established)])];
  return Object.fromEntries(
    keys.map((key): [string, Json] => {
      const [high, low] = [ownValue(established, key), ownValue(challenger, key)];
      if (high === undefined) return [key, low ?? null];
      if (low === undefined) return [key, high];
      if (typeof high === "number" && typeof low === "number") return [key, high + low];
      if (isJsonObject(high) && isJsonObject(low)) return [key, sum(high, low)];
      return [key, high];
    }),
  );
};

export const customStrategies: Readonly<Record<string, CustomStrategy>> = {
  sum: ({ established, challenger }) => sum(established.spec, challenger.spec),
};

/** Named rules that are also compared leaf by leaf, tombstones and all. */
const mixedKind: PolicyKindUnderTest = {
  places: ["limits.a.x", "limits.a.y", "limits.a", "limits.b", "limits", "note", "note.x"],
  strategies: ["merge", "patch", "atomic"],
  removals: ["a", "limits.a.x", "note", "nothing"],
  conditions: ["spec.limits.a.x > 1", "has(spec.limits)", "!has(spec.note)", "1 / 0 == 1"],
  definition: define({
    kind: "MixedPolicy",
    merge: {
      granularity: {
        default: "Merge",
        field: "strategy",
        values: { atomic: "Atomic", merge: "Merge", patch: "Patch" },
      },
      rules: ["limits"],
    },
  }),
};

/** Ends at the ports that are used, in a part of the hierarchy. */
const portKind: PolicyKindUnderTest = {
  ...retries,
  definition: define({
    kind: "PortPolicy",
    targeting: { kinds: [...gatewayTargets, target(service, ["Port"])] },
    hierarchy: {
      effectiveTargets: [service, section(service, "Port")],
      through: [gatewayClass, gateway, httpRoute, service],
    },
    merge: { granularity: fieldGranularity },
  }),
};

/** Ends at listeners, those of ListenerSets too. */
const listenerKind: PolicyKindUnderTest = {
  ...leaves,
  definition: define({
    kind: "ListenerPolicy",
    joined: [{ group: policyGroup, kind: "ClusterListenerPolicy", scope: "Cluster" }],
    targeting: {
      kinds: [
        target(gateway, ["Listener"], ["ListenerPolicy"]),
        target(listenerSet, ["Listener"], ["ListenerPolicy"]),
        target(gatewayClass, [], ["ClusterListenerPolicy"]),
      ],
    },
    hierarchy: { effectiveTargets: [section(gateway, "Listener"), section(listenerSet, "Listener"), gateway] },
    merge: {
      granularity: { default: "Patch", field: "strategy", values: { atomic: "Atomic", patch: "Patch" } },
      bare: "Direct",
    },
  }),
};

/** GEP-713, "Targeting virtual types": what it targets need not exist. */
const virtualKind: PolicyKindUnderTest = {
  ...retries,
  definition: define({
    kind: "VirtualPolicy",
    targeting: {
      kinds: [
        target(namespace),
        { ...target({ group: foreignGroup, kind: "Market" }), virtual: true },
        target(httpRoute, ["Rule"]),
      ],
    },
    hierarchy: {
      effectiveTargets: [{ group: foreignGroup, kind: "Market" }, section(httpRoute, "Rule")],
      namespacesAbove: [{ group: foreignGroup, kind: "Market" }],
    },
    merge: { granularity: fieldGranularity },
  }),
};

const orchard: GroupKind = { group: foreignGroup, kind: "Orchard" };
const tree: GroupKind = { group: foreignGroup, kind: "Tree" };
const apple: GroupKind = { group: foreignGroup, kind: "Apple" };

/** A hierarchy of its own: the engine knows nothing of orchards. */
const foreignKind: PolicyKindUnderTest = {
  ...ruleNames,
  definition: define({
    kind: "ForeignPolicy",
    joined: [{ group: policyGroup, kind: "ClusterForeignPolicy", scope: "Cluster" }],
    targeting: {
      kinds: [
        target(orchard, [], ["ClusterForeignPolicy"]),
        target(tree, ["Branch"], ["ForeignPolicy"]),
        target(apple, [], ["ForeignPolicy"]),
      ],
    },
    hierarchy: {
      effectiveTargets: [apple],
      links: [
        { from: orchard, to: tree, via: "ParentName", path: "spec.orchard" },
        { from: section(tree, "Branch"), to: apple, via: "ChildRefs", path: "apples" },
        { from: tree, to: apple, via: "ParentRefs", path: "spec.treeRefs" },
      ],
      kinds: [
        { ...orchard, scope: "Cluster", sections: [] },
        { ...tree, scope: "Namespaced", sections: [{ section: "Branch", path: "spec.branches" }] },
        { ...apple, scope: "Namespaced", sections: [] },
      ],
    },
    merge: {
      granularity: { default: "Merge", field: "strategy", values: { atomic: "Atomic", merge: "Merge" } },
      rules: ["limits", "rules.*"],
    },
  }),
};

/** The same kind with Namespaces as levels, which its policies may target. */
export function withNamespaces(definition: PolicyDefinition): PolicyDefinition {
  const { targeting, hierarchy } = definition;
  if (definition.class === "Direct" || hierarchy.links.length > 0) return definition;
  if (targeting.kinds.some(({ kind }) => kind === "Namespace")) return definition;
  return {
    ...definition,
    targeting: { ...targeting, kinds: [target(namespace), ...targeting.kinds] },
    hierarchy: { ...hierarchy, namespacesAbove: [gateway, httpRoute] },
  };
}

export const policyKinds: readonly PolicyKindUnderTest[] = [
  mergeKind,
  patchKind,
  mappedKind,
  filterKind,
  ownKind,
  itemsKind,
  namespaceKind,
  directKind,
  directFieldsKind,
  lowerKind,
  annotationKind,
  meshKind,
  exclusiveKind,
  noneKind,
  customKind,
  mixedKind,
  portKind,
  listenerKind,
  virtualKind,
  foreignKind,
];
