import type { BlockMerge } from "../block-merge.ts";
import { Contenders } from "../contenders.ts";
import type { FoldResult } from "../fold-result.ts";
import { replaceDefault } from "../take-or-replace.ts";
import { fieldDefaults } from "./field-defaults.ts";

/**
 * Atomic defaults
 *
 * If a lower policy has set anything, or is empty and keeps out defaults all the same, the whole block is ignored. If only objects have set values of
 * their own, the block fills in what they leave open.
 * GEP-713, "Combined merge strategies"
 */
export function atomicDefaults(result: FoldResult, merge: BlockMerge): void {
  const { occupant } = result;
  if (occupant !== undefined) takeNothing(result, merge, { policies: () => [occupant] });
  else if (result.isOpen) fieldDefaults(result, merge);
  else takeNothing(result, merge, new Contenders(result.settings()));
}

function takeNothing(
  result: FoldResult,
  { settings, decision }: BlockMerge,
  others: Pick<Contenders, "policies">,
): void {
  for (const setting of settings)
    replaceDefault(result, setting, result.conflicting(setting.unit.pointer), others, decision);
}
