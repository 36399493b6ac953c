import { Contenders } from "../contenders.ts";
import type { Candidate, FoldResult } from "../fold-result.ts";
import type { Step } from "../provenance.ts";
import { replace, takePointer } from "../take-or-lose.ts";

/**
 * Atomic overrides
 *
 * The block replaces everything that lower policies have set. An object's own value is replaced only where the block sets the
 * same field.
 * GEP-713, "Combined merge strategies"
 */
export function atomicOverrides(result: FoldResult, candidates: readonly Candidate[], decision: Step): void {
  const contenders = new Contenders(candidates);
  for (const old of result.holders()) {
    const winners = contenders.overlapping(old);
    if (old.policy !== undefined || winners.length > 0) replace(result, old, winners, contenders.policies(), decision);
  }
  for (const candidate of candidates) takePointer(result, candidate, decision);
}
