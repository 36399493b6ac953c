import type { AnnotatedStrategy, MergeRules, MergeStrategy } from "../model/definition.ts";
import type { Block } from "../model/policy.ts";

/**
 * The higher policy dictates the merge strategy
 *
 * Of two conflicting specs the established one, which is higher, dictates the strategy, unless the kind says otherwise.
 * - `block`: the block that is merged, which is the established spec's;
 * - `lower`: the strategy of the first block of the policy that was merged last and has a part in the result, if there is one;
 * - `annotated`: the strategy that the annotation on the higher policy's target selects, if any.
 * GEP-713, "Conflict resolution"
 */
export function chooseStrategy(
  rules: MergeRules,
  block: Pick<Block, "name" | "granularity" | "base">,
  lower: LowerStrategy | undefined,
  annotated: AnnotatedStrategy | undefined,
): AnnotatedStrategy {
  const byName = block.name === "overrides" ? "Overrides" : "Defaults";
  const base = block.base ?? byName;
  switch (rules.decidedBy) {
    case "Higher":
      return { base, granularity: block.granularity };
    case "Lower":
      return lower === undefined
        ? { base, granularity: block.granularity }
        : { base: lower.base ?? byName, granularity: lower.granularity };
    case "Annotation":
      return annotated ?? { base, granularity: block.granularity };
  }
}

/** The strategy that the lower of two policies selects. Without a base strategy, the block that is merged into it gives it. */
export type LowerStrategy = Pick<Block, "granularity" | "base">;

/** `AtomicDefaults`, `MergeOverrides`, `Custom/maxDefaults`: GEP-713, "Combined merge strategies". */
export function strategyName({ base, granularity }: MergeStrategy): string {
  if (typeof granularity !== "string") return `Custom/${granularity.custom}${base}`;
  return base === "Defaults" ? DEFAULTS[granularity] : OVERRIDES[granularity];
}

type Names = Readonly<Record<"Atomic" | "Patch" | "Merge" | "Field", string>>;

// All steps share one text.
const DEFAULTS: Names = {
  Atomic: "AtomicDefaults",
  Patch: "PatchDefaults",
  Merge: "MergeDefaults",
  Field: "FieldDefaults",
};
const OVERRIDES: Names = {
  Atomic: "AtomicOverrides",
  Patch: "PatchOverrides",
  Merge: "MergeOverrides",
  Field: "FieldOverrides",
};
