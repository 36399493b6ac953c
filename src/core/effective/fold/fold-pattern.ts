/**
 * What stacks of one pattern fold into. Policies stand in it by their place in the stack, so it holds whoever they are:
 * thousands of policies that say the same, below Gateways whose policies say the same, are folded once.
 */
import type { ConditionError, Folded } from "../../merge/fold.ts";
import { type Decision, type Loss, type Place, specOf } from "../../merge/fold-result.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import type { Block, BlockName, Policy } from "../../model/policy.ts";
import { compareText, type ObjectId } from "../../model/refs.ts";
import type { LossReason, Source } from "./effective-policy.ts";
import { isAbout, type OwnItem, type OwnValues } from "./own-values.ts";
import type { PolicyChain } from "./policy-chain.ts";

/** In the place of a policy: the object itself, or nobody. */
export const NO_POLICY = -1;

export interface StepPattern {
  readonly policy: number;
  readonly block: BlockName | null;
  readonly strategy: string;
}

export interface LostPattern {
  readonly policy: number;
  readonly block: BlockName | undefined;
  readonly value: Json;
  readonly reason: LossReason;
  readonly by: readonly number[];
}

export interface SourcePattern {
  readonly pointer: string;
  readonly policy: number;
  readonly block: BlockName | null;
  readonly computed: boolean;
  /** Equal steps are the same object. */
  readonly decidedBy: StepPattern;
  readonly lost: readonly LostPattern[];
}

export interface SpecPattern {
  readonly spec: JsonObject;
  /** The provenance, sorted by pointer. */
  readonly sources: readonly SourcePattern[];
  /** Which of the sources tell of the object's own values. */
  readonly own: readonly number[];
}

/** How one policy fares. */
export interface OutcomePattern {
  readonly policy: number;
  inEffect: number;
  overridden: number;
  gated: boolean;
  by: readonly number[];
}

/** A fold into one item of the object's own fields. */
export interface FieldPattern extends SpecPattern {
  readonly object: ObjectId;
  readonly pointer: string;
}

export interface ConditionErrorPattern {
  readonly policy: number;
  readonly block: Block;
  readonly message: string;
}

export interface FoldPattern extends SpecPattern {
  readonly outcomes: readonly OutcomePattern[];
  readonly conditionErrors: readonly ConditionErrorPattern[];
  readonly fields: readonly FieldPattern[];
  /** The sources that were told last, and of whom: kept for each fold they would be the most of what it holds. */
  told: { readonly chain: PolicyChain; readonly sources: readonly Source[] } | undefined;
}

/** A fold into one item. */
export interface FoldedField extends Pick<OwnItem, "object" | "pointer" | "from"> {
  readonly folded: Folded;
}

/** Whose fold it is. */
export interface FoldedPolicies {
  /** Every policy of the stack, the most specific first; one may stand at several levels. */
  readonly policies: readonly Policy[];
  /** Those that have a say, so that those that say nothing have an outcome too. */
  readonly candidates: readonly Policy[];
}

const NO_FIELDS: readonly FieldPattern[] = [];

export function foldPattern(
  whole: Folded,
  fields: readonly FoldedField[],
  values: OwnValues,
  who: FoldedPolicies,
): FoldPattern {
  const places = placesInSpec(whole, values);
  // Spelt out, as there are many: a spread takes longer than the fold.
  const { spec, sources, own } = specPattern(places, who);
  const outcomes = outcomesOf(who, [places, ...fields.map(placesInItem)]);
  const conditionErrors = errorsOf(whole, fields, who);
  const items = fields.length === 0 ? NO_FIELDS : fields.map((field) => fieldPattern(field, who));
  return { spec, sources, own, outcomes, conditionErrors, fields: items, told: undefined };
}

const fieldPattern = (field: FoldedField, who: FoldedPolicies): FieldPattern => ({
  object: field.object,
  pointer: field.pointer,
  ...specPattern(placesInItem(field), who),
});

/** Where policies prevail or not: in the spec, and for settings that go to items in each of these. */
export const countedPlaces = (
  whole: Folded,
  fields: readonly FoldedField[],
  values: OwnValues,
): readonly (readonly Place[])[] => [placesInSpec(whole, values), ...fields.map(placesInItem)].map(byPointer);

/** In the order in which they came up, which is that of the documents. What goes to items alone, or nowhere, is not in the spec. */
const placesInSpec = ({ result: { places } }: Folded, { notInSpec }: OwnValues): readonly Place[] =>
  notInSpec.length === 0 ? places : places.filter(({ pointer }) => !isAbout(pointer, notInSpec));

/** REF, "Merging into existing `spec` fields": the fields of an item are compared to the corresponding ones in the policy. */
const placesInItem = ({ folded, from }: FoldedField): readonly Place[] =>
  folded.result.places.filter(({ pointer }) => isAbout(pointer, [from]));

function byPointer(places: readonly Place[]): readonly Place[] {
  for (let i = 1; i < places.length; i++)
    if (compareText((places[i - 1] as Place).pointer, (places[i] as Place).pointer) > 0)
      return places.toSorted((a, b) => compareText(a.pointer, b.pointer));
  return places;
}

