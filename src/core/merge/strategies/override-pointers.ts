import { Contenders } from "../contenders.ts";
import { type Candidate, type FoldResult, isEmptyMap } from "../fold-result.ts";
import type { Step } from "../provenance.ts";
import { loseDefault, NO_OTHERS, replace, takePointer } from "../take-or-lose.ts";

/**
 * Each candidate replaces what is at its pointer, or at the pointer of its whole rule. A unit that several candidates replace is
 * attributed to all of them, so that their order does not matter.
 */
export function overridePointers(
  result: FoldResult,
  candidates: readonly Candidate[],
  decision: Step,
  replacesRule: (candidate: Candidate) => boolean,
): void {
  const replaced = new Map<Candidate, Candidate[]>();
  const setting: Candidate[] = [];
  for (const candidate of candidates) {
    const { pointer, rule, value } = candidate.unit;
    const isWhole = replacesRule(candidate);
    const conflicting = result.conflicting(isWhole ? rule : pointer);
    // A rule is replaced as a whole; any other empty map leaves what is in it.
    if (!isWhole && isEmptyMap(value) && conflicting.some(({ unit }) => unit.pointer.length > pointer.length)) {
      loseDefault(result, candidate, conflicting, NO_OTHERS, decision);
      continue;
    }
    setting.push(candidate);
    for (const old of conflicting) {
      const winners = replaced.get(old);
      if (winners === undefined) replaced.set(old, [candidate]);
      else winners.push(candidate);
    }
  }
  for (const [old, winners] of replaced) {
    const contenders = new Contenders(winners);
    replace(result, old, contenders.overlapping(old), contenders.policies(), decision);
  }
  for (const candidate of setting) takePointer(result, candidate, decision);
}
