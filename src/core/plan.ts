import { applyPlanned } from "./apply.ts";
import { checkedFindings } from "./check.ts";
import { type Change, objectChanges } from "./effective/update/object-changes.ts";
import { type Evaluation, optionsOf, worldOf } from "./evaluation.ts";
import { planChanges } from "./explain/plan/plan-changes.ts";
import { acceptedChanges } from "./explain/plan/refused-updates.ts";
import type { Plan } from "./explain/plan/result.ts";

/**
 * Compares an evaluation with the one after a change: which values, policies and findings change. The evaluation stays as it is. A
 * change that breaks a transition rule of its CRD is left out, with a finding: the API server would refuse it.
 *
 * @example
 * ```ts
 * const { policies, kinds } = plan(evaluation, [{ delete: fridayFix }]);
 * console.log(policies.map(({ policy }) => policy), kinds.flatMap(({ changes }) => changes).length);
 * ```
 */
export function plan(evaluation: Evaluation, changes: Iterable<Change>): Plan {
  const before = worldOf(evaluation);
  const { changes: list, refused } = acceptedChanges(before, [...changes]);
  const { evaluation: next, delta } = applyPlanned(evaluation, list);
  const cel = optionsOf(evaluation).evaluateCondition;
  return planChanges({
    before,
    after: worldOf(next),
    delta,
    changes: objectChanges(before, list).changes,
    findingsOf: (world) => checkedFindings(world, cel),
    refused,
  });
}
