/** What a change changed, for those who keep something up to date: every effective policy and verdict that differs. */
import type { KubeObject } from "../../model/kube-object.ts";
import type { GroupKind, ObjectId, ObjectRef, PolicyId, TargetId } from "../../model/refs.ts";
import type { EffectivePolicy } from "../fold/effective-policy.ts";
import type { PathNode } from "../paths/path-node.ts";
import type { Verdict } from "../verdicts/verdict.ts";

/** One path whose effective policy came (no `before`), went (no `after`) or differs. */
export interface EffectiveChange {
  readonly policyKind: GroupKind;
  readonly target: TargetId;
  readonly path: readonly PathNode[];
  readonly from?: string;
  readonly before?: EffectivePolicy;
  readonly after?: EffectivePolicy;
}

export interface VerdictChange {
  readonly policy: PolicyId;
  readonly policyKind: GroupKind;
  readonly before?: Verdict;
  readonly after?: Verdict;
}

/** What a change touched, whether or not a policy feels it: for whoever keeps something that rests on the objects themselves. */
export interface Touched {
  /** Objects that came, went, or mean something else than before. */
  readonly objects: readonly TouchedObject[];
  /** Objects that are linked otherwise, or that a link is refused for another reason. */
  readonly links: ReadonlySet<ObjectId>;
}

export interface TouchedObject {
  readonly id: ObjectId;
  readonly ref: ObjectRef;
  readonly before: KubeObject | undefined;
  readonly after: KubeObject | undefined;
}

/** In a defined order. Changes of status, bookkeeping or file position alone are none. */
export interface Delta {
  readonly effective: readonly EffectiveChange[];
  readonly verdicts: readonly VerdictChange[];
}
