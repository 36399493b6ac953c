/** The order of policies: on one target, and of evaluation where all of them take effect. */

import type { FieldOrder, OrderKey } from "../../src/core/model/definition/policy-order.ts";
import type { PolicyDefinition } from "../../src/core/model/definition.ts";
import { compareText, fieldAt, textField } from "./json-value.ts";
import type { OraclePolicy } from "./read-policy.ts";

interface Placed {
  readonly policy: OraclePolicy;
  /** The index of its highest target on the path; 0 is the root. */
  readonly level: number;
  /** The index of the policy among the names that the target has, if the target names it. */
  readonly nameIndex?: number | undefined;
}

/** Negative if `a` is higher on a target that both have: by the criteria of the definition, then GEP-713, "Conflict resolution", rules 2 and 3. */
export const byPrecedence =
  ({ merge }: PolicyDefinition) =>
  (a: OraclePolicy, b: OraclePolicy): number =>
    byKeys([...(merge.precedence ?? []), "Age", "Name"], { policy: a, level: 0 }, { policy: b, level: 0 }) ||
    a.kindIndex - b.kindIndex;

/** The order in which policies of a kind with the strategy Accumulate are evaluated. */
export function inOrder(all: readonly Placed[], { merge }: PolicyDefinition): readonly OraclePolicy[] {
  const { order, groupBy } = merge.accumulate ?? { order: [] };
  return [...all]
    .sort(
      (a, b) =>
        byGroup(groupBy, a.policy, b.policy) ||
        byKeys([...order, "Age", "Name"], a, b) ||
        a.policy.kindIndex - b.policy.kindIndex,
    )
    .map(({ policy }) => policy);
}

function byGroup(groupBy: FieldOrder | undefined, a: OraclePolicy, b: OraclePolicy): number {
  if (groupBy === undefined) return 0;
  return byField(groupBy, a, b) || compareText(groupOf(groupBy, a), groupOf(groupBy, b));
}

/** The word in a field or an annotation. */
export function groupOf({ path, annotation, absent }: FieldOrder, { object: { raw } }: OraclePolicy): string {
  const word =
    annotation === undefined
      ? fieldAt(raw, `spec.${path}`)
      : textField(fieldAt(raw, "metadata.annotations"), annotation);
  return typeof word === "string" || typeof word === "number" ? `${word}` : absent;
}

function byKeys(keys: readonly OrderKey[], a: Placed, b: Placed): number {
  return keys.map((key) => byKey(key, a, b)).find((order) => order !== 0) ?? 0;
}

function byKey(key: OrderKey, a: Placed, b: Placed): number {
  if (key === "Age")
    return a.policy.createdAt === b.policy.createdAt ? 0 : a.policy.createdAt < b.policy.createdAt ? -1 : 1;
  if (key === "Name") return compareText(nameOf(a.policy), nameOf(b.policy));
  if (key === "Level") return a.level - b.level;
  if (key === "Reference") return a.level === b.level ? (a.nameIndex ?? 0) - (b.nameIndex ?? 0) : 0;
  return byField(key, a.policy, b.policy);
}

const nameOf = ({ object: { ref } }: OraclePolicy): string => `${ref.namespace}/${ref.name}`;

function byField(key: FieldOrder, a: OraclePolicy, b: OraclePolicy): number {
  const [first, second] = key.descending ? [b, a] : [a, b];
  return positionOf(key, first) - positionOf(key, second);
}

function positionOf(key: FieldOrder, policy: OraclePolicy): number {
  const word = groupOf(key, policy);
  if (key.values.length > 0) return key.values.includes(word) ? key.values.indexOf(word) : key.values.length;
  const numeric = [word, key.absent, "0"].find((text) => /^-?[0-9]+([.][0-9]+)?$/.test(text));
  return Number(numeric);
}
