import type { OraclePolicy } from "./read-policy.ts";
import type { TargetNode } from "./target-node.ts";

/** A policy on a declared target. */
export interface Attached {
  readonly policy: OraclePolicy;
  readonly target: TargetNode;
  /** With `crossNamespace: Consumer`, across namespaces: the only namespace whose traffic the policy takes effect on. */
  readonly consumer?: string;
  /** The target names the policy: the policy is below those that target it. */
  readonly isNamed?: true;
  /** The index of the policy among the names that the target has. */
  readonly nameIndex?: number;
  /** The policy is attached to every Namespace: it is above those that target the Namespace. */
  readonly isMeshWide?: true;
}
