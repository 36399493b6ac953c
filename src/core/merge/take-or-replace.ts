/** Merging one setting of a block: it takes its pointer, or others override or replace it. */
import type { Policy } from "../model/policy.ts";
import { Contenders } from "./contenders.ts";
import { type FoldResult, isEmptyMap, lossAgainst, policiesOf, type Setting } from "./fold-result.ts";
import type { Step } from "./provenance.ts";

/** A setting takes a pointer at which nothing conflicts with it. An empty map above it is no longer needed. */
export function takePointer(result: FoldResult, setting: Setting, decision: Step): void {
  for (const above of result.above(setting.unit.pointer))
    result.evict(above, { reason: "equal", equalTo: setting }, policiesOf([setting]));
  result.put(setting);
  result.decide(setting.unit.pointer, decision);
}

export const NO_OTHERS: Contenders = new Contenders([]);

/** A default is replaced by the settings that conflict with it, or else by `others` (Atomic: all settings; Merge: those of the rule). */
export function replaceDefault(
  result: FoldResult,
  setting: Setting,
  conflicting: readonly Setting[],
  others: Pick<Contenders, "policies">,
  decision: Step,
): void {
  const by = conflicting.length === 0 ? others.policies() : policiesOf(conflicting);
  result.lose(setting, lossAgainst(setting, conflicting, "replaced"), by);
  result.decide(setting.unit.pointer, decision);
}

/** A setting is replaced by the winners, whatever else is at its pointer. */
export function replaceBy(result: FoldResult, winners: Contenders, setting: Setting, decision: Step): void {
  const { pointer } = setting.unit;
  // An empty map conflicts with nothing below it.
  const conflicting = winners
    .overlapping(setting)
    .filter(({ unit }) => unit.pointer.length >= pointer.length || !isEmptyMap(unit.value));
  replaceDefault(result, setting, conflicting, winners, decision);
}

/** A setting of the result is overridden. `winners`: the settings that overlap with it; `by`: the policies that override it. */
export function replace(
  result: FoldResult,
  old: Setting,
  winners: readonly Setting[],
  by: readonly Policy[],
  decision: Step,
): void {
  result.evict(old, lossAgainst(old, winners, "overridden"), by);
  result.decide(old.unit.pointer, decision);
}
