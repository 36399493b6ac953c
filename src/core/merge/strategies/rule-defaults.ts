import type { BlockMerge } from "../block-merge.ts";
import { Contenders } from "../contenders.ts";
import type { Candidate, FoldResult } from "../fold-result.ts";
import type { Step } from "../provenance.ts";
import { loseDefault, takePointer } from "../take-or-lose.ts";

/**
 * Merge defaults
 *
 * Each named rule of the block is taken if no lower policy has a rule of that name. Two rules are never mixed.
 * RFC 9, "Merge a `defaults` block of policy rules into a policy"
 */
export function ruleDefaults(result: FoldResult, { candidates, decision }: BlockMerge): void {
  for (const units of byRule(candidates)) mergeRule(result, units, decision);
}

function mergeRule(result: FoldResult, units: readonly [Candidate, ...Candidate[]], decision: Step): void {
  const held = result.conflicting(units[0].unit.rule);
  if (held.length === 0) for (const candidate of units) takePointer(result, candidate, decision);
  else {
    const others = new Contenders(held);
    for (const candidate of units)
      loseDefault(result, candidate, result.conflicting(candidate.unit.pointer), others, decision);
  }
}

/** The units of a rule are adjacent: they come out of one subtree. */
function byRule(candidates: readonly Candidate[]): readonly [Candidate, ...Candidate[]][] {
  const rules: [Candidate, ...Candidate[]][] = [];
  for (const candidate of candidates) {
    const last = rules.at(-1);
    if (last?.[0].unit.rule === candidate.unit.rule) last.push(candidate);
    else rules.push([candidate]);
  }
  return rules;
}
