/** What became of every candidate of a fold: the provenance, and what the verdicts count. */
import type { Lost, Source } from "../../src/core/effective/fold/effective-policy.ts";
import type { PolicyId } from "../../src/core/model/refs.ts";
import { type Candidate, equalsAmong, type FoldState, type Loss, policiesOf } from "./fold-state.ts";
import { compareText, unique } from "./json-value.ts";
import type { OracleUnit } from "./split-units.ts";

/**
 * How a candidate ended. "Equal" is meant of the winner, so it is judged at the end: one that was equal to a value that
 * then lost shares its fate, and one that lost to a value that then gave way to its own is not overridden.
 */
function lossOf(candidate: Candidate, state: FoldState): Loss {
  const loss = state.losses.get(candidate);
  if (loss === undefined) throw new Error(`${candidate.unit.pointer} neither holds its place nor lost it`);
  if (loss.reason === "removed" || loss.reason === "gated") return loss;
  const equals = equalsAmong(candidate, state.held);
  if (equals.length > 0) return { reason: "equal", to: equals };
  return loss.reason === "equal" ? lossOf(loss.to[0] as Candidate, state) : loss;
}

const byOf = ({ by, to }: Loss): readonly PolicyId[] => (by === undefined ? policiesOf(to) : [by]);

/** "For each unit of the stack one source", in the order of the pointers. `counts`: of those that count. */
export function sourcesOf(state: FoldState, counts: (unit: OracleUnit) => boolean): readonly Source[] {
  const units = [...state.candidates, ...state.held].map(({ unit }) => unit);
  const pointers = unique(units.filter(counts).map(({ pointer }) => pointer));
  return [...pointers].sort(compareText).map((pointer) => {
    const holder = state.held.find(({ unit }) => unit.pointer === pointer);
    return {
      pointer,
      policy: holder?.policy?.id ?? null,
      block: holder?.block ?? null,
      ...(holder?.object === undefined ? {} : { object: holder.object }),
      ...(holder?.computed === undefined ? {} : { computed: holder.computed }),
      decidedBy: state.stepAt(pointer),
      lost: state.candidates
        .filter((one) => one.unit.pointer === pointer && !state.held.includes(one))
        .map((one) => describeLoss(one, lossOf(one, state))),
    };
  });
}

function describeLoss({ unit, policy, block }: Candidate, loss: Loss): Lost {
  return {
    ...(policy === null || block === null ? {} : { policy: policy.id, block }),
    value: unit.value,
    reason: loss.reason,
    by: byOf(loss),
  };
}

/** How one unit of a policy fared. */
export interface Outcome {
  readonly policy: PolicyId;
  readonly fate: "prevails" | "gated" | "lost";
  /** The policies it lost to; none: to the object's own value. */
  readonly by: readonly PolicyId[];
}

/** `counts`: of the places that count. A value that a custom strategy made up prevails for whom it is credited to. */
export function outcomesOf(state: FoldState, counts: (unit: OracleUnit) => boolean): readonly Outcome[] {
  const computed = state.held.filter((one) => one.computed);
  return [...state.candidates, ...computed].flatMap((candidate): Outcome[] => {
    if (candidate.policy === null || !counts(candidate.unit)) return [];
    const policy = candidate.policy.id;
    if (state.held.includes(candidate)) return [{ policy, fate: "prevails", by: [] }];
    const loss = lossOf(candidate, state);
    if (loss.reason === "gated") return [{ policy, fate: "gated", by: [] }];
    return [{ policy, fate: loss.reason === "equal" ? "prevails" : "lost", by: byOf(loss) }];
  });
}
