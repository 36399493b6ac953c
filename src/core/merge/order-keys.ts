/** The criteria by which a definition orders policies. */
import type { FieldOrder, OrderKey } from "../model/definition/policy-order.ts";
import { isJsonObject, type Json, ownValue } from "../model/json.ts";
import { annotationOf } from "../model/kube-object.ts";
import type { Policy } from "../model/policy.ts";
import { compareText } from "../model/refs.ts";

/** A policy at a level of a stack. 0 is the most specific level. */
export interface PlacedPolicy {
  readonly policy: Policy;
  readonly depth: number;
  /** The index of the policy among the policies of the level. */
  readonly index: number;
}

/** Negative: `a` is first. 0: the criterion does not distinguish them. */
export function compareByKey(key: OrderKey, a: PlacedPolicy, b: PlacedPolicy): number {
  switch (key) {
    case "Age":
      return compareNumbers(ageOf(a.policy), ageOf(b.policy));
    case "Name":
      return compareText(nameOf(a.policy), nameOf(b.policy));
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
  const value = annotation === undefined ? valueAt(policy, path ?? "") : annotationOf(policy.object, annotation);
  return typeof value === "string" || typeof value === "number" ? String(value) : absent;
}

/** Groups in the order of their words; words that are not listed come last, by name. */
export const compareGroups = (key: FieldOrder, a: Policy, b: Policy): number =>
  compareByKey(key, { policy: a, depth: 0, index: 0 }, { policy: b, depth: 0, index: 0 }) ||
  compareText(wordOf(a, key), wordOf(b, key));

/** `spec.priority`, `the annotation example.com/weight`. */
export const formatKey = ({ path, annotation }: FieldOrder): string =>
  annotation === undefined ? `spec.${path ?? ""}` : `the annotation ${annotation}`;

function rankOf(policy: Policy, key: FieldOrder): number {
  const word = wordOf(policy, key);
  if (key.values.length === 0) return isNumber(word) ? Number(word) : isNumber(key.absent) ? Number(key.absent) : 0;
  const at = key.values.indexOf(word);
  // A word that is not listed comes last.
  return at === -1 ? key.values.length : at;
}

const isNumber = (word: string): boolean => /^-?\d+(\.\d+)?$/.test(word);

function valueAt({ object }: Policy, path: string): Json | undefined {
  let value: Json | undefined = ownValue(object.raw, "spec");
  for (const key of path.split(".")) value = isJsonObject(value) ? ownValue(value, key) : undefined;
  return value;
}

const compareNumbers = (a: number, b: number): number => (a === b ? 0 : a < b ? -1 : 1);

/** A policy without a creation time, in a file, is the newest. */
const ageOf = ({ createdAt }: Policy): number => createdAt ?? Number.POSITIVE_INFINITY;

const nameOf = ({ object }: Policy): string => `${object.family.namespace}/${object.name}`;
