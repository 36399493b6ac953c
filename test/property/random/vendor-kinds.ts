/** Policy kinds with rules that vendors have beyond GEP-713: one for each extension of the definition language. */
import { define, type PolicyKindUnderTest, weightAnnotation } from "./define-kind.ts";

const leaves: Omit<PolicyKindUnderTest, "definition"> = {
  paths: ["color", "colors.dark", "colors.light", "colors", "priority", "action"],
  strategies: [],
  removals: ["color", "colors", "colors.dark", "nothing"],
  conditions: ["spec.color == 1", "has(spec.colors)", "1 / 0 == 1"],
};

/** All policies take effect, in groups, by priority, then from the root down. */
const accumulateKind: PolicyKindUnderTest = {
  ...leaves,
  definition: define({
    kind: "AddingPolicy",
    merge: {
      accumulate: {
        groupBy: { path: "action", values: ["x", "2"], descending: false, absent: "none" },
        order: [{ path: "priority", values: [], descending: false, absent: "2" }, "Level"],
      },
      atomicPaths: ["colors"],
    },
  }),
};

/** All policies take effect, the most specific last; at most two on a target. Two kinds are joined. */
const limitedKind: PolicyKindUnderTest = {
  ...leaves,
  weighs: true,
  definition: define({
    kind: "LimitedPolicy",
    joined: [{ group: "example.com", kind: "ClusterLimitedPolicy", scope: "Cluster" }],
    targeting: { crossNamespace: "ReferenceGrant" },
    merge: {
      accumulate: {
        order: ["Name", { annotation: weightAnnotation, values: [], descending: true, absent: "1" }],
      },
      precedence: [{ annotation: weightAnnotation, values: [], descending: true, absent: "0" }],
      limit: 2,
    },
  }),
};

/** The policies of different levels are merged; on one target only the one with the highest weight is accepted. */
const weightedKind: PolicyKindUnderTest = {
  ...leaves,
  strategies: ["field", "atomic"],
  weighs: true,
  definition: define({
    kind: "WeightedPolicy",
    merge: {
      granularity: { default: "Field", field: "strategy", values: { field: "Field", atomic: "Atomic" } },
      precedence: [{ annotation: weightAnnotation, values: [], descending: true, absent: "0" }, "Name"],
      sameTarget: "Conflicted",
    },
  }),
};

/** On one target policies are merged unless two set the same field. */
const sharingKind: PolicyKindUnderTest = {
  ...leaves,
  definition: define({
    kind: "SharingPolicy",
    merge: {
      granularity: { default: "Field", field: "strategy", values: {} },
      precedence: [{ path: "action", values: ["x", "1"], descending: true, absent: "" }],
      sameTarget: "ConflictedWhereBothSet",
    },
  }),
};

/** Of several policies on one target none takes effect. */
const noneWinsKind: PolicyKindUnderTest = {
  ...leaves,
  definition: define({
    kind: "RivalPolicy",
    merge: { granularity: { default: "Field", field: "strategy", values: {} }, sameTarget: "NoneWins" },
  }),
};

/** Of several policies on one target, which are never merged, none takes effect. */
const directRivalKind: PolicyKindUnderTest = {
  ...leaves,
  definition: define({ kind: "LoneRivalPolicy", merge: { none: true, sameTarget: "NoneWins" } }),
};

export const vendorKinds: readonly PolicyKindUnderTest[] = [
  accumulateKind,
  limitedKind,
  weightedKind,
  sharingKind,
  noneWinsKind,
  directRivalKind,
];
