/** What a stack folds into, shared by every path that has it: no path in it, only policies. */

import type { ConditionError, Folded } from "../merge/fold.ts";
import type { Decision, Loss, Place } from "../merge/fold-result.ts";
import type { JsonObject } from "../model/json.ts";
import type { Policy } from "../model/policy.ts";
import { compareText, type ObjectId } from "../model/refs.ts";
import type { Lost, Source, Step } from "./effective-policy.ts";

/** One place of the spec, settled. */
export type Settled = Readonly<Place>;

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
}

export interface CoreField extends FoldedSpec {
  readonly object: ObjectId;
  readonly pointer: string;
}

const NO_FIELDS: readonly CoreField[] = [];
const NO_POLICIES: readonly Policy[] = [];

function foldedSpec({ result }: Folded): FoldedSpec {
  const settled: readonly Settled[] = [...result.places.values()].sort(byPointer).slice();
  return { spec: result.toSpec(), settled };
}

const byPointer = (a: Settled, b: Settled): number => compareText(a.pointer, b.pointer);

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
    spec: spec.spec,
    settled: spec.settled,
    outcomes: outcomesOf(policies, counted),
    conditionErrors: errors,
    fields: core.length === 0 ? NO_FIELDS : core,
  };
}

function outcomesOf(policies: readonly Policy[], specs: readonly FoldedSpec[]): readonly Outcome[] {
  const isFirst = (policy: Policy, at: number): boolean => policies.indexOf(policy) === at;
  const distinct = policies.every(isFirst) ? policies : policies.filter(isFirst);
  const outcomes = distinct.map(
    (policy): Outcome => ({
      policy,
      prevailing: 0,
      beaten: 0,
      gated: false,
      by: NO_POLICIES,
    }),
  );
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
    // A policy never beats itself: what it lost to itself counts neither way.
    if (by.length > 0 && by.every((policy) => policy === candidate.policy)) return;
    outcome.beaten++;
    const isNew = (policy: Policy): boolean => policy !== candidate.policy && !outcome.by.includes(policy);
    if (outcome.by.length === 0 && by.every(isNew)) outcome.by = by;
    else if (by.some(isNew)) outcome.by = [...outcome.by, ...by.filter(isNew)];
  }
}

function outcomeOf(outcomes: readonly Outcome[], policy: Policy): Outcome {
  for (const outcome of outcomes) if (outcome.policy === policy) return outcome;
  throw new Error(`${policy.id} is not in the stack`);
}

/** The provenance as plain data, sorted by pointer. */
export function sourcesOf(core: FoldedSpec, object: ObjectId | undefined): readonly Source[] {
  return core.settled.map((place) => sourceOf(place, object));
}

function sourceOf({ pointer, holder, decidedBy, losses }: Settled, object: ObjectId | undefined): Source {
  const policy = holder?.policy?.id ?? null;
  const block = holder?.block?.name ?? null;
  const step = stepOf(decidedBy);
  const lost = losses.length === 0 ? NOTHING_LOST : losses.map(lostOf);
  const isOwn = holder !== undefined && holder.policy === undefined && object !== undefined;
  if (!isOwn && !holder?.computed) return { pointer, policy, block, decidedBy: step, lost };
  return {
    pointer,
    policy,
    block,
    ...(isOwn ? { object } : {}),
    ...(holder?.computed ? { computed: true as const } : {}),
    decidedBy: step,
    lost,
  };
}

const NOTHING_LOST: readonly Lost[] = [];

const stepOf = (decision: Decision | undefined): Step => ({
  policy: decision?.policy?.id ?? null,
  block: decision?.block?.name ?? null,
  strategy: decision?.strategy ?? "Own",
});

function lostOf({ candidate, reason, by }: Loss): Lost {
  const { policy, block, unit } = candidate;
  const winners = by.map(({ id }) => id);
  // Without a policy it is the object's own value.
  if (policy === undefined || block === undefined) return { value: unit.value, reason, by: winners };
  return { policy: policy.id, block: block.name, value: unit.value, reason, by: winners };
}
