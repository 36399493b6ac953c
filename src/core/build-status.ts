import { type Evaluation, worldOf } from "./evaluation.ts";
import type { StatusOptions, StatusReport } from "./status/status-report.ts";
import { statusReportOf } from "./status/status-report-of.ts";

/**
 * The conditions that a controller of that name writes into policies and targets, without times.
 *
 * @example
 * ```ts
 * const { policies } = buildStatus(evaluation, { controllerName: "example.com/controller" });
 * for (const { policy, ancestors } of policies) console.log(policy, ancestors.length);
 * ```
 */
export const buildStatus = (evaluation: Evaluation, options: StatusOptions): StatusReport =>
  statusReportOf(worldOf(evaluation), options);
