import { Contenders } from "../contenders.ts";
import { type FoldResult, isEmptyMap, type Setting } from "../fold-result.ts";
import type { Step } from "../provenance.ts";
import { NO_OTHERS, replace, replaceDefault, takePointer } from "../take-or-replace.ts";

/**
 * Each setting overrides what is at its pointer, or at the pointer of its whole rule. A unit that several settings override is
 * attributed to all of them, so that their order does not matter.
 */
export function overridePointers(
  result: FoldResult,
  settings: readonly Setting[],
  decision: Step,
  replacesRule: (setting: Setting) => boolean,
): void {
  const replaced = new Map<Setting, Setting[]>();
  const taking: Setting[] = [];
  for (const setting of settings) {
    const { pointer, rule, value } = setting.unit;
    const isWhole = replacesRule(setting);
    const conflicting = result.conflicting(isWhole ? rule : pointer);
    // A rule is overridden as a whole; any other empty map leaves the values below it.
    if (!isWhole && isEmptyMap(value) && conflicting.some(({ unit }) => unit.pointer.length > pointer.length)) {
      replaceDefault(result, setting, conflicting, NO_OTHERS, decision);
      continue;
    }
    taking.push(setting);
    for (const old of conflicting) {
      const winners = replaced.get(old);
      if (winners === undefined) replaced.set(old, [setting]);
      else winners.push(setting);
    }
  }
  for (const [old, winners] of replaced) {
    const contenders = new Contenders(winners);
    replace(result, old, contenders.overlapping(old), contenders.policies(), decision);
  }
  for (const setting of taking) takePointer(result, setting, decision);
}