/** Each once: the folds of one path see the same conditions. */
function errorsOf(
  whole: Folded,
  fields: readonly FoldedField[],
  who: FoldedPolicies,
): readonly ConditionErrorPattern[] {
  if (fields.length === 0 && whole.conditionErrors.length === 0) return NO_ERRORS;
  const found: ConditionErrorPattern[] = [];
  for (const { conditionErrors } of [whole, ...fields.map(({ folded }) => folded)]) {
    for (const error of conditionErrors) {
      const { policy, block, message } = errorPattern(error, who);
      if (!found.some((one) => one.policy === policy && one.block === block && one.message === message))
        found.push({ policy, block, message });
    }
  }
  return found;
}

const NO_ERRORS: readonly ConditionErrorPattern[] = [];

function specPattern(places: readonly Place[], who: FoldedPolicies): SpecPattern {
  const steps = new StepPatterns(who);
  const sorted = byPointer(places);
  return {
    spec: specOf(places),
    sources: sorted.map((place) => sourcePattern(place, steps, who)),
    own: sorted.some(isOwn) ? sorted.flatMap((place, at) => (isOwn(place) ? [at] : [])) : NO_OWN,
  };
}

const NO_OWN: readonly number[] = [];

const isOwn = ({ holder }: Place): boolean => holder !== undefined && holder.policy === undefined;

const placeOf = (policy: Policy | undefined, { policies }: FoldedPolicies): number =>
  policy === undefined ? NO_POLICY : policies.indexOf(policy);

const errorPattern = ({ policy, block, message }: ConditionError, who: FoldedPolicies): ConditionErrorPattern => ({
  policy: placeOf(policy, who),
  block,
  message,
});

const OWN: Decision = { policy: null, block: null, strategy: "Own" };

function sourcePattern(
  { pointer, holder, decidedBy = OWN, losses }: Place,
  steps: StepPatterns,
  who: FoldedPolicies,
): SourcePattern {
  return {
    pointer,
    policy: placeOf(holder?.policy, who),
    block: holder?.block?.name ?? null,
    computed: holder?.computed === true,
    decidedBy: steps.of(decidedBy),
    lost: losses.length === 0 ? NOTHING_LOST : losses.map((loss) => lostPattern(loss, who)),
  };
}

const NOTHING_LOST: readonly LostPattern[] = [];

/** The steps of one fold: a handful, and mostly the one that was asked for before. */
class StepPatterns {
  readonly #who: FoldedPolicies;
  readonly #known: StepPattern[] = [];
  #last: Decision | undefined;
  #lastStep: StepPattern | undefined;

  constructor(who: FoldedPolicies) {
    this.#who = who;
  }

  of(decision: Decision): StepPattern {
    if (decision !== this.#last || this.#lastStep === undefined) {
      this.#last = decision;
      this.#lastStep = this.#find(decision);
    }
    return this.#lastStep;
  }

  /** One of the steps so far, or another one. */
  #find(decision: Decision): StepPattern {
    const { block, strategy } = decision;
    const policy = this.#who.policies.findIndex(({ id }) => id === decision.policy);
    for (const step of this.#known)
      if (step.policy === policy && step.block === block && step.strategy === strategy) return step;
    const step = { policy, block, strategy };
    this.#known.push(step);
    return step;
  }
}

const lostPattern = ({ candidate, reason, by }: Loss, who: FoldedPolicies): LostPattern => ({
  policy: placeOf(candidate.policy, who),
  block: candidate.block?.name,
  value: candidate.unit.value,
  reason,
  by: by.map((policy) => placeOf(policy, who)),
});

const BY_NOBODY: readonly number[] = [];

function outcomesOf(who: FoldedPolicies, folds: readonly (readonly Place[])[]): readonly OutcomePattern[] {
  const outcomes: OutcomePattern[] = [];
  for (const candidate of who.candidates) {
    const policy = placeOf(candidate, who);
    // A policy may stand at several levels.
    if (outcomes.every((outcome) => outcome.policy !== policy))
      outcomes.push({ policy, inEffect: 0, overridden: 0, gated: false, by: BY_NOBODY });
  }
  const outcomeOf = (policy: Policy): OutcomePattern => {
    const place = placeOf(policy, who);
    // By far the most: each policy once, and all have a say.
    const there = outcomes[place];
    const outcome = there?.policy === place ? there : outcomes.find((one) => one.policy === place);
    if (outcome === undefined) throw new Error(`${policy.id} is not in the stack`);
    return outcome;
  };
  for (const places of folds) {
    for (const { holder, losses } of places) {
      if (holder?.policy !== undefined) outcomeOf(holder.policy).inEffect++;
      for (const loss of losses)
        if (loss.candidate.policy !== undefined) countLoss(outcomeOf(loss.candidate.policy), loss, who);
    }
  }
  return outcomes;
}

function countLoss(outcome: OutcomePattern, { candidate, reason, by }: Loss, who: FoldedPolicies): void {
  if (reason === "gated") {
    outcome.gated = true;
  } else if (reason === "equal") {
    outcome.inEffect++;
  } else {
    // A policy never beats itself: what it lost to itself counts neither way.
    if (by.length > 0 && by.every((policy) => policy === candidate.policy)) return;
    outcome.overridden++;
    for (const winner of by) {
      const place = placeOf(winner, who);
      if (winner !== candidate.policy && !outcome.by.includes(place)) outcome.by = [...outcome.by, place];
    }
  }
}
