import type { Policy } from "../model/policy.ts";
import { compareText } from "../model/refs.ts";

/**
 * Older wins, then namespace/name
 *
 * Of two policies on one target the older is higher; with equal creation times the first by `{namespace}/{name}`, compared as
 * one string. A policy without a creation time (in a file) is the newest. Negative: `a` is higher.
 * GEP-713, "Conflict resolution"
 */
export function comparePrecedence(a: Policy, b: Policy): number {
  const ageA = a.createdAt ?? Number.POSITIVE_INFINITY;
  const ageB = b.createdAt ?? Number.POSITIVE_INFINITY;
  if (ageA !== ageB) return ageA < ageB ? -1 : 1;
  return (
    compareText(namespacedName(a), namespacedName(b)) ||
    // Only joined kinds (RetryPolicy, ClusterRetryPolicy) can still tie.
    a.kindIndex - b.kindIndex
  );
}

const namespacedName = ({ object }: Policy): string => `${object.family.namespace}/${object.name}`;
