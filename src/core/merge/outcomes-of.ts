import type { Policy } from "../model/policy.ts";
import type { EmptyPolicyResult } from "./empty-policies.ts";
import type { Loss, PointerState } from "./fold-result.ts";
import type { Outcome } from "./provenance.ts";
import type { RemovalResult } from "./removals.ts";

type Draft = { -readonly [key in keyof Outcome]: Outcome[key] };

const NO_POLICIES: readonly Policy[] = [];

/**
 * The outcome of each policy of a stack. `policies`: those with a part in the fold, so that a policy that sets nothing has an
 * outcome too. `folds`: the pointers of the spec, and those of each item of an object's field.
 */
export function outcomesOf(
  policies: readonly Policy[],
  folds: readonly (readonly PointerState[])[],
  removals: readonly RemovalResult[],
  emptyPolicies: readonly EmptyPolicyResult[],
): readonly Outcome[] {
  const outcomes = new Map<Policy, Draft>();
  for (const policy of policies) {
    // A policy may be attached at several levels of one path.
    if (outcomes.has(policy)) continue;
    outcomes.set(policy, { policy, inEffect: 0, values: 0, overridden: 0, gated: false, by: NO_POLICIES });
  }
  const outcomeOf = (policy: Policy): Draft => {
    const outcome = outcomes.get(policy);
    if (outcome === undefined) throw new Error(`${policy.id} is not in the stack`);
    return outcome;
  };
  for (const states of folds) {
    for (const state of states) {
      const { current, losses } = state;
      if (current?.policy !== undefined) countValue(outcomeOf(current.policy));
      for (const loss of losses) {
        const { policy } = loss.setting;
        if (policy === undefined) continue;
        const isCounted = loss.reason === "equal" ? isRepeated(state, loss) : takesEffectAt(state, policy);
        if (!isCounted) countLoss(outcomeOf(policy), loss);
      }
    }
  }
  for (const removal of removals) countRemoval(outcomeOf(removal.policy), removal);
  for (const { policy, inEffect, by } of emptyPolicies) {
    if (inEffect) outcomeOf(policy).inEffect++;
    else if (by.length > 0) countOverridden(outcomeOf(policy), by);
  }
  return [...outcomes.values()];
}

/** A policy that takes effect at a pointer is not overridden there: its settings of another block or at another level do not count. */
const takesEffectAt = ({ current, losses }: PointerState, policy: Policy): boolean =>
  current?.policy === policy || losses.some(({ setting, reason }) => setting.policy === policy && reason === "equal");

/** A policy at two levels sets a value once. */
const isRepeated = ({ current, losses }: PointerState, loss: Loss): boolean =>
  current?.policy === loss.setting.policy ||
  losses.find(({ reason, setting }) => reason === "equal" && setting.policy === loss.setting.policy) !== loss;

function countValue(outcome: Draft): void {
  outcome.inEffect++;
  outcome.values++;
}

function countRemoval(outcome: Draft, { state, by }: RemovalResult): void {
  switch (state) {
    case "inEffect":
      outcome.inEffect++;
      return;
    case "overridden":
      countOverridden(outcome, by);
      return;
    case "gated":
      outcome.gated = true;
      return;
    case "neutral":
      return;
  }
}

function countLoss(outcome: Draft, { reason, by }: Loss): void {
  switch (reason) {
    case "gated":
      outcome.gated = true;
      return;
    case "equal":
      countValue(outcome);
      return;
    case "overridden":
    case "replaced":
    case "removed":
    case "deleted":
      countOverridden(outcome, by);
      return;
  }
}

/** A policy at two levels never overrides itself: a setting that only the same policy overrides does not count. */
function countOverridden(outcome: Draft, by: readonly Policy[]): void {
  const others = by.includes(outcome.policy) ? by.filter((winner) => winner !== outcome.policy) : by;
  if (by.length > 0 && others.length === 0) return;
  outcome.overridden++;
  if (outcome.by.length === 0) outcome.by = others;
  else if (!others.every((winner) => outcome.by.includes(winner)))
    outcome.by = [...outcome.by, ...others.filter((winner) => !outcome.by.includes(winner))];
}
