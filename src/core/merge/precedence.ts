/** Decides which of two policies is higher, by the criteria of a definition. */

import { type FieldOrder, isNumber, type OrderKey } from "../model/definition/policy-order.ts";
import type { MergeRules } from "../model/definition.ts";
import { valueAtKeys } from "../model/json-pointer.ts";
import { annotationOf } from "../model/kube-object.ts";
import type { Policy } from "../model/policy.ts";
import { compareText } from "../model/refs.ts";

/**
 * Older wins, then namespace/name
 *
 * Of two policies on one target the older is higher; with equal creation times the first by `{namespace}/{name}`, compared as
 * one string. A policy without a creation time (in a file) is the newest. Negative: `a` is higher.
 * GEP-713, "Conflict resolution"
 */
export const compareAge = (a: Policy, b: Policy): number =>
  compareCreation(a, b) ||
  compareNames(a, b) ||
  // Only joined kinds (RetryPolicy, ClusterRetryPolicy) can still tie.
  a.kindIndex - b.kindIndex;

/** Negative: `a` is older. 0: both have the same time, or none. */
function compareCreation(a: Policy, b: Policy): number {
  const ageA = a.createdAt ?? Number.POSITIVE_INFINITY;
  const ageB = b.createdAt ?? Number.POSITIVE_INFINITY;
  if (ageA !== ageB) return ageA < ageB ? -1 : 1;
  return 0;
}

const compareNames = (a: Policy, b: Policy): number => compareText(namespacedName(a), namespacedName(b));

const namespacedName = ({ object }: Policy): string => `${object.family.namespace}/${object.name}`;

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

/** A policy at a level of a stack. 0 is the most specific level. */
export interface PlacedPolicy {
  readonly policy: Policy;
  readonly depth: number;
  /** The index of the policy among those of the level. */
  readonly index: number;
}

/** Negative: `a` is first. 0: the criterion does not distinguish them. */
export function compareByKey(key: OrderKey, a: PlacedPolicy, b: PlacedPolicy): number {
  switch (key) {
    case "Age":
      return compareCreation(a.policy, b.policy);
    case "Name":
      return compareNames(a.policy, b.policy);
    case "Level":
      return b.depth - a.depth;
    case "Reference":
      return a.depth === b.depth ? a.index - b.index : 0;
  }
  const order = compareNumbers(rankOf(a.policy, key), rankOf(b.policy, key));
  return key.descending ? -order : order;
}

/** The word that a policy has in a field, as groups are named by it. */
export function wordOf(policy: Policy, { path, annotation, absent }: FieldOrder): string {
  const value =
    annotation === undefined
      ? valueAtKeys(policy.object.raw, ["spec", ...(path ?? "").split(".")])
      : annotationOf(policy.object, annotation);
  return typeof value === "string" || typeof value === "number" ? String(value) : absent;
}

/** Groups in the order of their words; words that are not listed come last, by name. */
export const compareGroups = (key: FieldOrder, a: Policy, b: Policy): number =>
  compareByKey(key, { policy: a, depth: 0, index: 0 }, { policy: b, depth: 0, index: 0 }) ||
  compareText(wordOf(a, key), wordOf(b, key));

/** `spec.priority`, `the annotation example.com/weight`. */
const formatKey = ({ path, annotation }: FieldOrder): string =>
  annotation === undefined ? `spec.${path ?? ""}` : `the annotation ${annotation}`;

function rankOf(policy: Policy, key: FieldOrder): number {
  const word = wordOf(policy, key);
  if (key.values.length === 0) return isNumber(word) ? Number(word) : isNumber(key.absent) ? Number(key.absent) : 0;
  const at = key.values.indexOf(word);
  // A word that is not listed comes last.
  return at === -1 ? key.values.length : at;
}

const compareNumbers = (a: number, b: number): number => (a === b ? 0 : a < b ? -1 : 1);
