import type { BlockMerge } from "../block-merge.ts";
import { Contenders } from "../contenders.ts";
import type { FoldResult, Setting } from "../fold-result.ts";
import type { Step } from "../provenance.ts";
import { replaceDefault, takePointer } from "../take-or-replace.ts";

/**
 * Merge defaults
 *
 * Each named rule of the block is taken if no lower policy has a rule of that name. Two rules are never mixed.
 * RFC 9, "Merge a `defaults` block of policy rules into a policy"
 */
export function ruleDefaults(result: FoldResult, { settings, decision }: BlockMerge): void {
  for (const units of byRule(settings)) mergeRule(result, units, decision);
}

function mergeRule(result: FoldResult, units: readonly [Setting, ...Setting[]], decision: Step): void {
  const conflicting = result.conflicting(units[0].unit.rule);
  if (conflicting.length === 0) for (const setting of units) takePointer(result, setting, decision);
  else {
    const others = new Contenders(conflicting);
    for (const setting of units)
      replaceDefault(result, setting, result.conflicting(setting.unit.pointer), others, decision);
  }
}

/** Groups settings by rule. The settings of a rule are adjacent, because they are in one subtree. */
function byRule(settings: readonly Setting[]): readonly [Setting, ...Setting[]][] {
  const rules: [Setting, ...Setting[]][] = [];
  for (const setting of settings) {
    const last = rules.at(-1);
    if (last?.[0].unit.rule === setting.unit.rule) last.push(setting);
    else rules.push([setting]);
  }
  return rules;
}
