/** The status that a controller writes (GEP-713, "Status reporting"), as plain data without times, which the writer adds. */
import type { Finding } from "../model/finding.ts";
import type { JsonObject } from "../model/json.ts";
import type { GroupKind, ObjectId, PolicyId } from "../model/refs.ts";

/**
 * Options of `buildStatus`: the controller that writes the status.
 *
 * @example
 * ```ts
 * const options: StatusOptions = {
 *   controllerName: "example.com/controller",
 *   ownedKinds: [{ group: "prevail.dev", kind: "RetryPolicy" }],
 * };
 * console.log(buildStatus(evaluation, options).policies.length);
 * ```
 */
export interface StatusOptions {
  /** Part of every entry. The domain before its `/` is the prefix of the type of every `Affected` condition. */
  readonly controllerName: string;
  /** The policy kinds that this controller reports on; absent: all. One of several kinds of a definition stands for all of them. */
  readonly ownedKinds?: readonly GroupKind[];
  /**
   * True if the data plane of the ancestor has acknowledged the configuration of this evaluation. Until then the policy is
   * `Reconciling` there. Absent: no data plane has to acknowledge.
   */
  readonly acknowledged?: (ancestor: ObjectId, policy: PolicyId) => boolean;
}

/** A Kubernetes condition without `lastTransitionTime`. */
export interface Condition {
  readonly type: string;
  /** `Unknown`: it rests on an object that is not in the input. */
  readonly status: "True" | "False" | "Unknown";
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

/** The entries of this controller in a policy's `status.ancestors`, at most 16. The entries of other controllers are not included. */
export interface PolicyStatus {
  readonly policy: PolicyId;
  readonly policyKind: GroupKind;
  readonly ancestors: readonly AncestorStatus[];
  /** `status.conditions` of a policy whose kind has no ancestors. Absent: the kind has ancestors. */
  readonly conditions?: readonly Condition[];
}

/** The part of an object that has `Affected` conditions. */
export type StatusLocation =
  /** `status.conditions`. */
  | { readonly at: "Conditions" }
  /** The entry of `status.listeners` with this name. */
  | { readonly at: "Listener"; readonly name: string }
  /** The entry of `status.parents` with our controller's name and this reference, as the route itself writes it. */
  | { readonly at: "Parent"; readonly parentRef: JsonObject; readonly controllerName: string }
  /** Kinds without conditions: for each condition the annotation of that name, with the value `true`. */
  | { readonly at: "Annotations" };

/** The `Affected` conditions at one location of an object. A location that is not listed has no such condition. */
export interface TargetStatus {
  readonly object: ObjectId;
  readonly location: StatusLocation;
  readonly conditions: readonly Condition[];
  /** Fields of the status beside the conditions, such as `attachedRoutes` of a listener. Absent: none. */
  readonly fields?: JsonObject;
  /** Types of conditions that stay as they are, with their old `observedGeneration`, because what they say is not known yet. */
  readonly kept?: readonly string[];
}

/** The status of all policies and of the targets that they affect, as `buildStatus` returns it. */
export interface StatusReport {
  readonly policies: readonly PolicyStatus[];
  readonly targets: readonly TargetStatus[];
  /** Findings about ancestors that do not fit into the status. */
  readonly findings: readonly Finding[];
}
