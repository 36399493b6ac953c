/** Merging one block of a policy into the result: RFC 9's flowcharts, for every granularity. */
import type { BlockMerge } from "./block-merge.ts";
import {
  type Candidate,
  type Decision,
  type FoldResult,
  isEmptyMap,
  policiesOf,
  reasonAgainst,
} from "./fold-result.ts";
import { mergeCustom } from "./merge-custom.ts";

export function mergeBlock(result: FoldResult, merge: BlockMerge): void {
  if (merge.candidates.length === 0) return;
  switch (merge.strategy.base) {
    case "Defaults":
      if (result.isEmpty) for (const candidate of merge.candidates) take(result, candidate, merge.decision);
      else mergeDefaults(result, merge);
      return;
    case "Overrides":
      mergeOverrides(result, merge);
      return;
  }
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
      const holders = result.holders();
      for (const candidate of merge.candidates)
        yieldTo(result, candidate, result.inTheWay(candidate.unit.pointer), holders, merge.decision);
      return;
    }
    case "Merge":
      for (const [rule, units] of byRule(merge.candidates)) mergeDefaultRule(result, rule, units, merge.decision);
      return;
    case "Field":
    case "Patch":
      for (const candidate of merge.candidates) mergeDefaultLeaf(result, candidate, merge.decision);
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
      for (const [rule, units] of byRule(merge.candidates)) {
        for (const old of heldInRule(result, rule)) replace(result, old, units, merge.decision);
        for (const candidate of units) take(result, candidate, merge.decision);
      }
      return;
    case "Field":
    case "Patch":
      for (const candidate of merge.candidates) overrideLeaf(result, candidate, merge.decision);
      return;
  }
}

/** Everything held goes, whatever it is; the candidates stand in its place. */
export function replaceAll(result: FoldResult, candidates: readonly Candidate[], decision: Decision): void {
  for (const old of result.holders()) replace(result, old, candidates, decision);
  for (const candidate of candidates) take(result, candidate, decision);
}

/** A candidate takes a free place. An empty map above it has said all it has to say. */
function take(result: FoldResult, candidate: Candidate, decision: Decision): void {
  for (const above of result.above(candidate.unit.pointer))
    result.evict(above, "equal", policiesOf([candidate]), candidate);
  result.hold(candidate);
  result.decide(candidate.unit.pointer, decision);
}

function mergeDefaultLeaf(result: FoldResult, candidate: Candidate, decision: Decision): void {
  const { pointer, value } = candidate.unit;
  const inTheWay = result
    .inTheWay(pointer)
    .filter(({ unit }) => unit.pointer.length >= pointer.length || !isEmptyMap(unit.value));
  if (inTheWay.length === 0) {
    take(result, candidate, decision);
  } else if (isEmptyMap(value) && (inTheWay[0] as Candidate).unit.pointer.length > pointer.length) {
    result.lose(candidate, "equal", policiesOf(inTheWay), inTheWay[0]);
    result.decide(pointer, decision);
  } else {
    yieldTo(result, candidate, inTheWay, [], decision);
  }
}

function mergeDefaultRule(result: FoldResult, rule: string, units: readonly Candidate[], decision: Decision): void {
  const held = heldInRule(result, rule);
  if (held.length === 0) for (const candidate of units) take(result, candidate, decision);
  else
    for (const candidate of units) yieldTo(result, candidate, result.inTheWay(candidate.unit.pointer), held, decision);
}

/** A default loses to what holds its place, or else to `others` (Atomic: whoever holds anything; Merge: whoever holds the rule). */
function yieldTo(
  result: FoldResult,
  candidate: Candidate,
  inTheWay: readonly Candidate[],
  others: readonly Candidate[],
  decision: Decision,
): void {
  const winner = inTheWay[0];
  const reason = winner === undefined ? "beaten" : reasonAgainst(candidate, winner, "beaten");
  const by = policiesOf(winner === undefined ? others : inTheWay);
  result.lose(candidate, reason, by, reason === "equal" ? winner : undefined);
  result.decide(candidate.unit.pointer, decision);
}

function overrideLeaf(result: FoldResult, candidate: Candidate, decision: Decision): void {
  const { pointer, value } = candidate.unit;
  const below = result.below(pointer);
  if (below.length > 0 && isEmptyMap(value)) {
    result.lose(candidate, "equal", policiesOf(below), below[0]);
    result.decide(pointer, decision);
    return;
  }
  for (const old of [...result.inTheWay(pointer)]) {
    if (old.unit.pointer.length < pointer.length && isEmptyMap(old.unit.value)) continue;
    replace(result, old, [candidate], decision);
  }
  take(result, candidate, decision);
}

/** A held candidate goes, because of `winners`: the one at its own place, else one that overlaps, else all of them together. */
function replace(result: FoldResult, old: Candidate, winners: readonly Candidate[], decision: Decision): void {
  const winner =
    winners.find(({ unit }) => unit.pointer === old.unit.pointer) ?? (winners.length === 1 ? winners[0] : undefined);
  const reason = winner === undefined ? "replaced" : reasonAgainst(old, winner, "replaced");
  result.evict(old, reason, policiesOf(winners), reason === "equal" ? winner : undefined);
  result.decide(old.unit.pointer, decision);
}

/** Held units of a named rule, and whatever stands where the rule would. */
function heldInRule(result: FoldResult, rule: string): Candidate[] {
  return result.inTheWay(rule).filter(({ unit }) => unit.pointer.length >= rule.length || !isEmptyMap(unit.value));
}

function byRule(candidates: readonly Candidate[]): Map<string, Candidate[]> {
  const rules = new Map<string, Candidate[]>();
  for (const candidate of candidates) {
    const units = rules.get(candidate.unit.rule);
    if (units === undefined) rules.set(candidate.unit.rule, [candidate]);
    else units.push(candidate);
  }
  return rules;
}
