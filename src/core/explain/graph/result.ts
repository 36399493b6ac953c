/** The result of `graph`: the topology as nodes and edges, with the policies attached to each node. Plain data. */
import type { Enforcement } from "../../effective/verdicts/verdict.ts";
import type { ObjectId, ObjectRef, PolicyId, TargetId } from "../../model/refs.ts";

export interface GraphNode {
  readonly id: TargetId;
  readonly ref: ObjectRef;
  readonly sectionName?: string;
  /** True for a Namespace or GatewayClass that objects name and no document defines. */
  readonly implied?: true;
  /** True for an object that others name as their parent and that is not in the snapshot. Whether it exists is not known. */
  readonly absent?: true;
  readonly policies: readonly GraphPolicy[];
  /** Present if the node stands for several objects. `id` and `ref` are those of the first, and `policies` is empty. */
  readonly fold?: GraphFold;
}

/** Objects of one kind and namespace with the same parents, drawn as one node. */
export interface GraphFold {
  /** Sorted. */
  readonly members: readonly ObjectId[];
  /** The policies of the first member. Every member has policies of the same kinds in the same states. */
  readonly policies: readonly GraphPolicy[];
}

/** The verdict of a policy in one word. */
/** `NotResolved`: none of its references is valid, so it is not accepted. */
export type PolicyState = Enforcement | "Invalid" | "TargetNotFound" | "Conflicted" | "Undefined" | "NotResolved";

export interface GraphPolicy {
  readonly policy: PolicyId;
  readonly state: PolicyState;
  /** The first policies that override it. */
  readonly by: readonly PolicyId[];
}

export interface GraphEdge {
  readonly from: TargetId;
  readonly to: TargetId;
}

/** Nodes and edges in a defined order. An edge leads from parent to child. */
export interface Graph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  readonly leftOut: GraphOmissions;
}

/** The objects and sections that the graph does not show, by reason. */
export interface GraphOmissions {
  /** Sections without policies that nothing is attached to: rules, ports, unused listeners. */
  readonly sections: readonly KindCount[];
  /** Objects without parents, children and policies. */
  readonly lone: readonly KindCount[];
  /** Objects farther away than the depth. */
  readonly farther: readonly KindCount[];
  /** Objects of other kinds than those that were asked for. */
  readonly otherKinds: readonly KindCount[];
  /** Attached policies of other kinds than those that were asked for. */
  readonly otherPolicies: number;
}

/** A number of objects of a kind, or of sections of objects of a kind. */
export interface KindCount {
  readonly kind: string;
  readonly count: number;
}
