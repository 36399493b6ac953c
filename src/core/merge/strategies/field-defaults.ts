import type { BlockMerge } from "../block-merge.ts";
import type { FoldResult } from "../fold-result.ts";
import { NO_OTHERS, replaceDefault, takePointer } from "../take-or-replace.ts";

/**
 * Field and Patch defaults
 *
 * Each field of the block is taken if no lower policy has set it. A list is one value; with Patch a `null` counts as set.
 * GEP-713, "Atomicity of merging specs"
 */
export function fieldDefaults(result: FoldResult, { settings, decision }: BlockMerge): void {
  for (const setting of settings) {
    const conflicting = result.conflicting(setting.unit.pointer);
    if (conflicting.length === 0) takePointer(result, setting, decision);
    else replaceDefault(result, setting, conflicting, NO_OTHERS, decision);
  }
}
