/** What can happen to one candidate when a block is merged: it takes its pointer, or it loses to others. */
import type { Policy } from "../model/policy.ts";
import { Contenders } from "./contenders.ts";
import { type Candidate, type FoldResult, isEmptyMap, lossAgainst, policiesOf } from "./fold-result.ts";
import type { Step } from "./provenance.ts";

/** A candidate takes a pointer at which nothing conflicts with it. An empty map above it is no longer needed. */
export function takePointer(result: FoldResult, candidate: Candidate, decision: Step): void {
  for (const above of result.above(candidate.unit.pointer))
    result.evict(above, { reason: "equal", equalTo: candidate }, policiesOf([candidate]));
  result.hold(candidate);
  result.decide(candidate.unit.pointer, decision);
}

export const NO_OTHERS: Contenders = new Contenders([]);

/** A default loses to the units that conflict with it, or else to `others` (Atomic: to all units; Merge: to those of the rule). */
export function loseDefault(
  result: FoldResult,
  candidate: Candidate,
  conflicting: readonly Candidate[],
  others: Pick<Contenders, "policies">,
  decision: Step,
): void {
  const by = conflicting.length === 0 ? others.policies() : policiesOf(conflicting);
  result.lose(candidate, lossAgainst(candidate, conflicting, "replaced"), by);
  result.decide(candidate.unit.pointer, decision);
}

/** A candidate loses to the winners, whatever else is at its pointer. */
export function loseTo(result: FoldResult, winners: Contenders, candidate: Candidate, decision: Step): void {
  const { pointer } = candidate.unit;
  // An empty map conflicts with nothing below it.
  const conflicting = winners
    .overlapping(candidate)
    .filter(({ unit }) => unit.pointer.length >= pointer.length || !isEmptyMap(unit.value));
  loseDefault(result, candidate, conflicting, winners, decision);
}

/** A unit of the result is replaced. `winners`: the candidates that overlap with it; `by`: the policies that replace it. */
export function replace(
  result: FoldResult,
  old: Candidate,
  winners: readonly Candidate[],
  by: readonly Policy[],
  decision: Step,
): void {
  result.evict(old, lossAgainst(old, winners, "overridden"), by);
  result.decide(old.unit.pointer, decision);
}
