import { type Evaluation, worldOf } from "./evaluation.ts";
import { reachPolicy } from "./explain/reach/reach-policy.ts";
import type { Reach } from "./explain/reach/result.ts";
import { type TargetName, targetNamed } from "./find-target.ts";
import type { PolicyId } from "./model/refs.ts";

/**
 * Options of `reach`.
 *
 * @example
 * ```ts
 * const options: ReachOptions = { pointer: "/retry" };
 * console.log(reach(evaluation, "retrypolicy/friday-fix", options)?.values.length);
 * ```
 */
export interface ReachOptions {
  /** Only settings at or below this JSON pointer: `/retry/attempts`. */
  readonly pointer?: string;
}

/**
 * Lists every path that a policy is on, and for each of its settings on how many of them it takes effect and what overrides it on the
 * others. Undefined unless the name refers to exactly one policy.
 *
 * @example
 * ```ts
 * const found = reach(evaluation, "retrypolicy/friday-fix", { pointer: "/retry/attempts" });
 * console.log(found?.paths.length, found?.values.map(({ value, overridden }) => ({ value, overridden })));
 * ```
 */
export function reach(evaluation: Evaluation, policy: TargetName, options: ReachOptions = {}): Reach | undefined {
  const world = worldOf(evaluation);
  const id = targetNamed(world, policy)?.id as PolicyId | undefined;
  const record = id === undefined ? undefined : world.policies.get(id);
  if (id === undefined || record === undefined) return undefined;
  const { pointer } = options;
  if (pointer === undefined) return reachPolicy(world, id, record);
  return reachPolicy(world, id, record, (unit) => unit.pointer === pointer || unit.pointer.startsWith(`${pointer}/`));
}
