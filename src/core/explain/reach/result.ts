/** The result of `reach`: where a policy takes effect, and where it is overridden. Plain data. */
import type { MappedField } from "../../effective/fold/effective-policy.ts";
import type { PathNode } from "../../effective/paths/path-node.ts";
import type { Verdict } from "../../effective/verdicts/verdict.ts";
import type { ForeignGateway } from "../../effective/world/policy-tally.ts";
import type { Source } from "../../merge/provenance.ts";
import type { Json } from "../../model/json.ts";
import type { BlockName } from "../../model/policy.ts";
import type { GroupKind, ObjectId, ObjectRef, PolicyId } from "../../model/refs.ts";
import type { ExplainedPath } from "../explain/result.ts";

/** The result of `reach`. */
export interface Reach {
  readonly policy: PolicyId;
  readonly policyKind: GroupKind;
  /** The verdict of the whole policy, even if only one rule is requested. */
  readonly verdict: Verdict;
  /** The targets that the policy declares. */
  readonly targets: readonly ReachTarget[];
  /** The settings of the policy, block by block; only those of the requested rule. */
  readonly values: readonly ReachedValue[];
  /** The entries of `remove`, block by block; none if only one rule is requested. */
  readonly removals: readonly ReachedRemoval[];
  /** Every path that has the policy in its stack, in a defined order. */
  readonly paths: readonly ReachedPath[];
  /** Every node of those paths once, in the order of the paths. */
  readonly reachedNodes: readonly ReachedTarget[];
  /** Parents of reached objects that the snapshot does not contain. */
  readonly absentParents: readonly ObjectRef[];
  /** The Gateways behind which it takes no effect, because their controllers do not carry its kind out. */
  readonly unenforced: readonly ForeignGateway[];
}

/**
 * On one path: `full` if all requested settings take effect, `partial` if some do, `none` if none does. `met`: the conditions of its blocks
 * are false, so the policy has nothing to do. `idle`: it sets nothing, and there is nothing that it could remove.
 */
export type ReachOutcome = "full" | "partial" | "none" | "met" | "idle";

/** One path that has the policy in its stack. */
export interface ReachedPath extends ExplainedPath {
  readonly effect: ReachOutcome;
}

/** One target that the policy declares. */
export type ReachTarget =
  | {
      readonly state: "attached";
      readonly node: PathNode;
      /** Mesh: the policy takes effect on traffic from this namespace only. */
      readonly consumer?: string;
      /** The number of paths through the target. */
      readonly paths: number;
      /** The refused references that explain why there are no paths. Empty if there are paths. */
      readonly gaps: readonly MissingLink[];
    }
  | { readonly state: "conflicted"; readonly node: PathNode; readonly by: PolicyId; readonly message: string }
  | { readonly state: "refused"; readonly field: string; readonly code: string; readonly message: string };

/** A reference that Gateway API refuses, in the object that contains it. */
export interface MissingLink {
  readonly object: ObjectId;
  readonly field: string;
  readonly reason: string;
}

/** One setting of the policy, and on how many paths it takes effect. */
export interface ReachedValue {
  readonly block: BlockName;
  readonly pointer: string;
  readonly value: Json;
  /** The block's condition, if it has one. */
  readonly when?: string;
  /** The number of paths where this setting takes effect. */
  readonly inEffect: number;
  /** The number of paths where another policy sets the same value. Without this policy nothing would change there. */
  readonly equal: number;
  /** The number of paths where it is overridden, replaced, removed or deleted. */
  readonly overridden: number;
  /** The number of paths where the condition of its block is false. */
  readonly gated: number;
  /** Paths where it is overridden for the same reason are grouped; the largest group is first. */
  readonly losses: readonly ReachLoss[];
}

/** One entry of `remove`, and on how many paths it takes effect. */
export interface ReachedRemoval {
  readonly block: BlockName;
  readonly entry: string;
  /** The number of paths where a default would take effect without it. */
  readonly inEffect: number;
  /** The number of paths where an override sets what it names, or discards it. */
  readonly overridden: number;
  /** The number of paths where there is nothing to remove. */
  readonly neutral: number;
  /** The number of paths where the condition of its block is false. */
  readonly gated: number;
  /** The pointers of the defaults that it removes, sorted. */
  readonly removes: readonly string[];
  /** The policies that override it. */
  readonly by: readonly PolicyId[];
}

/** Why a setting takes no effect on a group of paths. */
export interface ReachLoss {
  readonly reason: "overridden" | "replaced" | "removed" | "deleted" | "equal";
  /** The policies that override it. Empty if the object's own value does. */
  readonly by: readonly PolicyId[];
  /** The object whose own value overrides it. */
  readonly object?: ObjectId;
  /** The source of the value that takes effect instead. */
  readonly source: Source;
  /** The value that takes effect instead. Absent if no value is set. */
  readonly effectiveValue?: Json;
  /** The item of the object's own list that the setting is mapped onto. */
  readonly field?: MappedField;
  readonly paths: readonly ReachedPath[];
}

/** An object or a section on the paths of the policy. */
export interface ReachedTarget {
  readonly node: PathNode;
  /** True at and below a target of the policy. False above: traffic passes through, and the policy takes no effect there. */
  readonly isBelow: boolean;
  /** The number of paths through the node. */
  readonly paths: number;
  /** The number of paths through the node where some setting of the policy takes effect. */
  readonly inEffect: number;
}
