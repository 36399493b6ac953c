/** What a stack folds into, shared by every path that has it: no path in it, only policies. */

import type { ConditionError, Folded } from "../merge/fold.ts";
import type { Candidate, Decision, Loss, Place } from "../merge/fold-result.ts";
import { isJsonObject, type JsonObject } from "../model/json.ts";
import type { Policy } from "../model/policy.ts";
import { compareText, type ObjectId } from "../model/refs.ts";
import type { Lost, Source, Step } from "./effective-policy.ts";

/** One place of the spec, settled. */
export interface Settled {
  readonly pointer: string;
  readonly holder: Candidate | undefined;
  readonly decidedBy: Decision | undefined;
  readonly losses: readonly Loss[];
}

/** How one policy fared in one fold. */
export interface Outcome {
  readonly policy: Policy;
  /** Units that hold, or whose value does. */
  prevailing: number;
  /** Units that lost to somebody else. */
  beaten: number;
  gated: boolean;
  /** The policies it lost to. */
  by: readonly Policy[];
}

export interface FoldedSpec {
  readonly spec: JsonObject;
  readonly settled: readonly Settled[];
}

export interface EffectiveCore extends FoldedSpec {
  readonly outcomes: readonly Outcome[];
  readonly conditionErrors: readonly ConditionError[];
  /** Folds into single items of the object's own fields. */
  readonly fields: readonly CoreField[];
  /** Made when asked for. */
  sources: readonly Source[] | undefined;
}

export interface CoreField extends FoldedSpec {
  readonly object: ObjectId;
  readonly pointer: string;
}

const NO_LOSSES: readonly Loss[] = [];
const NO_FIELDS: readonly CoreField[] = [];
const NO_POLICIES: readonly Policy[] = [];

export function foldedSpec({ result }: Folded): FoldedSpec {
  const settled: Settled[] = [];
  for (const [pointer, place] of result.places) settled.push(settle(pointer, place));
  settled.sort((a, b) => compareText(a.pointer, b.pointer));
  return { spec: result.toSpec(), settled };
}

const settle = (pointer: string, { holder, decidedBy, losses }: Place): Settled => ({
  pointer,
  holder,
  decidedBy,
  losses: losses.length === 0 ? NO_LOSSES : losses,
});

/** `stack`: every policy of the stack, so that those that say nothing have an outcome too. */
export function effectiveCore(
  whole: Folded,
  policies: readonly Policy[],
  fields: ReadonlyArray<{ readonly object: ObjectId; readonly pointer: string; readonly folded: Folded }>,
): EffectiveCore {
  const spec = foldedSpec(whole);
  const core = fields.map(({ object, pointer, folded }): CoreField => ({ object, pointer, ...foldedSpec(folded) }));
  // Where a policy sets fields of the object item by item, the items are where it prevails or not.
  const counted: readonly FoldedSpec[] = core.length === 0 ? [spec] : core;
  const errors = core.length === 0 ? whole.conditionErrors : fields.flatMap(({ folded }) => folded.conditionErrors);
  return {
    ...spec,
    outcomes: outcomesOf(policies, counted),
    conditionErrors: errors,
    fields: core.length === 0 ? NO_FIELDS : core,
    sources: undefined,
  };
}

function outcomesOf(policies: readonly Policy[], specs: readonly FoldedSpec[]): readonly Outcome[] {
  const outcomes: Outcome[] = [];
  for (const policy of policies) {
    if (!outcomes.some((outcome) => outcome.policy === policy)) {
      outcomes.push({ policy, prevailing: 0, beaten: 0, gated: false, by: NO_POLICIES });
    }
  }
  for (const { settled } of specs) {
    for (const { holder, losses } of settled) {
      if (holder?.policy !== undefined && holder.computed === undefined)
        outcomeOf(outcomes, holder.policy).prevailing++;
      for (const loss of losses) countLoss(outcomes, loss);
    }
  }
  return outcomes;
}

function countLoss(outcomes: readonly Outcome[], { candidate, reason, by }: Loss): void {
  if (candidate.policy === undefined) return;
  const outcome = outcomeOf(outcomes, candidate.policy);
  if (reason === "gated") {
    outcome.gated = true;
  } else if (reason === "equal") {
    outcome.prevailing++;
  } else {
    const others = by.filter((policy) => policy !== candidate.policy);
    // A policy never beats itself: what it lost to itself counts neither way.
    if (by.length > 0 && others.length === 0) return;
    outcome.beaten++;
    outcome.by = [...outcome.by, ...others.filter((policy) => !outcome.by.includes(policy))];
  }
}

function outcomeOf(outcomes: readonly Outcome[], policy: Policy): Outcome {
  for (const outcome of outcomes) if (outcome.policy === policy) return outcome;
  throw new Error(`${policy.id} is not in the stack`);
}

/** The provenance as plain data, sorted by pointer. */
export function sourcesOf(core: FoldedSpec, object: ObjectId | undefined): readonly Source[] {
  return core.settled.map(({ pointer, holder, decidedBy, losses }) => ({
    pointer,
    policy: holder?.policy?.id ?? null,
    block: holder?.block?.name ?? null,
    ...(holder !== undefined && holder.policy === undefined && object !== undefined ? { object } : {}),
    ...(holder?.computed ? { computed: true as const } : {}),
    decidedBy: stepOf(decidedBy),
    lost: losses.map(lostOf),
  }));
}

const stepOf = (decision: Decision | undefined): Step => ({
  policy: decision?.policy?.id ?? null,
  block: decision?.block?.name ?? null,
  strategy: decision?.strategy ?? "Own",
});

const lostOf = ({ candidate, reason, by }: Loss): Lost => ({
  ...(candidate.policy === undefined ? {} : { policy: candidate.policy.id }),
  ...(candidate.block === undefined ? {} : { block: candidate.block.name }),
  value: candidate.unit.value,
  reason,
  by: by.map(({ id }) => id),
});

export const hasUnits = ({ spec, settled }: FoldedSpec): boolean =>
  settled.length > 0 || (isJsonObject(spec) && Object.keys(spec).length > 0);
