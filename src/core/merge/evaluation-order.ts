import type { Accumulation } from "../model/definition/policy-order.ts";
import type { Policy } from "../model/policy.ts";
import { compareAge, compareByKey, compareGroups, type PlacedPolicy, wordOf } from "./precedence.ts";
import type { EvaluatedPolicy } from "./provenance.ts";

/**
 * The order of evaluation
 *
 * Where all policies take effect, a definition may say in which order they are evaluated: in groups, by fields or annotations, by the level
 * of their targets, by the order in which an object names them, by age, by name. A policy at several levels of a path is evaluated once, at the highest one.
 * GEP-713, "Combined merge strategies"
 *
 * `levels`: the most specific first.
 */
export function evaluationOrder(
  levels: readonly { readonly policies: readonly Policy[] }[],
  { order, groupBy }: Accumulation,
): readonly Policy[] {
  const placed = new Map<Policy, PlacedPolicy>();
  levels.forEach(({ policies }, depth) => {
    policies.forEach((policy, index) => {
      placed.set(policy, { policy, depth, index });
    });
  });
  return [...placed.values()]
    .sort((a, b) => {
      const groups = groupBy === undefined ? 0 : compareGroups(groupBy, a.policy, b.policy);
      if (groups !== 0) return groups;
      for (const key of order) {
        const compared = compareByKey(key, a, b);
        if (compared !== 0) return compared;
      }
      return compareAge(a.policy, b.policy);
    })
    .map(({ policy }) => policy);
}

/** The policies as plain data, with the names of their groups. */
export const evaluatedPolicies = (policies: readonly Policy[], { groupBy }: Accumulation): readonly EvaluatedPolicy[] =>
  policies.map((policy) =>
    groupBy === undefined ? { policy: policy.id } : { policy: policy.id, group: wordOf(policy, groupBy) },
  );
