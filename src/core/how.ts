import { applyPlanned } from "./apply.ts";
import type { Change } from "./effective/update/object-changes.ts";
import { type Evaluation, worldOf } from "./evaluation.ts";
import { howTo } from "./explain/how/how-to.ts";
import type { How, WantedSetting } from "./explain/how/result.ts";
import type { TryChanges } from "./explain/how/trials.ts";
import { type TargetName, targetNamed } from "./find-target.ts";
import type { GroupKind } from "./model/refs.ts";

/**
 * Options of `how`.
 *
 * @example
 * ```ts
 * const options: HowOptions = { policyKind: { group: "prevail.dev", kind: "RetryPolicy" } };
 * const answer = how(evaluation, "httproute/bakery/baker#order", [{ path: "retry.attempts", value: 0 }], options);
 * console.log(answer?.kinds.map(({ state }) => state));
 * ```
 */
export interface HowOptions {
  /** Only policies of this kind. Without it every kind that has the settings. */
  readonly policyKind?: GroupKind;
}

/**
 * Finds the changes that would make settings take effect on every path of an object or a section: each with its objects and with what
 * else it would change, smallest reach first. Every change was applied to the evaluation and compared; the evaluation itself stays as it is. Undefined unless the name
 * refers to exactly one target.
 *
 * @example
 * ```ts
 * const answer = how(evaluation, "httproute/bakery/baker#order", [{ path: "retry.attempts", value: 0 }]);
 * for (const { changes } of answer?.kinds ?? [])
 *   for (const { steps, reach } of changes) console.log(steps.map(({ summary }) => summary).join(", then "), reach.others.values);
 * ```
 */
export function how(
  evaluation: Evaluation,
  target: TargetName,
  wanted: readonly WantedSetting[],
  options: HowOptions = {},
): How | undefined {
  const world = worldOf(evaluation);
  const found = targetNamed(world, target);
  if (found === undefined) return undefined;
  return howTo(world, { target: found, wanted, policyKind: options.policyKind }, trying(evaluation));
}

/** Applies planned changes to the evaluation, and returns the next world. */
export const trying =
  (evaluation: Evaluation): TryChanges =>
  (changes: readonly Change[]) => {
    const { evaluation: next, delta } = applyPlanned(evaluation, changes);
    return { world: worldOf(next), delta };
  };
