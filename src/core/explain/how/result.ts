/** The result of `how`: the changes that would make wanted settings take effect on a target. Plain data. */
import type { PathNode } from "../../effective/paths/path-node.ts";
import type { Source } from "../../merge/provenance.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import type { BlockName } from "../../model/policy.ts";
import type { GroupKind, ObjectId, ObjectRef, PolicyId } from "../../model/refs.ts";
import type { NamespaceContact } from "../contacts.ts";
import type { ExplainedPath } from "../explain/result.ts";

/**
 * A setting that should take effect. `path` is dotted (`retry.attempts`, `limits["a.b"]`) or a JSON pointer (`/retry/attempts`).
 *
 * @example
 * ```ts
 * const wanted: readonly WantedSetting[] = [{ path: "retry.attempts", value: 2 }, { path: "timeouts.request" }];
 * console.log(how(evaluation, "httproute/bakery/baker#order", wanted)?.wanted);
 * ```
 */
export interface WantedSetting {
  readonly path: string;
  /** Absent or null: the setting should not be set at all. */
  readonly value?: Json;
}

/** The result of `how`. */
export interface How {
  readonly target: PathNode;
  readonly wanted: readonly WantedSetting[];
  /** One answer for each policy kind that has the settings, in the order of the definitions. Empty if there is a problem. */
  readonly kinds: readonly KindAnswer[];
  /** Why the question has no answer. */
  readonly problem?: HowProblem;
}

/** A question that has no answer: what was found, and what can be asked instead. */
export interface HowProblem {
  readonly reason:
    | "InvalidPath"
    | "UnknownKind"
    | "UnknownSetting"
    | "InvalidValue"
    | "Contradiction"
    | "NoPath"
    | "AllTakeEffect";
  readonly message: string;
  readonly hints: readonly string[];
}

/** The answer for one policy kind. */
export interface KindAnswer {
  readonly policyKind: GroupKind;
  /**
   * `AlreadySo`: the settings take effect on every path of the target. `Changes`: each of `changes` would achieve that. `Nothing`: none
   * of the changes that were examined would.
   */
  readonly state: "AlreadySo" | "Changes" | "Nothing";
  /** The number of paths through the target, and how many of them are incomplete. */
  readonly paths: number;
  readonly incompletePaths: number;
  /** The value that takes effect now, for each wanted setting. */
  readonly now: readonly CurrentValue[];
  /** Smallest reach first. */
  readonly changes: readonly HowChange[];
  /** The policies that make it impossible to achieve this with objects in the namespace of the target. */
  readonly forbiddenBy: readonly ForbiddingPolicy[];
  /** Changes that were not examined, and why. */
  readonly leftOut: readonly string[];
  /** If nothing achieves it: why changes that were examined would be refused, each reason once. */
  readonly refused: readonly string[];
}

/** A wanted setting as it is now, on the paths that have the same value from the same source. */
export interface CurrentValue {
  readonly pointer: string;
  /** Absent: no value is set. */
  readonly value?: Json;
  /** Absent: nothing sets it. */
  readonly source?: Source;
  readonly isWanted: boolean;
  readonly paths: readonly ExplainedPath[];
}

/** The kinds of changes, in the order in which changes with the same reach are listed. */
export const WAYS = [
  "NameRule",
  "SetField",
  "EditPolicy",
  "CreatePolicy",
  "AddCondition",
  "NarrowTargets",
  "MakeDefault",
  "ChangeValue",
  "RemoveSetting",
  "DeletePolicy",
] as const;

/**
 * `NameRule`: a rule of a route gets a name, so that a policy can target it; with other steps. `SetField`: the object's own field.
 * `CreatePolicy`, `EditPolicy`: a policy on the target, or above or below it. `AddCondition`, `NarrowTargets`, `MakeDefault`,
 * `ChangeValue`, `RemoveSetting`, `DeletePolicy`: a policy whose setting takes effect now.
 */
export type Way = (typeof WAYS)[number];

/** One step of a change. */
export interface HowStep {
  readonly way: Way;
  /** The object that is created, changed or deleted. */
  readonly object: ObjectId;
  /** The block of the policy that has the settings. */
  readonly block?: BlockName;
  /** The targets of a created or narrowed policy; the sections whose fields are set. */
  readonly targets: readonly PathNode[];
  /** One sentence without a full stop: `Set retry.attempts to 0 in HTTPRoute bakery/baker, rule order`. */
  readonly summary: string;
}

/** A change that makes every wanted setting take effect on every path of the target. */
export interface HowChange {
  /** Mostly one. All of them are needed. */
  readonly steps: readonly HowStep[];
  /** The objects to apply or to delete, sorted by id. */
  readonly objects: readonly ChangedObject[];
  readonly reach: HowReach;
  /** The other namespaces in which objects change. Empty: all are in the namespace of the target. */
  readonly needsRights: readonly Rights[];
  /** Paths of the target below a parent that is not in the input: a policy above it may override the settings there. */
  readonly incompletePaths: number;
}

/** An object of a change: created, changed or deleted. */
export interface ChangedObject {
  readonly id: ObjectId;
  readonly ref: ObjectRef;
  readonly change: "created" | "changed" | "deleted";
  /** The whole object, as `kubectl apply` takes it; of a deleted object as it is now. */
  readonly manifest: JsonObject;
}

/** How many values change: pairs of a path and a setting. */
export interface HowReach {
  /** The wanted settings on paths of the target. */
  readonly wanted: ValueCount;
  /** All other values, on these and on other paths. */
  readonly others: ValueCount & {
    /** The namespaces of the routes and backends on these paths, sorted. */
    readonly namespaces: readonly string[];
  };
  /** Values that stay the same and come from another source. */
  readonly sameValue: number;
}

/** A number of values, and of the paths that have them. */
export interface ValueCount {
  readonly values: number;
  readonly paths: number;
}

/** Whom to ask for a change in another namespace. */
export interface Rights {
  /** Empty: cluster-scoped objects. */
  readonly namespace: string;
  /** The contact of the Namespace, then those of the objects that change. Each once; empty if no object names one. */
  readonly contacts: readonly NamespaceContact[];
}

/** A policy outside of the namespace of the target whose setting takes effect instead of a wanted one. */
export interface ForbiddingPolicy extends Rights {
  readonly policy: PolicyId;
  readonly block: BlockName | null;
  readonly pointer: string;
}
