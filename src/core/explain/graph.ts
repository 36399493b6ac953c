/** The topology as a picture's data: what hangs under what, which policies are attached where, and who prevails. */
import type { Enforcement, NotAcceptedReason } from "../effective/verdicts/verdict.ts";
import type { ObjectRef, PolicyId, TargetId } from "../model/refs.ts";

export interface GraphNode {
  readonly id: TargetId;
  readonly ref: ObjectRef;
  readonly sectionName?: string;
  /** Named by others, but not there (a GatewayClass), or not defined. */
  readonly implied?: true;
  readonly policies: readonly AttachedPolicy[];
}

/** What became of a policy as a whole. */
export type PolicyState = Enforcement | NotAcceptedReason;

export interface AttachedPolicy {
  readonly policy: PolicyId;
  readonly state: PolicyState;
  /** The policies that beat it, the first few. */
  readonly by: readonly PolicyId[];
}

export interface GraphEdge {
  readonly from: TargetId;
  readonly to: TargetId;
}

/** In a defined order. */
export interface Graph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}
