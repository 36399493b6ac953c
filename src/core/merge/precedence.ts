import type { MergeRules } from "../model/definition.ts";
import type { Policy } from "../model/policy.ts";
import { compareText } from "../model/refs.ts";
import { compareByKey, formatKey } from "./order-keys.ts";

/**
 * Older wins, then namespace/name
 *
 * Of two policies on one target the older is higher; with equal creation times the first by `{namespace}/{name}`, compared as
 * one string. A policy without a creation time (in a file) is the newest. Negative: `a` is higher.
 * GEP-713, "Conflict resolution"
 */
export function compareAge(a: Policy, b: Policy): number {
  const ageA = a.createdAt ?? Number.POSITIVE_INFINITY;
  const ageB = b.createdAt ?? Number.POSITIVE_INFINITY;
  if (ageA !== ageB) return ageA < ageB ? -1 : 1;
  return (
    compareText(namespacedName(a), namespacedName(b)) ||
    // Only joined kinds (RetryPolicy, ClusterRetryPolicy) can still tie.
    a.kindIndex - b.kindIndex
  );
}

/**
 * Precedence by a field or an annotation
 *
 * A definition may order the policies on one target by more than their age: by a weight in an annotation, or a priority in the spec.
 * Policies that these do not distinguish are in the order of their age. Negative: `a` is higher.
 * GEP-713, "Conflict resolution"
 */
export function comparePrecedence({ precedence }: Pick<MergeRules, "precedence">): (a: Policy, b: Policy) => number {
  if (precedence === undefined) return compareAge;
  return (a, b) => {
    for (const key of precedence) {
      const order = compareByKey(key, { policy: a, depth: 0, index: 0 }, { policy: b, depth: 0, index: 0 });
      if (order !== 0) return order;
    }
    return compareAge(a, b);
  };
}

/** Why one of two policies on a target is higher: a clause without a subject. */
export function precedenceReason({ precedence = [] }: MergeRules, higher: Policy, lower: Policy): string {
  const key = precedence.find(
    (one) => compareByKey(one, { policy: higher, depth: 0, index: 0 }, { policy: lower, depth: 0, index: 0 }) !== 0,
  );
  if (key !== undefined && typeof key !== "string") return `comes first by ${formatKey(key)}`;
  return key !== "Name" && higher.createdAt !== lower.createdAt ? "is older" : "comes first by namespace/name";
}

const namespacedName = ({ object }: Policy): string => `${object.family.namespace}/${object.name}`;
