import type { CheckFinding } from "./check/check-finding.ts";
import { checkWorld } from "./check/check-world.ts";
import type { CheckedDataplane } from "./check/dataplane/check-dataplane.ts";
import { findingsOf } from "./effective/findings/findings-of.ts";
import type { World } from "./effective/world/world.ts";
import { type Evaluation, optionsOf, worldOf } from "./evaluation.ts";
import type { EvaluateCondition } from "./model/cel.ts";

/**
 * Options of `check`.
 *
 * @example
 * ```ts
 * const options: CheckOptions = { dataplane: { type: "embedded" } };
 * console.log(check(evaluation, options).map(({ code }) => code));
 * ```
 */
export interface CheckOptions {
  /** Also report what this data plane cannot do as configured. */
  readonly dataplane?: CheckedDataplane;
}

/**
 * Reports everything a person should know or fix: the findings of the evaluation, policies that never take effect, conditions that are
 * never true, retries that do not fit into their timeout, outdated status, and violated CoverageRules.
 *
 * @example
 * ```ts
 * for (const { severity, code, message, fix } of check(evaluation))
 *   if (severity === "error") console.log(code, message, fix);
 * ```
 */
export const check = (evaluation: Evaluation, options: CheckOptions = {}): readonly CheckFinding[] =>
  checkedFindings(worldOf(evaluation), optionsOf(evaluation).evaluateCondition, options);

export const checkedFindings = (
  world: World,
  cel: EvaluateCondition,
  options: CheckOptions = {},
): readonly CheckFinding[] => [...findingsOf(world), ...checkWorld(world, { cel, ...options })];
