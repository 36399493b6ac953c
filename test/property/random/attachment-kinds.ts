/** Policy kinds with rules of attachment that vendors have: objects name them, selectors select in other namespaces. */
import type { PolicyKindUnderTest } from "./define-kind.ts";
import {
  barrel,
  berry,
  bush,
  define,
  gateway,
  gatewayClass,
  gatewayTargets,
  httpRoute,
  namespace,
  namingAnnotation,
  policyGroup,
  section,
  service,
  target,
} from "./define-kind.ts";

const values: Omit<PolicyKindUnderTest, "definition"> = {
  paths: ["color", "colors.dark", "colors.light", "colors"],
  strategies: ["atomic", "patch"],
  removals: ["color", "colors.dark"],
  conditions: ["spec.color == 1", "has(spec.colors)"],
};

/** Rules, routes, Gateways and classes name policies, and policies may have targets too: the policies that an object names are more specific. */
const namedKind: PolicyKindUnderTest = {
  ...values,
  definition: define({
    kind: "NamedPolicy",
    joined: [{ group: policyGroup, kind: "ClusterNamedPolicy", scope: "Cluster" }],
    targeting: {
      crossNamespace: "ReferenceGrant",
      kinds: [...gatewayTargets.map((kind) => ({ ...kind, policies: ["NamedPolicy"] })), target(gatewayClass)],
      namedBy: [
        { level: section(httpRoute, "Rule"), path: "filters[type=ExtensionRef].extensionRef" },
        { level: httpRoute, annotation: namingAnnotation, separator: "," },
        { level: gateway, path: "spec.infrastructure.parametersRef" },
        { level: gatewayClass, path: "spec.parametersRef" },
      ],
    },
    merge: { granularity: { default: "Patch", field: "strategy", values: { atomic: "Atomic", patch: "Patch" } } },
  }),
};

/** A Direct kind without targets of its own. */
const parametersKind: PolicyKindUnderTest = {
  ...values,
  strategies: [],
  definition: define({
    kind: "ParametersPolicy",
    class: "Direct",
    targeting: {
      kinds: [],
      namedBy: [
        { level: gateway, path: "spec.infrastructure.parametersRef" },
        { level: service, annotation: namingAnnotation, separator: "," },
        { level: section(httpRoute, "Rule"), path: "filters[].extensionRef" },
      ],
    },
    hierarchy: { effectiveTargets: [gateway, service, section(httpRoute, "Rule")] },
    merge: { none: true },
  }),
};

/** Settings beside metadata, and all policies that objects name take effect. */
const rootKind: PolicyKindUnderTest = {
  ...values,
  strategies: [],
  definition: define({
    kind: "RootPolicy",
    targeting: {
      kinds: [],
      namedBy: [
        { level: httpRoute, annotation: namingAnnotation, separator: "," },
        { level: section(httpRoute, "Rule"), path: "filters[].extensionRef" },
      ],
    },
    merge: { accumulate: { order: ["Level", "Reference"] } },
    settings: "Root",
  }),
};

/** Selectors select in other namespaces. */
const selectingKind: PolicyKindUnderTest = {
  ...values,
  definition: define({
    kind: "SelectingPolicy",
    targeting: {
      selectorNamespaces: { field: "namespaces", grants: "Needed", everywhere: [] },
    },
    merge: { granularity: { default: "Patch", field: "strategy", values: { atomic: "Atomic", patch: "Patch" } } },
  }),
};

/** Selectors need no grants, and policies in one namespace select everywhere. */
const globalKind: PolicyKindUnderTest = {
  ...values,
  definition: define({
    kind: "GlobalPolicy",
    targeting: {
      selectorNamespaces: { field: "namespaces", grants: "NotNeeded", everywhere: ["a-b"] },
    },
    merge: { granularity: { default: "Patch", field: "strategy", values: { atomic: "Atomic", patch: "Patch" } } },
  }),
};

/** Without a target: the Namespace of the policy, or from one namespace every Namespace; or workloads by label. A spec is optional, too. */
const absentKind: PolicyKindUnderTest = {
  ...values,
  definition: define({
    kind: "AbsentPolicy",
    targeting: {
      kinds: [target(namespace), ...gatewayTargets],
      absent: {
        means: "OwnNamespace",
        rootNamespace: "a-b",
        workloadSelector: "selector",
        workloads: [
          { ...barrel, labels: "spec.template.metadata.labels" },
          { ...gateway, labels: "spec.infrastructure.labels", nameLabels: ["example.com/gateway"] },
        ],
      },
    },
    hierarchy: {
      effectiveTargets: [section(httpRoute, "Rule"), barrel],
      namespacesAbove: [gateway, httpRoute, barrel],
      kinds: [{ ...barrel, scope: "Namespaced", sections: [] }],
    },
    merge: { granularity: { default: "Patch", field: "strategy", values: { atomic: "Atomic", patch: "Patch" } } },
    settings: "OptionalSpec",
  }),
};

/** Only listeners of Gateways may be targeted, not whole Gateways. */
const sectionOnlyKind: PolicyKindUnderTest = {
  ...values,
  definition: define({
    kind: "SectionOnlyPolicy",
    targeting: { kinds: [{ ...target(gateway, ["Listener"]), sectionRequired: true }, target(httpRoute, ["Rule"])] },
    merge: { granularity: { default: "Patch", field: "strategy", values: { atomic: "Atomic", patch: "Patch" } } },
  }),
};

/** Listeners and ports of Services by their number. */
const portsKind: PolicyKindUnderTest = {
  ...values,
  definition: define({
    kind: "PortsPolicy",
    targeting: {
      kinds: [
        { ...target(gateway, ["Listener"]), byPort: true },
        { ...target(service, ["Port"]), byPort: true },
      ],
    },
    hierarchy: { effectiveTargets: [section(gateway, "Listener"), section(service, "Port")] },
    merge: { granularity: { default: "Patch", field: "strategy", values: { atomic: "Atomic", patch: "Patch" } } },
  }),
};

/** Branches pick berries by name, all of a namespace or by label, in other namespaces without grants. */
const pickingKind: PolicyKindUnderTest = {
  ...values,
  definition: define({
    kind: "PickingPolicy",
    targeting: { kinds: [target(bush, ["Branch"]), target(berry)] },
    hierarchy: {
      effectiveTargets: [berry],
      links: [
        {
          from: section(bush, "Branch"),
          to: berry,
          via: "ChildRefs",
          path: "picks",
          grants: "NotNeeded",
          anyName: "*",
          byLabel: { group: "pick.example.com", kind: "Label", label: "team", allNamespaces: "all" },
        },
      ],
      kinds: [
        { ...bush, scope: "Namespaced", sections: [{ section: "Branch", path: "spec.branches" }] },
        { ...berry, scope: "Namespaced", sections: [] },
      ],
    },
    merge: { granularity: { default: "Patch", field: "strategy", values: { atomic: "Atomic", patch: "Patch" } } },
  }),
};

export const attachmentKinds: readonly PolicyKindUnderTest[] = [
  namedKind,
  parametersKind,
  rootKind,
  selectingKind,
  globalKind,
  sectionOnlyKind,
  absentKind,
  portsKind,
  pickingKind,
];
