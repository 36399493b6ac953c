import type { BlockMerge } from "../block-merge.ts";
import type { FoldResult } from "../fold-result.ts";
import { overridePointers } from "./override-pointers.ts";

/**
 * Field and Patch overrides
 *
 * Each field of the block replaces the value that a lower policy or the object has set. With Patch a `null` deletes it.
 * Policy attachment reference, "Hierarchy"
 */
export function fieldOverrides(result: FoldResult, { settings, decision }: BlockMerge): void {
  overridePointers(result, settings, decision, () => false);
}
