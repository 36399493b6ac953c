/** What a stack folds into, shared by every path that has it: no path in it, only policies. */

import type { ConditionError, Folded } from "../merge/fold.ts";
import type { Loss, Place } from "../merge/fold-result.ts";
import type { JsonObject } from "../model/json.ts";
import type { Policy } from "../model/policy.ts";
import { compareText, type ObjectId } from "../model/refs.ts";
import type { Lost, Source, Step } from "./effective-policy.ts";

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
  /** The provenance, sorted by pointer. Which object's own values hold is left open: paths to several may share it. */
  readonly sources: readonly Source[];
  /** Which of the sources tell of the object's own values. */
  readonly own: readonly number[];
}

export interface EffectiveCore extends FoldedSpec {
  readonly outcomes: readonly Outcome[];
  readonly conditionErrors: readonly ConditionError[];
  /** Folds into single items of the object's own fields. */
  readonly fields: readonly CoreField[];
}

/** A fold into one item. */
export interface FoldedField {
  readonly object: ObjectId;
  readonly pointer: string;
  readonly folded: Folded;
}

export interface CoreField extends FoldedSpec {
  readonly object: ObjectId;
  readonly pointer: string;
}

const NO_FIELDS: readonly CoreField[] = [];
const NO_POLICIES: readonly Policy[] = [];

/** The places of a fold, by pointer. */
export function placesOf({ result }: Folded): readonly Place[] {
  const places = result.places.slice();
  return places.length > FEW ? places.sort(byPointer) : sortedFew(places);
}

const FEW = 16;

/** Most folds have a handful of places, and there are many folds. */
function sortedFew(places: Place[]): readonly Place[] {
  for (let next = 1; next < places.length; next++) {
    const place = places[next] as Place;
    let at = next;
    for (; at > 0 && byPointer(places[at - 1] as Place, place) > 0; at--) places[at] = places[at - 1] as Place;
    places[at] = place;
  }
  return places;
}

const byPointer = (a: Place, b: Place): number => compareText(a.pointer, b.pointer);

function foldedSpec({ result }: Folded, places: readonly Place[]): FoldedSpec {
  return { spec: result.toSpec(), sources: places.map(sourceOf), own: ownAmong(places) };
}

const NONE_OWN: readonly number[] = [];

const isOwn = ({ holder }: Place): boolean => holder !== undefined && holder.policy === undefined;

function ownAmong(places: readonly Place[]): readonly number[] {
  if (!places.some(isOwn)) return NONE_OWN;
  return places.flatMap((place, at) => (isOwn(place) ? [at] : NONE_OWN));
}

/** `stack`: every policy of the stack, so that those that say nothing have an outcome too. */
export function effectiveCore(
  whole: Folded,
  policies: readonly Policy[],
  fields: readonly FoldedField[],
): EffectiveCore {
  const places = placesOf(whole);
  const { spec, sources, own } = foldedSpec(whole, places);
  if (fields.length === 0) {
    const outcomes = outcomesOf(policies, [places]);
    return { spec, sources, own, outcomes, conditionErrors: whole.conditionErrors, fields: NO_FIELDS };
  }
  // Where a policy sets fields of the object item by item, the items are where it prevails or not.
  const items = fields.map(({ folded }) => placesOf(folded));
  return {
    spec,
    sources,
    own,
    outcomes: outcomesOf(policies, items),
    conditionErrors: fields.flatMap(({ folded }) => folded.conditionErrors),
    fields: fields.map(
      ({ object, pointer, folded }, at): CoreField => ({ object, pointer, ...foldedSpec(folded, items[at] ?? []) }),
    ),
  };
}

function outcomesOf(policies: readonly Policy[], folds: readonly (readonly Place[])[]): readonly Outcome[] {
  const outcomes: Outcome[] = [];
  for (let at = 0; at < policies.length; at++) {
    const policy = policies[at] as Policy;
    // A policy may stand at several levels.
    if (policies.indexOf(policy) === at)
      outcomes.push({ policy, prevailing: 0, beaten: 0, gated: false, by: NO_POLICIES });
  }
  for (const places of folds) {
    for (const { holder, losses } of places) {
      if (holder?.policy !== undefined && holder.computed === undefined)
        outcomeOf(outcomes, holder.policy).prevailing++;
      for (const loss of losses) countLoss(outcomes, loss);
    }
  }
  // A list that grew has room to spare, and this one is kept.
  return outcomes.slice();
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

/** The provenance, where the own values are those of an object. */
export function sourcesOf({ sources, own }: FoldedSpec, object: ObjectId | undefined): readonly Source[] {
  if (object === undefined || own.length === 0) return sources;
  return sources.map((source, at) => {
    if (!own.includes(at)) return source;
    const { pointer, policy, block, ...rest } = source;
    return { pointer, policy, block, object, ...rest };
  });
}

function sourceOf({ pointer, holder, decidedBy = OWN, losses }: Place): Source {
  const policy = holder?.policy?.id ?? null;
  const block = holder?.block?.name ?? null;
  const lost = losses.length === 0 ? NOTHING_LOST : losses.map(lostOf);
  if (holder?.computed) return { pointer, policy, block, computed: true, decidedBy, lost };
  return { pointer, policy, block, decidedBy, lost };
}

const NOTHING_LOST: readonly Lost[] = [];
const OWN: Step = { policy: null, block: null, strategy: "Own" };

function lostOf({ candidate, reason, by }: Loss): Lost {
  const { policy, block, unit } = candidate;
  const winners = by.map(({ id }) => id);
  // Without a policy it is the object's own value.
  if (policy === undefined || block === undefined) return { value: unit.value, reason, by: winners };
  return { policy: policy.id, block: block.name, value: unit.value, reason, by: winners };
}
