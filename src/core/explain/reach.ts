/** The answer to "what does this policy decide, and where is it overridden?", as plain data. */
import type { MappedField, PathNode, Source } from "../effective/fold/effective-policy.ts";
import type { Verdict } from "../effective/verdicts/verdict.ts";
import type { Json } from "../model/json.ts";
import type { BlockName } from "../model/policy.ts";
import type { GroupKind, ObjectId, ObjectRef, PolicyId } from "../model/refs.ts";
import type { ExplainedPath } from "./explanation.ts";

export interface Reach {
  readonly policy: PolicyId;
  readonly policyKind: GroupKind;
  /** Of the whole policy, also where only one rule is asked for. */
  readonly verdict: Verdict;
  readonly targets: readonly ReachTarget[];
  /** What it says, block by block; only the rule that is asked for. */
  readonly values: readonly ReachedValue[];
  /** Every path whose stack it is in, in the order of the engine. */
  readonly paths: readonly ReachedPath[];
  /** Every node of those paths once, in the order in which paths meet them. */
  readonly places: readonly ReachedPlace[];
  /** Parents of what it reaches that the snapshot does not have. */
  readonly absentParents: readonly ObjectRef[];
}

/** Of the values that are asked for all hold on a path, or some, or none; `met`: none has anything to do, as its condition does not hold. */
export type PathFate = "full" | "partial" | "none" | "met";

export interface ReachedPath extends ExplainedPath {
  readonly fate: PathFate;
}

/** One target that the policy declares. */
export type ReachTarget =
  | {
      readonly state: "attached";
      readonly node: PathNode;
      /** Mesh: it acts only on traffic from this namespace. */
      readonly consumer?: string;
      readonly paths: number;
      /** If there are no paths: why, as far as links say. */
      readonly gaps: readonly Gap[];
    }
  | { readonly state: "conflicted"; readonly node: PathNode; readonly by: PolicyId }
  | { readonly state: "refused"; readonly field: string; readonly code: string; readonly message: string };

/** A link that is not there, at the object that asks for it. */
export interface Gap {
  readonly object: ObjectId;
  readonly field: string;
  readonly reason: string;
}

/** One unit of the policy, and how it fares over the paths. */
export interface ReachedValue {
  readonly block: BlockName;
  readonly pointer: string;
  readonly value: Json;
  /** The block's condition, if it has one. */
  readonly when?: string;
  /** Paths on which it holds. */
  readonly decides: number;
  /** Paths on which another policy holds the same value: without this one nothing would change there. */
  readonly equal: number;
  readonly overridden: number;
  /** Paths on which its block's condition does not hold. */
  readonly gated: number;
  /** Groups of paths with the same loss, those with most paths first. */
  readonly losses: readonly ReachLoss[];
}

export interface ReachLoss {
  readonly reason: "overridden" | "replaced" | "removed" | "deleted" | "equal";
  /** Whom it lost to when it lost; empty: to what the object itself says. */
  readonly by: readonly PolicyId[];
  /** The object, where it lost to that. */
  readonly object?: ObjectId;
  /** Who holds the place in the end, and what stands there; no value: nothing is set. */
  readonly source: Source;
  readonly held?: Json;
  /** The item of the object's field that it is about. */
  readonly field?: MappedField;
  readonly paths: readonly ReachedPath[];
}

export interface ReachedPlace {
  readonly node: PathNode;
  /** At or below what the policy targets; above are only those that the traffic comes through. */
  readonly isBelow: boolean;
  readonly paths: number;
  /** Paths through it on which something of the policy holds. */
  readonly deciding: number;
}
