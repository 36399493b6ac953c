/** The sources of the values of an effective policy, the values that are not in effect, and the outcome of each policy. */
import type { Json } from "../model/json.ts";
import type { BlockName, Policy } from "../model/policy.ts";
import type { ObjectId, PolicyId } from "../model/refs.ts";

/**
 * One step of the fold: the policy and block, and the strategy by which it was merged (`AtomicDefaults`, `MergeOverrides`,
 * `Remove`, `When`, `Own`, `Direct` …). No policy: the object's own value.
 */
export interface Step {
  readonly policy: PolicyId | null;
  readonly block: BlockName | null;
  readonly strategy: string;
}

/** The reason why a value did not take effect. `gated`: the condition of its block is false; `equal`: another source sets the same value. */
export type LossReason = "overridden" | "replaced" | "removed" | "deleted" | "gated" | "equal";

/** A value that did not take effect, and why. */
export interface Lost {
  /** Absent: the object's own value. */
  readonly policy?: PolicyId;
  readonly block?: BlockName;
  readonly value: Json;
  readonly reason: LossReason;
  /** The policies that overrode, replaced or removed it. Empty: the object's own value or a condition did. */
  readonly by: readonly PolicyId[];
}

/** The source of the value at one pointer of the effective spec. */
export interface Source {
  readonly pointer: string;
  /** The policy and block that set the value. Null: `object` did, or nothing is left at this pointer. */
  readonly policy: PolicyId | null;
  readonly block: BlockName | null;
  readonly object?: ObjectId;
  /** A custom strategy computed the value: no policy contains it. */
  readonly computed?: true;
  readonly decidedBy: Step;
  readonly lost: readonly Lost[];
}

/** The outcome of an entry of `remove`. `neutral`: there is nothing to remove. `gated`: the condition of its block is not met. */
export type RemovalState = "inEffect" | "overridden" | "neutral" | "gated";

/** An entry of `remove`, and what became of it. */
export interface RemovalOutcome {
  readonly policy: PolicyId;
  readonly block: BlockName;
  readonly entry: string;
  readonly state: RemovalState;
  /** The pointers of the defaults that it keeps out of the result, sorted. */
  readonly removes: readonly string[];
  /** The policies that override it. */
  readonly by: readonly PolicyId[];
}

/** A policy of a kind in which all policies take effect, at its position in the order of evaluation. */
export interface EvaluatedPolicy {
  readonly policy: PolicyId;
  /** The group that it is evaluated in. Absent: the kind has no groups. */
  readonly group?: string;
}

/** The outcome of one policy in one fold, counted in units: values, entries of `remove`, and empty policies that keep out defaults. */
export interface Outcome {
  readonly policy: Policy;
  /** Units that take effect, or whose value does. */
  readonly inEffect: number;
  /** The values among them. */
  readonly values: number;
  /** Units that another policy or the object's own value overrides or replaces. */
  readonly overridden: number;
  /** A condition of the policy is not met. */
  readonly gated: boolean;
  /** The other policies that override or replace units. */
  readonly by: readonly Policy[];
}
