/** What a controller writes into objects (GEP-713, "Status reporting"), as plain data and without times: those are the writer's. */
import type { Finding } from "../model/finding.ts";
import type { JsonObject } from "../model/json.ts";
import type { GroupKind, ObjectId, PolicyId } from "../model/refs.ts";

export interface StatusOptions {
  /** Stands in every entry; the domain before its `/` begins the type of every `Affected` condition. */
  readonly controllerName: string;
  /** The policy kinds that this controller reports on; absent: all. One of several joined kinds stands for all of them. */
  readonly ownedKinds?: readonly GroupKind[];
  /**
   * Behind a data plane: whether it has acknowledged what this evaluation makes of the policy at that ancestor. Until
   * then the policy is `Reconciling` there. Absent: there is nobody to wait for.
   */
  readonly acknowledged?: (ancestor: ObjectId, policy: PolicyId) => boolean;
}

/** A Kubernetes condition but its `lastTransitionTime`. */
export interface Condition {
  readonly type: string;
  readonly status: "True" | "False";
  readonly reason: string;
  readonly message: string;
  /** Absent where the object has no generation, as in a file. */
  readonly observedGeneration?: number;
}

/** Gateway API's ParentReference: `namespace` is absent for cluster-scoped kinds. */
export interface AncestorRef extends GroupKind {
  readonly namespace?: string;
  readonly name: string;
  readonly sectionName?: string;
}

/** One entry of a policy's `status.ancestors`. */
export interface AncestorStatus {
  readonly ancestorRef: AncestorRef;
  readonly controllerName: string;
  readonly conditions: readonly Condition[];
}

/** Our entries of one policy's `status.ancestors`, at most sixteen. Those of other controllers are not ours to know. */
export interface PolicyStatus {
  readonly policy: PolicyId;
  readonly policyKind: GroupKind;
  readonly ancestors: readonly AncestorStatus[];
}

/** Where `Affected` conditions stand in an object. */
export type StatusPlace =
  /** `status.conditions`. */
  | { readonly at: "Conditions" }
  /** The entry of `status.listeners` with this name. */
  | { readonly at: "Listener"; readonly name: string }
  /** The entry of `status.parents` with our controller's name and this reference, as the route itself writes it. */
  | { readonly at: "Parent"; readonly parentRef: JsonObject; readonly controllerName: string }
  /** Kinds without conditions: for each condition the annotation of that name, with the value `true`. */
  | { readonly at: "Annotations" };

/** The `Affected` conditions at one place of one object. A place that is not listed has none (any more). */
export interface TargetStatus {
  readonly object: ObjectId;
  readonly place: StatusPlace;
  readonly conditions: readonly Condition[];
}

export interface StatusReport {
  readonly policies: readonly PolicyStatus[];
  readonly targets: readonly TargetStatus[];
  /** What does not fit into the status. */
  readonly findings: readonly Finding[];
}
