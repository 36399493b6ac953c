/** The outcome of each setting of a fold: the provenance, and what the verdicts count. */
import type { Lost, RemovalOutcome, Source } from "../../src/core/merge/provenance.ts";
import type { PolicyId } from "../../src/core/model/refs.ts";
import { equalsAmong, type FoldState, type Loss, policiesOf, type Setting } from "./fold-state.ts";
import { compareText, unique } from "./json-value.ts";
import type { OracleUnit } from "./spec-units.ts";

/**
 * Why a setting is not in the result. `equal` compares with the final value, so it is determined at the end: a setting
 * that was equal to a value which was overridden later has the loss of that value, and a setting whose value came back
 * later is equal.
 */
function lossOf(setting: Setting, state: FoldState): Loss {
  const loss = state.losses.get(setting);
  if (loss === undefined) throw new Error(`${setting.unit.pointer} is neither in the result nor has a loss`);
  // A policy that a section's replaces as a whole (`by`) is replaced in equal values, too.
  if (loss.reason === "removed" || loss.reason === "gated" || loss.by !== undefined || loss.byAll !== undefined)
    return loss;
  const equals = equalsAmong(setting, state.current);
  if (equals.length > 0) return { reason: "equal", to: equals };
  return loss.reason === "equal" ? lossOf(loss.to[0] as Setting, state) : loss;
}

function byOf({ by, byAll, occupant, to }: Loss): readonly PolicyId[] {
  if (byAll !== undefined) return byAll;
  const one = by ?? occupant;
  return one === undefined ? policiesOf(to) : [one];
}

/** One source for each pointer of the stack, sorted by pointer. `counts` selects the units to report. */
export function sourcesOf(state: FoldState, counts: (unit: OracleUnit) => boolean): readonly Source[] {
  const units = [...state.settings, ...state.current].map(({ unit }) => unit);
  const pointers = unique(units.filter(counts).map(({ pointer }) => pointer));
  return [...pointers].sort(compareText).map((pointer) => {
    const winner = state.current.find(({ unit }) => unit.pointer === pointer);
    return {
      pointer,
      policy: winner?.policy?.id ?? null,
      block: winner?.block ?? null,
      ...(winner?.object === undefined ? {} : { object: winner.object }),
      ...(winner?.computed === undefined ? {} : { computed: winner.computed }),
      decidedBy: state.stepAt(pointer),
      lost: state.settings
        .filter((one) => one.unit.pointer === pointer && !state.current.includes(one))
        .map((one) => lossRecord(one, lossOf(one, state))),
    };
  });
}

function lossRecord({ unit, policy, block }: Setting, loss: Loss): Lost {
  return {
    ...(policy === null || block === null ? {} : { policy: policy.id, block }),
    value: unit.value,
    reason: loss.reason,
    by: byOf(loss),
  };
}

/** The outcome of one unit of a policy. */
export interface Outcome {
  readonly policy: PolicyId;
  readonly state: "inEffect" | "gated" | "lost";
  /** The policies that override it; empty if the object's own value does. */
  readonly by: readonly PolicyId[];
}

/** `counts` selects the units to report. A value that a custom strategy computed takes effect for the policy it is credited to. */
export function outcomesOf(state: FoldState, counts: (unit: OracleUnit) => boolean): readonly Outcome[] {
  const computed = state.current.filter((one) => one.computed);
  return [...state.settings, ...computed].flatMap((setting): Outcome[] => {
    if (setting.policy === null || !counts(setting.unit)) return [];
    const policy = setting.policy.id;
    if (state.current.includes(setting)) return [{ policy, state: "inEffect", by: [] }];
    const loss = lossOf(setting, state);
    if (loss.reason !== "equal" && loss.reason !== "gated" && takesEffectThere(setting, state)) return [];
    if (loss.reason === "gated") return [{ policy, state: "gated", by: [] }];
    return [{ policy, state: loss.reason === "equal" ? "inEffect" : "lost", by: byOf(loss) }];
  });
}

/** An entry of `remove` is a unit. One that finds nothing to remove counts neither way. */
export const outcomesOfRemovals = (removals: readonly RemovalOutcome[]): readonly Outcome[] =>
  removals
    .filter(({ state }) => state !== "neutral")
    .map(({ policy, state, by }) => ({
      policy,
      state: state === "inEffect" || state === "gated" ? state : "lost",
      by,
    }));

/** An empty policy is a unit where it keeps out a default, or is replaced. */
export const outcomesOfEmpty = ({ emptyPolicies }: FoldState): readonly Outcome[] =>
  emptyPolicies.flatMap(({ policy, keepsOut, by }): readonly Outcome[] => {
    if (keepsOut) return [{ policy: policy.id, state: "inEffect", by: [] }];
    return by.length === 0 ? [] : [{ policy: policy.id, state: "lost", by: unique(by.map(({ id }) => id)) }];
  });

/** True if the same policy takes effect at the pointer with another block, or at another level: it does not override itself. */
function takesEffectThere({ policy, unit }: Setting, state: FoldState): boolean {
  const own = [...state.settings, ...state.current].filter(
    (one) => one.policy === policy && one.unit.pointer === unit.pointer,
  );
  return own.some((one) => state.current.includes(one) || lossOf(one, state).reason === "equal");
}
