/** The answer to "what applies to this object, and why?", as plain data. */
import type { MappedField, PathNode, Source } from "../effective/fold/effective-policy.ts";
import type { JsonObject } from "../model/json.ts";
import type { GroupKind, ObjectId, ObjectRef, PolicyId } from "../model/refs.ts";
import type { RefusalCode } from "../topology/links.ts";

export interface Explanation {
  readonly target: PathNode;
  /** Policy kinds that have something to say here, in the order of the definitions. */
  readonly kinds: readonly KindExplanation[];
  /** Policies that aim at it, or nearly, without effect. */
  readonly failures: readonly FailedAim[];
  /** Links that the object asks for and does not get. */
  readonly refusals: ReadonlyArray<{ readonly field: string; readonly code: RefusalCode; readonly reason: string }>;
  /** Parents that the snapshot does not have: what they would contribute is not known. */
  readonly absentParents: readonly ObjectRef[];
  /** What controllers wrote into the object's status, as found. */
  readonly conditions: readonly FoundCondition[];
}

export interface KindExplanation {
  readonly policyKind: GroupKind;
  /** All paths through the target that have a policy. */
  readonly paths: number;
  /** Paths with the same outcome together, in the order of their first paths. */
  readonly outcomes: readonly PathOutcome[];
}

/** What holds on some paths, and how it came about. */
export interface PathOutcome {
  readonly paths: readonly ExplainedPath[];
  readonly spec: JsonObject;
  readonly sources: readonly Source[];
  readonly fields: readonly MappedField[];
  /** The policies that meet here, highest first. */
  readonly policies: readonly PolicyPart[];
}

export interface ExplainedPath {
  readonly nodes: readonly PathNode[];
  readonly from?: string;
  readonly incomplete?: true;
}

/** What one policy contributes to an outcome. */
export interface PolicyPart {
  readonly policy: PolicyId;
  /** Where on the path it is attached; of several places the highest. */
  readonly at: PathNode;
  /** Units that hold, or whose value does; units that lost to others. */
  readonly inEffect: number;
  readonly overridden: number;
  /** A block whose condition does not hold. */
  readonly gated: boolean;
  /** Pointers of values of others that it takes away, or that a null of its own deletes. */
  readonly removes: readonly string[];
  readonly by: readonly PolicyId[];
}

export interface FailedAim {
  readonly policy: ObjectId;
  readonly reason: "Invalid" | "TargetNotFound" | "Conflicted" | "UnknownKind" | "NoPath";
  /** Within the policy. */
  readonly field?: string;
  readonly message: string;
  /** It names something else that looks like a slip for this target. */
  readonly isNearMiss: boolean;
}

export interface FoundCondition {
  /** Whose view: a route has conditions for each parent and controller. */
  readonly parent?: ObjectRef & { readonly sectionName?: string };
  readonly controllerName?: string;
  /** The listener that it is about. */
  readonly sectionName?: string;
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}
