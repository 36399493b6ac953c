import { Contenders } from "../contenders.ts";
import type { FoldResult, Setting } from "../fold-result.ts";
import type { Step } from "../provenance.ts";
import { replace, takePointer } from "../take-or-replace.ts";

/**
 * Atomic overrides
 *
 * The block replaces everything that lower policies have set. An object's own value is replaced only where the block sets the
 * same field.
 * GEP-713, "Combined merge strategies"
 */
export function atomicOverrides(result: FoldResult, settings: readonly Setting[], decision: Step): void {
  const contenders = new Contenders(settings);
  for (const old of result.settings()) {
    const winners = contenders.overlapping(old);
    if (old.policy !== undefined || winners.length > 0) replace(result, old, winners, contenders.policies(), decision);
  }
  for (const setting of settings) takePointer(result, setting, decision);
}
