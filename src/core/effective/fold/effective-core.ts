/** What a stack folds into, shared by every path that has it: no path in it, only policies. */

import type { ConditionError } from "../../merge/fold.ts";
import type { JsonObject } from "../../model/json.ts";
import type { Policy } from "../../model/policy.ts";
import type { ObjectId, PolicyId } from "../../model/refs.ts";
import type { Lost, Source, Step } from "./effective-policy.ts";
import {
  type FoldPattern,
  type LostPattern,
  NO_POLICY,
  type SourcePattern,
  type SpecPattern,
  type StepPattern,
} from "./fold-pattern.ts";
import { isSameChain, type PolicyChain, policiesIn, policyAt } from "./policy-chain.ts";

/** How one policy fared in one fold. */
export interface Outcome {
  readonly policy: Policy;
  /** Units that hold, or whose value does. */
  readonly inEffect: number;
  /** Units that lost to somebody else. */
  readonly overridden: number;
  readonly gated: boolean;
  /** The policies it lost to. */
  readonly by: readonly Policy[];
}

export interface FoldedSpec {
  readonly spec: JsonObject;
  /** The provenance, sorted by pointer. Which object's own values hold is left open: paths to several may share it. */
  readonly sources: readonly Source[];
  /** Which of the sources tell of the object's own values. */
  readonly own: readonly number[];
}

export interface CoreField extends FoldedSpec {
  readonly object: ObjectId;
  readonly pointer: string;
}

/** A pattern, and who its policies are. */
export class EffectiveCore implements FoldedSpec {
  readonly pattern: FoldPattern;
  readonly #chain: PolicyChain;

  constructor(pattern: FoldPattern, chain: PolicyChain) {
    this.pattern = pattern;
    this.#chain = chain;
  }

  /** No policy has a say here. */
  get isEmpty(): boolean {
    return this.pattern.outcomes.length === 0;
  }

  get spec(): JsonObject {
    return this.pattern.spec;
  }

  /** Made anew for each core; the paths to one object are read one after the other, and most have the same. */
  get sources(): readonly Source[] {
    const { pattern } = this;
    if (pattern.told?.chain !== this.#chain)
      pattern.told = { chain: this.#chain, sources: sourcesIn(pattern, policiesIn(this.#chain)) };
    return pattern.told.sources;
  }

  get own(): readonly number[] {
    return this.pattern.own;
  }

  get outcomes(): readonly Outcome[] {
    return this.pattern.outcomes.map(({ policy, inEffect, overridden, gated, by }) => ({
      policy: this.policyAt(policy),
      inEffect,
      overridden,
      gated,
      by: by.map((winner) => this.policyAt(winner)),
    }));
  }

  get conditionErrors(): readonly ConditionError[] {
    return this.pattern.conditionErrors.map(({ policy, block, message }) => ({
      policy: this.policyAt(policy),
      block,
      message,
    }));
  }

  /** Folds into single items of the object's own fields. */
  get fields(): readonly CoreField[] {
    return this.pattern.fields.map((field) => ({
      object: field.object,
      pointer: field.pointer,
      spec: field.spec,
      sources: sourcesIn(field, policiesIn(this.#chain)),
      own: field.own,
    }));
  }

  policyAt(place: number): Policy {
    return policyAt(this.#chain, place);
  }

  /** Whether it says the same as another one for the same reason: the same pattern, of policies with the same names. */
  isLike(other: EffectiveCore): boolean {
    return other.pattern === this.pattern && isSameChain(other.#chain, this.#chain);
  }
}

/** The provenance, where it is known whose the own values are. */
export function sourcesOf(
  { sources, own }: FoldedSpec,
  ownerOf: (pointer: string) => ObjectId | undefined,
): readonly Source[] {
  if (own.length === 0) return sources;
  return sources.map((source, at) => {
    const { pointer, policy, block, ...rest } = source;
    const object = own.includes(at) ? ownerOf(pointer) : undefined;
    return object === undefined ? source : { pointer, policy, block, object, ...rest };
  });
}

function sourcesIn({ sources }: SpecPattern, policies: readonly Policy[]): readonly Source[] {
  const { length } = sources;
  // oxlint-disable-next-line unicorn/no-new-array -- of just this length: a list that grows has room to spare, and these are kept
  const found = new Array<Source>(length);
  for (let i = 0; i < length; i++) {
    const source = sources[i] as SourcePattern;
    // Most places were decided by the step that decided about the one before.
    const isSameStep = i > 0 && source.decidedBy === (sources[i - 1] as SourcePattern).decidedBy;
    const decidedBy = isSameStep ? (found[i - 1] as Source).decidedBy : stepIn(source.decidedBy, policies);
    found[i] = sourceIn(source, decidedBy, policies);
  }
  return found;
}

const idAt = (policies: readonly Policy[], place: number): PolicyId => (policies[place] as Policy).id;

const stepIn = ({ policy, block, strategy }: StepPattern, policies: readonly Policy[]): Step => ({
  policy: policy === NO_POLICY ? null : idAt(policies, policy),
  block,
  strategy,
});

const NOTHING_LOST: readonly Lost[] = [];

function sourceIn(source: SourcePattern, decidedBy: Step, policies: readonly Policy[]): Source {
  const { pointer, block, computed } = source;
  const policy = source.policy === NO_POLICY ? null : idAt(policies, source.policy);
  const lost = source.lost.length === 0 ? NOTHING_LOST : source.lost.map((loss) => lostIn(loss, policies));
  if (computed) return { pointer, policy, block, computed: true, decidedBy, lost };
  return { pointer, policy, block, decidedBy, lost };
}

function lostIn({ policy, block, value, reason, by }: LostPattern, policies: readonly Policy[]): Lost {
  const winners = by.map((winner) => idAt(policies, winner));
  // Without a policy it is the object's own value.
  if (policy === NO_POLICY || block === undefined) return { value, reason, by: winners };
  return { policy: idAt(policies, policy), block, value, reason, by: winners };
}
