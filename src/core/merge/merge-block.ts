/** Merging one block of a policy into the result: RFC 9's flowcharts, for every granularity. */
import type { Policy } from "../model/policy.ts";
import type { BlockMerge } from "./block-merge.ts";
import { Contenders } from "./contenders.ts";
import { type Candidate, type FoldResult, isEmptyMap, lossAgainst, policiesOf } from "./fold-result.ts";
import { mergeCustom } from "./merge-custom.ts";
import { type Step } from "./provenance.ts";

export function mergeBlock(result: FoldResult, merge: BlockMerge): void {
  if (merge.candidates.length === 0) return;
  switch (merge.strategy.base) {
    case "Defaults":
      if (result.isEmpty) for (const candidate of merge.candidates) take(result, candidate, merge.decision);
      else mergeDefaults(result, merge);
      break;
    case "Overrides":
      mergeOverrides(result, merge);
      break;
  }
  result.hear(merge.candidates);
}

/** RFC 9, "Merge a `defaults` block of policy rules into a policy", from "p.empty? No" on. */
function mergeDefaults(result: FoldResult, merge: BlockMerge): void {
  const { granularity } = merge.strategy;
  if (typeof granularity !== "string") {
    mergeCustom(result, merge, granularity.custom);
    return;
  }
  switch (granularity) {
    case "Atomic": {
      if (result.isOpen) mergeDefaultLeaves(result, merge);
      else mergeNothing(result, merge);
      return;
    }
    case "Merge":
      for (const units of byRule(merge.candidates)) mergeDefaultRule(result, units, merge.decision);
      return;
    case "Field":
    case "Patch":
      mergeDefaultLeaves(result, merge);
      return;
  }
}

/** RFC 9, "Merge an `overrides` block of policy rules into a policy". */
function mergeOverrides(result: FoldResult, merge: BlockMerge): void {
  const { granularity } = merge.strategy;
  if (typeof granularity !== "string") {
    if (result.isEmpty) for (const candidate of merge.candidates) take(result, candidate, merge.decision);
    else mergeCustom(result, merge, granularity.custom);
    return;
  }
  switch (granularity) {
    case "Atomic":
      replaceAll(result, merge.candidates, merge.decision);
      return;
    case "Merge":
    case "Field":
    case "Patch":
      overridePlaces(result, merge.candidates, merge.decision, granularity === "Merge");
      return;
  }
}

/**
 * Everything held goes, whatever it is, and the candidates stand in its place. Only what an object says itself stays where
 * they say nothing: REF, "Merging into existing `spec` fields": "overridden on a per-field basis", by whatever strategy.
 */
export function replaceAll(result: FoldResult, candidates: readonly Candidate[], decision: Step): void {
  const contenders = new Contenders(candidates);
  for (const old of result.holders()) {
    const winners = contenders.overlapping(old);
    if (old.policy !== undefined || winners.length > 0) replace(result, old, winners, contenders.policies, decision);
  }
  for (const candidate of candidates) take(result, candidate, decision);
}

/** A candidate takes a free place. An empty map above it has said all it has to say. */
function take(result: FoldResult, candidate: Candidate, decision: Step): void {
  for (const above of result.above(candidate.unit.pointer))
    result.evict(above, { reason: "equal", equalTo: candidate }, policiesOf([candidate]));
  result.hold(candidate);
  result.decide(candidate.unit.pointer, decision);
}

/** RFC 9, Atomic: whatever is held, the block takes nothing. */
function mergeNothing(result: FoldResult, { candidates, decision }: BlockMerge): void {
  const others = new Contenders(result.holders());
  for (const candidate of candidates)
    yieldTo(result, candidate, result.inTheWay(candidate.unit.pointer), others, decision);
}

function mergeDefaultLeaves(result: FoldResult, { candidates, decision }: BlockMerge): void {
  for (const candidate of candidates) {
    const inTheWay = result.inTheWay(candidate.unit.pointer);
    if (inTheWay.length === 0) take(result, candidate, decision);
    else yieldTo(result, candidate, inTheWay, NO_OTHERS, decision);
  }
}

function mergeDefaultRule(result: FoldResult, units: readonly [Candidate, ...Candidate[]], decision: Step): void {
  const held = result.inTheWay(units[0].unit.rule);
  if (held.length === 0) for (const candidate of units) take(result, candidate, decision);
  else {
    const others = new Contenders(held);
    for (const candidate of units)
      yieldTo(result, candidate, result.inTheWay(candidate.unit.pointer), others, decision);
  }
}

const NO_OTHERS = new Contenders([]);

/** A default loses to what holds its place, or else to `others` (Atomic: whoever holds anything; Merge: whoever holds the rule). */
function yieldTo(
  result: FoldResult,
  candidate: Candidate,
  inTheWay: readonly Candidate[],
  others: Contenders,
  decision: Step,
): void {
  const by = inTheWay.length === 0 ? others.policies : policiesOf(inTheWay);
  result.lose(candidate, lossAgainst(candidate, inTheWay, "overridden"), by);
  result.decide(candidate.unit.pointer, decision);
}

/** A candidate that has lost to others, whatever stands in its place besides them. */
export function loseTo(result: FoldResult, winners: Contenders, candidate: Candidate, decision: Step): void {
  const { pointer } = candidate.unit;
  // An empty map blocks nothing below it.
  const inTheWay = winners
    .overlapping(candidate)
    .filter(({ unit }) => unit.pointer.length >= pointer.length || !isEmptyMap(unit.value));
  yieldTo(result, candidate, inTheWay, winners, decision);
}

/** Place by place, but what goes because of several places goes because of all of them: their order does not matter. */
function overridePlaces(result: FoldResult, candidates: readonly Candidate[], decision: Step, isByRule: boolean): void {
  let taken: Map<Candidate, Candidate[]> | undefined;
  const setting: Candidate[] = [];
  for (const candidate of candidates) {
    const { pointer, rule, ruleName, value } = candidate.unit;
    const isWhole = isByRule && ruleName !== undefined;
    const inTheWay = result.inTheWay(isWhole ? rule : pointer);
    // A rule is replaced whole; any other empty map lets stand what is in it.
    if (!isWhole && isEmptyMap(value) && inTheWay.some(({ unit }) => unit.pointer.length > pointer.length)) {
      yieldTo(result, candidate, inTheWay, NO_OTHERS, decision);
      continue;
    }
    setting.push(candidate);
    for (const old of inTheWay) {
      taken ??= new Map();
      const takers = taken.get(old);
      if (takers === undefined) taken.set(old, [candidate]);
      else takers.push(candidate);
    }
  }
  for (const [old, takers] of taken ?? []) {
    const contenders = new Contenders(takers);
    replace(result, old, contenders.overlapping(old), contenders.policies, decision);
  }
  for (const candidate of setting) take(result, candidate, decision);
}

/** A held candidate goes. `winners`: those that stand in its place; `by`: whose doing it is. */
function replace(
  result: FoldResult,
  old: Candidate,
  winners: readonly Candidate[],
  by: readonly Policy[],
  decision: Step,
): void {
  result.evict(old, lossAgainst(old, winners, "replaced"), by);
  result.decide(old.unit.pointer, decision);
}

/** The units of a rule stand side by side: they come out of one subtree. */
function byRule(candidates: readonly Candidate[]): readonly [Candidate, ...Candidate[]][] {
  const rules: [Candidate, ...Candidate[]][] = [];
  for (const candidate of candidates) {
    const last = rules.at(-1);
    if (last?.[0].unit.rule === candidate.unit.rule) last.push(candidate);
    else rules.push([candidate]);
  }
  return rules;
}
