import type { BlockMerge } from "../block-merge.ts";
import type { FoldResult } from "../fold-result.ts";
import { overridePointers } from "./override-pointers.ts";

/**
 * Merge overrides
 *
 * Each named rule of the block replaces the rule of that name, as a whole. Two rules are never mixed.
 * RFC 9, "Merge an `overrides` block of policy rules into a policy"
 */
export function ruleOverrides(result: FoldResult, { settings, decision }: BlockMerge): void {
  overridePointers(result, settings, decision, ({ unit }) => unit.ruleName !== undefined);
}
