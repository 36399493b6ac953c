/** The waits by which Envoy keeps a minimum backoff: attempts that only wait (docs/decisions/0006-envoy.md). */
import { waitRangeMs } from "../retry/backoff.ts";
import type { RetryPlan } from "../retry/retry-schedule.ts";

/** The maximum number of retries, because each one is an entry in the cluster's configuration. */
export const MOST_ATTEMPTS = 100;

export const retriesOf = ({ attempts }: RetryPlan): number => Math.min(attempts, MOST_ATTEMPTS);

/** True if the plan has a minimum wait. */
export const hasWaits = (plan: RetryPlan): boolean => (plan.backoffMs ?? 0) > 0 && retriesOf(plan) > 0;

/** The wait before each retry. Undefined: the plan has no minimum wait. `slackMs` is how much too early a timer may fire. */
export function waitsOf(plan: RetryPlan, slackMs: number): readonly number[] | undefined {
  if (!hasWaits(plan)) return undefined;
  return Array.from({ length: retriesOf(plan) }, (_, index) => Math.ceil(waitRangeMs(plan, index + 1).least) + slackMs);
}
