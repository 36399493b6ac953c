/** The result of `graph`: the topology as nodes and edges, with the policies attached to each node. Plain data. */
import type { Enforcement } from "../../effective/verdicts/verdict.ts";
import type { ObjectRef, PolicyId, TargetId } from "../../model/refs.ts";

export interface GraphNode {
  readonly id: TargetId;
  readonly ref: ObjectRef;
  readonly sectionName?: string;
  /** True for a Namespace or GatewayClass that objects name and no document defines. */
  readonly implied?: true;
  /** True for an object that others name as their parent and that is not in the snapshot. Whether it exists is not known. */
  readonly absent?: true;
  readonly policies: readonly GraphPolicy[];
}

/** The verdict of a policy in one word. */
/** `NotResolved`: none of its references is valid, so it is not accepted. */
export type PolicyState = Enforcement | "Invalid" | "TargetNotFound" | "Conflicted" | "NotResolved";

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
}
