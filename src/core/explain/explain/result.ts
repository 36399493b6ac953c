/** The result of `explain`: which policy settings take effect on an object or a section, and why. Plain data. */
import type { MappedField } from "../../effective/fold/effective-policy.ts";
import type { PathNode } from "../../effective/paths/path-node.ts";
import type { EvaluatedPolicy, RemovalOutcome, Source } from "../../merge/provenance.ts";
import type { JsonObject } from "../../model/json.ts";
import type { GroupKind, ObjectId, ObjectRef, PolicyId } from "../../model/refs.ts";
import type { ConditionProblem } from "../../topology/gateway-reason.ts";
import type { RefusalCode } from "../../topology/links.ts";

/** The result of `explain`. */
export interface Explanation {
  readonly target: PathNode;
  /**
   * Policy kinds with a policy on a path through the target, in the order of the definitions; also kinds whose settings an object at or
   * above the target sets itself, in fields of its own (`retry` of an HTTPRoute).
   */
  readonly kinds: readonly KindExplanation[];
  /** Policies that name the target, or something similar, and have no effect on it. */
  readonly failures: readonly IneffectivePolicy[];
  /** References of the object that Gateway API refuses, such as a parentRef that no listener accepts. */
  readonly refusals: ReadonlyArray<{ readonly field: string; readonly code: RefusalCode; readonly reason: string }>;
  /** Conditions that Gateway API would not have the object or its listeners meet, such as a conflict of listeners. */
  readonly problems: readonly ConditionProblem[];
  /** The connections of the target, whether it has policies or not. */
  readonly connections: Connections;
  /** Parents that the snapshot does not contain. Policies attached to them are unknown. */
  readonly absentParents: readonly ObjectRef[];
  /** The conditions in the object's status, as controllers wrote them. */
  readonly conditions: readonly ReportedCondition[];
}

/** The effective policies of one policy kind, or objects' own values in place of them, on the paths through a target. */
export interface KindExplanation {
  readonly policyKind: GroupKind;
  /** The number of paths through the target that have a policy or own values. */
  readonly paths: number;
  /** Paths with the same outcome are grouped; groups are in the order of their first path. */
  readonly outcomes: readonly PathOutcome[];
}

/** The effective policy of a group of paths. */
export interface PathOutcome {
  readonly paths: readonly ExplainedPath[];
  readonly spec: JsonObject;
  readonly sources: readonly Source[];
  readonly fields: readonly MappedField[];
  /** The outcome of each entry of `remove`, the most specific policy first. */
  readonly removals: readonly RemovalOutcome[];
  /** In kinds in which all policies take effect: these policies, in the order in which they are evaluated. */
  readonly order?: readonly EvaluatedPolicy[];
  /** The policies on these paths, highest first, or in the order in which they are evaluated. Empty: there is none, and the values are the objects' own. */
  readonly policies: readonly PolicyPart[];
}

/** One path, from the root to the effective target. */
export interface ExplainedPath {
  readonly nodes: readonly PathNode[];
  /** Mesh: the namespace that the traffic comes from. */
  readonly from?: string;
  /** True if a parent on the path is not in the snapshot. */
  readonly incomplete?: true;
}

/** The part of one policy in an outcome. */
export interface PolicyPart {
  readonly policy: PolicyId;
  /** The node of the path that the policy is attached to; the highest if there are several. */
  readonly at: PathNode;
  /** How many of its settings take effect; a setting counts too if another policy sets the same value. */
  readonly inEffect: number;
  /** How many of its settings are overridden or replaced. */
  readonly overridden: number;
  /** True if the condition of one of its blocks is false here. */
  readonly gated: boolean;
  /** Pointers of values of other policies that it removes, or deletes with a null. */
  readonly removes: readonly string[];
  /** True if it sets nothing and keeps out the defaults of policies above it (`merge.empty: TakesPlace`). */
  readonly keepsOut: boolean;
  /** The policies that override or replace settings of this one. */
  readonly by: readonly PolicyId[];
}

/** A policy that names a target and has no effect on it. `Undefined`: it is not defined whether it has an effect. */
export interface IneffectivePolicy {
  readonly policy: ObjectId;
  readonly reason:
    | "Invalid"
    | "TargetNotFound"
    | "Conflicted"
    | "Undefined"
    | "UnknownKind"
    | "NoPath"
    | "NoController";
  /** The field of the policy that the message is about. */
  readonly field?: string;
  readonly message: string;
  /** True if the policy names another object, and the name looks like a mistyped name of this target. */
  readonly isNearMiss: boolean;
}

/** A condition in the status of an object. */
export interface ReportedCondition {
  /** The parent that the condition is about: a route has conditions for each parent and controller. */
  readonly parent?: ObjectRef & { readonly sectionName?: string };
  readonly controllerName?: string;
  /** The listener that the condition is about. */
  readonly sectionName?: string;
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/** The neighbours of a target in the topology. Only references that Gateway API accepts count. Lists are sorted. */
export interface Connections {
  /** The parents that the object names: listeners of a route, the GatewayClass of a Gateway. */
  readonly attachedTo: readonly PathNode[];
  /** The rules of routes that have the object as a backend; the route itself if its kind has no rules. */
  readonly backendOf: readonly PathNode[];
  /**
   * The hosts of a route: what its hostnames and those of its listeners have in common; its own if no listener is in the snapshot. `*`: every
   * host. Empty for other kinds, and for a route of a mesh.
   */
  readonly hostnames: readonly string[];
  /** The listeners of a Gateway or ListenerSet, in their order. */
  readonly listeners: readonly ConnectedListener[];
  /** The objects that are attached to the target: routes and ListenerSets. */
  readonly attached: readonly PathNode[];
  /** The backends of a route or of a rule. */
  readonly backends: readonly ConnectedBackend[];
}

/** A listener, and how many objects are attached to it. */
export interface ConnectedListener {
  readonly name: string;
  readonly protocol: string;
  readonly port?: number;
  readonly hostname?: string;
  readonly attached: number;
}

/** A backend, the ports that are used, and the rules that use it. */
export interface ConnectedBackend extends PathNode {
  readonly ports: readonly number[];
  readonly sections: readonly string[];
}
