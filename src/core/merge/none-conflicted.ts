import type { Policy } from "../model/policy.ts";
import { comparePrecedence } from "./precedence.ts";

/** The policies on one target of a kind that does not merge. */
export interface NoneConflicted {
  /** The policy that takes effect on the target. */
  readonly established: Policy;
  /** The policies that are not accepted on the target, highest first. */
  readonly conflicted: readonly Policy[];
}

/**
 * None: one policy takes effect on a target, the others are Conflicted
 *
 * Under the strategy None the oldest policy on a target takes effect, then the first by `namespace/name`. The other policies
 * are not accepted there (`Accepted=False`, reason `Conflicted`). In a mesh a target is an object or section together with
 * the namespace that requests come from.
 * GEP-713, "Basic merge strategies"
 */
export function noneConflicted(policies: readonly Policy[]): NoneConflicted | undefined {
  const [established, ...conflicted] = policies.length < 2 ? policies : [...policies].sort(comparePrecedence);
  return established === undefined ? undefined : { established, conflicted };
}
