/** The difference between two evaluations: every effective policy and verdict that differs. */
import type { KubeObject } from "../../model/kube-object.ts";
import type { GroupKind, ObjectId, ObjectRef, PolicyId, TargetId } from "../../model/refs.ts";
import type { EffectivePolicy } from "../fold/effective-policy.ts";
import type { PathNode } from "../paths/path-node.ts";
import type { PathScope } from "../paths/path-scope.ts";
import type { Verdict } from "../verdicts/verdict.ts";
import type { CompiledKind } from "../world/compiled-kind.ts";

/** One path whose effective policy is new (no `before`), gone (no `after`) or different. */
export interface EffectiveChange {
  readonly policyKind: GroupKind;
  readonly target: TargetId;
  readonly path: readonly PathNode[];
  readonly from?: string;
  readonly before?: EffectivePolicy;
  readonly after?: EffectivePolicy;
}

/** A policy whose verdict a change has changed. Absent `before`: the policy is new; absent `after`: it is gone. */
export interface VerdictChange {
  readonly policy: PolicyId;
  readonly policyKind: GroupKind;
  readonly before?: Verdict;
  readonly after?: Verdict;
}

/** The objects that a change touched, whether or not it affects a policy: for data that is derived from objects, such as gateway configurations. */
export interface Touched {
  /** Every object of the change, also those that are the same in meaning. */
  readonly changed: readonly ObjectId[];
  /** Objects that are new, gone or different in meaning. */
  readonly objects: readonly TouchedObject[];
  /** Objects with other links, or with another reason of a refused link. */
  readonly links: ReadonlySet<ObjectId>;
  /** The policies whose verdict, or a message about it, may differ. */
  readonly policies: () => ReadonlySet<PolicyId>;
  /** The paths of a policy kind that the change can affect, also those without a policy. */
  readonly scopeOf: (kind: CompiledKind) => PathScope;
}

export interface TouchedObject {
  readonly id: ObjectId;
  readonly ref: ObjectRef;
  readonly before: KubeObject | undefined;
  readonly after: KubeObject | undefined;
}

/** The changes, in a defined order. A change of status, bookkeeping metadata or file position alone is not a change. */
export interface Delta {
  readonly effective: readonly EffectiveChange[];
  readonly verdicts: readonly VerdictChange[];
}
