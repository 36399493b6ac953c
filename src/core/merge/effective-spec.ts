/** The result of folding a stack. Every path with the stack shares it, so it names policies and no path. */
import type { Block, Policy } from "../model/policy.ts";
import type { ObjectId } from "../model/refs.ts";
import type { EvaluatedPolicy, Outcome, RemovalOutcome } from "./provenance.ts";
import type { SpecProvenance } from "./provenance-of.ts";

/** A condition that could not be evaluated: it failed closed. */
export interface ConditionError {
  readonly policy: Policy;
  readonly block: Block;
  readonly message: string;
}

export interface EffectiveSpec extends SpecProvenance {
  /** One for each policy of the stack that has a part in the fold. */
  readonly outcomes: readonly Outcome[];
  readonly conditionErrors: readonly ConditionError[];
  /** The outcome of each entry of `remove`, the most specific policy first. */
  readonly removals: readonly RemovalOutcome[];
  /** Accumulate: the policies that take effect, in the order in which they are evaluated. */
  readonly order?: readonly EvaluatedPolicy[];
  /** The results for single items of the object's own fields. */
  readonly fields: readonly EffectiveField[];
}

/** A fold into one item of an object's own field: `pointer` is within the object. */
export interface EffectiveField extends SpecProvenance {
  readonly object: ObjectId;
  readonly pointer: string;
}
