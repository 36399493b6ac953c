import type { BlockMerge } from "../block-merge.ts";
import { Contenders } from "../contenders.ts";
import type { FoldResult } from "../fold-result.ts";
import { loseDefault } from "../take-or-lose.ts";
import { fieldDefaults } from "./field-defaults.ts";

/**
 * Atomic defaults
 *
 * If a lower policy has set anything, the whole block is ignored. If only objects have set values of their own, the block fills
 * in what they leave open.
 * GEP-713, "Combined merge strategies"
 */
export function atomicDefaults(result: FoldResult, merge: BlockMerge): void {
  if (result.isOpen) fieldDefaults(result, merge);
  else takeNothing(result, merge);
}

function takeNothing(result: FoldResult, { candidates, decision }: BlockMerge): void {
  const others = new Contenders(result.holders());
  for (const candidate of candidates)
    loseDefault(result, candidate, result.conflicting(candidate.unit.pointer), others, decision);
}
