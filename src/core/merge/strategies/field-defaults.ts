import type { BlockMerge } from "../block-merge.ts";
import type { FoldResult } from "../fold-result.ts";
import { loseDefault, NO_OTHERS, takePointer } from "../take-or-lose.ts";

/**
 * Field and Patch defaults
 *
 * Each field of the block is taken if no lower policy has set it. A list is one value; with Patch a `null` counts as set.
 * GEP-713, "Atomicity of merging specs"
 */
export function fieldDefaults(result: FoldResult, { candidates, decision }: BlockMerge): void {
  for (const candidate of candidates) {
    const conflicting = result.conflicting(candidate.unit.pointer);
    if (conflicting.length === 0) takePointer(result, candidate, decision);
    else loseDefault(result, candidate, conflicting, NO_OTHERS, decision);
  }
}
