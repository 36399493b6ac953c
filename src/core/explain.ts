import { type Evaluation, worldOf } from "./evaluation.ts";
import { explainTarget } from "./explain/explain/explain-target.ts";
import type { Explanation } from "./explain/explain/result.ts";
import { type TargetName, targetNamed } from "./find-target.ts";

/**
 * Explains which policy settings take effect on an object or a section, by policy kind: every value with its source and the values that
 * it overrides, and the policies that name the target without effect. Undefined unless the name refers to exactly one target.
 *
 * @example
 * ```ts
 * const explanation = explain(evaluation, "httproute/bakery/baker#order");
 * for (const { policyKind, outcomes } of explanation?.kinds ?? [])
 *   for (const { sources } of outcomes)
 *     for (const { pointer, policy } of sources) console.log(policyKind.kind, pointer, policy);
 * ```
 */
export function explain(evaluation: Evaluation, target: TargetName): Explanation | undefined {
  const world = worldOf(evaluation);
  const found = targetNamed(world, target);
  return found === undefined ? undefined : explainTarget(world, found, { group: true });
}
