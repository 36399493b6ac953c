import type { MergeRules, Targeting } from "../../../src/core/model/definition.ts";

/** The documented defaults of `spec.targeting`, without the kinds. */
export const DEFAULT_TARGETING: Omit<Targeting, "kinds"> = {
  fields: { ref: "targetRef", refs: "targetRefs", selectors: "targetSelectors" },
  refs: "Many",
  selectors: false,
  crossNamespace: "Forbidden",
  positionalRules: false,
};

/** The documented defaults of `spec.merge` of an Inherited kind. */
export const DEFAULT_MERGE: MergeRules = {
  none: false,
  granularity: { default: "Atomic", field: "strategy", values: {} },
  rules: [],
  atomicPaths: [],
  blocks: "Combined",
  bare: "AtomicDefaults",
  decidedBy: "Higher",
  sameTarget: "Established",
  empty: "GivesWay",
};
