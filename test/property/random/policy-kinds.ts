/**
 * The policy kinds of random clusters: one for each way in which definitions differ, with the paths that its policies set.
 * There are few paths, so that policies conflict often.
 */

import type { CustomStrategy } from "../../../src/core/merge/custom-strategy.ts";
import type { PolicyDefinition } from "../../../src/core/model/definition.ts";
import { isJsonObject, type Json, type JsonObject, ownValue } from "../../../src/core/model/json.ts";
import type { GroupKind } from "../../../src/core/model/refs.ts";
import { attachmentKinds } from "./attachment-kinds.ts";
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
import {
  directFieldsKind,
  filterKind,
  itemsKind,
  mappedKind,
  mappedPatchKind,
  namespaceKind,
  ownKind,
  portKind,
  virtualKind,
} from "./retry-kinds.ts";

const ruleNames: Omit<PolicyKindUnderTest, "definition"> = {
  paths: ["limits.a", "limits.b", "rules.authentication.a", "rules.authorization.b", "limits", "note"],
  strategies: ["atomic", "merge", "merge"],
  removals: ["a", "b", "limits", "limits.a", "rules.authentication.a", "nothing"],
  conditions: [
    "spec.limits.a > 1",
    "has(spec.limits) && size(spec.limits) > 0",
    "self.spec.rules.authentication.a < 3",
    "!has(spec.limits)",
    "self.metadata.name > 'p3'",
    "spec.limits.a.startsWith('x')",
    "1 / 0 == 1",
  ],
};

const leaves: Omit<PolicyKindUnderTest, "definition"> = {
  paths: ["color", "colors.dark", "colors.light", "colors", "colors.light.shade", "empty"],
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

/** The lower policy dictates the granularity; rules may be named by position. A cluster-scoped policy may target no namespaced object. */
const lowerKind: PolicyKindUnderTest = {
  ...leaves,
  strategies: ["atomic", "patch", "field"],
  definition: define({
    kind: "LowerPolicy",
    joined: [{ group: policyGroup, kind: "ClusterLowerPolicy", scope: "Cluster" }],
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

/** An annotation on the higher policy's target dictates the strategy. */
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

/** Mesh: consumers may target Services in other namespaces, for their own traffic. */
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

/** Mesh and None: consumers' policies on Services, with Namespaces as levels. */
const consumerKind: PolicyKindUnderTest = {
  ...leaves,
  strategies: [],
  definition: define({
    kind: "ConsumerPolicy",
    targeting: {
      crossNamespace: "Consumer",
      kinds: [target(namespace), target(service, ["Port"]), target(httpRoute, ["Rule"])],
    },
    hierarchy: {
      effectiveTargets: [section(service, "Port"), service],
      namespacesAbove: [httpRoute, service],
    },
    merge: { none: true },
  }),
};

/** A Direct kind for a mesh. */
const directConsumerKind: PolicyKindUnderTest = {
  ...leaves,
  strategies: [],
  definition: define({
    kind: "DirectConsumerPolicy",
    class: "Direct",
    targeting: { crossNamespace: "Consumer", kinds: [target(service, ["Port"])] },
    hierarchy: { effectiveTargets: [service, section(service, "Port")] },
    merge: { none: true },
  }),
};

/** Paths begin at Gateways and at Services, and end there. */
const rootsKind: PolicyKindUnderTest = {
  ...leaves,
  definition: define({
    kind: "RootsPolicy",
    targeting: { kinds: [target(gateway), target(service)] },
    hierarchy: { roots: [gateway, service], effectiveTargets: [gateway, service] },
    merge: { granularity: { default: "Patch", field: "strategy", values: { atomic: "Atomic", patch: "Patch" } } },
  }),
};

/** GEP-713: one block and one target per policy. Paths begin at Gateways. A cluster-scoped policy may target namespaced objects. */
const exclusiveKind: PolicyKindUnderTest = {
  ...leaves,
  definition: define({
    kind: "ExclusivePolicy",
    controllers: ["other.io/gateway"],
    joined: [{ group: policyGroup, kind: "ClusterExclusivePolicy", scope: "Cluster" }],
    targeting: { refs: "One", selectors: false, crossNamespace: "ReferenceGrant" },
    hierarchy: { roots: [gateway] },
    merge: {
      granularity: { default: "Atomic", field: "strategy", values: { atomic: "Atomic", patch: "Patch" } },
      blocks: "Exclusive",
    },
  }),
};

/** Strategy None for an Inherited kind: on one target the oldest takes effect, and on a path only one level for each pointer. */
const noneKind: PolicyKindUnderTest = {
  ...leaves,
  strategies: [],
  definition: define({ kind: "NonePolicy", merge: { none: true } }),
};

/** GEP-713's custom strategies: numbers are added, so that the result contains values that no policy has. */
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

/** Merges both specs: the sum where both have a number, else the established value. */
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

/** Named rules that are also merged leaf by leaf, with tombstones. */
const mixedKind: PolicyKindUnderTest = {
  paths: ["limits.a.x", "limits.a.y", "limits.a", "limits.b", "limits", "note", "note.x"],
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

/** Paths end at listeners of Gateways and ListenerSets. */
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

const orchard: GroupKind = { group: foreignGroup, kind: "Orchard" };
const tree: GroupKind = { group: foreignGroup, kind: "Tree" };
const apple: GroupKind = { group: foreignGroup, kind: "Apple" };

/** A hierarchy of foreign kinds: the engine has no code for orchards. */
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

/** Adds Namespaces as levels that policies of the kind may target. */
export function withNamespaces(definition: PolicyDefinition): PolicyDefinition {
  const { targeting, hierarchy } = definition;
  if (definition.class === "Direct" || hierarchy.links.length > 0) return definition;
  if (targeting.kinds.some(({ kind }) => kind === "Namespace")) return definition;
  return {
    ...definition,
    targeting: { ...targeting, kinds: [target(namespace), ...targeting.kinds] },
    hierarchy: { ...hierarchy, namespacesAbove: [gateway, httpRoute, ...(hierarchy.mesh ? [service] : [])] },
  };
}

export const policyKinds: readonly PolicyKindUnderTest[] = [
  mergeKind,
  patchKind,
  mappedKind,
  mappedPatchKind,
  filterKind,
  ownKind,
  itemsKind,
  namespaceKind,
  directKind,
  directFieldsKind,
  lowerKind,
  annotationKind,
  meshKind,
  consumerKind,
  directConsumerKind,
  rootsKind,
  exclusiveKind,
  noneKind,
  customKind,
  mixedKind,
  portKind,
  listenerKind,
  virtualKind,
  foreignKind,
  ...attachmentKinds,
];
