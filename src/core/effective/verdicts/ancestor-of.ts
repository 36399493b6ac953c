import type { Policy } from "../../model/policy.ts";
import type { ObjectId } from "../../model/refs.ts";
import type { Node, Path } from "../paths/path.ts";
import type { CompiledKind } from "../world/compiled-kind.ts";
import { setsAt } from "../world/stack.ts";

/** The ancestor under which a path is counted, for each policy on it. */
type AncestorOf = (policy: Policy) => ObjectId;

/**
 * The ancestor of a policy
 *
 * A policy's status names, for each of its paths, the Gateway or mesh Service; for a policy on a GatewayClass or Namespace it
 * names that target.
 * Gateway API, "PolicyAncestorStatus"
 */
export function ancestorOf(path: Path, { targetsClusterScope }: CompiledKind): AncestorOf {
  const ancestor = path.ancestor ?? path.node.id;
  const targets = targetsClusterScope ? clusterTargets(path) : NO_NODES;
  if (targets.length === 0) return () => ancestor;
  return (policy) =>
    targets.find(({ sets }) => setsAt(sets, undefined).some((set) => set.policies.includes(policy)))?.id ?? ancestor;
}

const NO_NODES: readonly Node[] = [];

/** The cluster-scoped objects on a path that have policies, the root first. */
function clusterTargets(path: Path): readonly Node[] {
  let found: Node[] | undefined;
  for (let at: Path | undefined = path; at !== undefined; at = at.up) {
    const { ref, sets } = at.node;
    if (ref.namespace === "" && (sets?.own ?? sets?.named?.own ?? sets?.meshWide?.own) !== undefined)
      found = [at.node, ...(found ?? NO_NODES)];
  }
  return found ?? NO_NODES;
}
