/** Policy kinds with retry settings, most of which are also fields of routes. */
import type { MergeRules } from "../../../src/core/model/definition.ts";
import {
  define,
  foreignGroup,
  gateway,
  gatewayClass,
  gatewayTargets,
  httpRoute,
  listenerSet,
  namespace,
  type PolicyKindUnderTest,
  policyGroup,
  section,
  service,
  target,
} from "./define-kind.ts";

const retries: Omit<PolicyKindUnderTest, "definition"> = {
  paths: ["retry.attempts", "retry.codes", "retry.hint", "timeouts.request", "labels", "labels.k", "retry"],
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

/** Policy attachment reference: settings that are also fields of the route. Paths end at the backend. */
export const mappedKind: PolicyKindUnderTest = {
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

/** JSON Merge Patch into fields of the route: maps are merged among policies, and are one value against the object's own. */
export const mappedPatchKind: PolicyKindUnderTest = {
  ...retries,
  paths: [...retries.paths, "retry.hint.k", "retry.hint.l"],
  strategies: ["patch", "patch", "atomic"],
  definition: define({
    kind: "MappedPatchPolicy",
    merge: {
      granularity: { default: "Patch", field: "strategy", values: { atomic: "Atomic", patch: "Patch" } },
      atomicPaths: ["labels", "retry.hint"],
    },
    mapsTo: [
      { from: "retry", to: { level: section(httpRoute, "Rule"), path: "retry" }, create: true },
      { from: "labels", to: { level: httpRoute, path: "spec.retry.labels" }, create: true },
    ],
  }),
};

/** Policy attachment reference, RetryFilter: the field is in list items, and only in existing ones. */
export const filterKind: PolicyKindUnderTest = {
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

/** One field on two levels, and one that is changed only where it exists; atomic specs that conflict with scalars. */
export const ownKind: PolicyKindUnderTest = {
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

/** Several settings map to list items, one of them to parts of items that may be created. */
export const itemsKind: PolicyKindUnderTest = {
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

/** A Direct kind that sets a field that its target also has. */
export const directFieldsKind: PolicyKindUnderTest = {
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
export const namespaceKind: PolicyKindUnderTest = {
  ...retries,
  definition: define({
    kind: "NamespacePolicy",
    controllers: ["example.com/gateway", "another.example.com/gateway"],
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

/** Paths end at the ports in use, and contain some kinds only. */
export const portKind: PolicyKindUnderTest = {
  ...retries,
  definition: define({
    kind: "PortPolicy",
    controllers: ["example.com/gateway"],
    targeting: { kinds: [...gatewayTargets, target(service, ["Port"])] },
    hierarchy: {
      effectiveTargets: [service, section(service, "Port")],
      through: [gatewayClass, gateway, httpRoute, service],
    },
    merge: { granularity: fieldGranularity },
  }),
};

/** GEP-713, "Targeting virtual types": the target need not exist. */
export const virtualKind: PolicyKindUnderTest = {
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
