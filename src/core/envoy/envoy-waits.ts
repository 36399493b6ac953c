/** How Envoy keeps a minimum back-off: by attempts that only wait (docs/decisions/0006). */
import { waitRangeMs } from "../retry/backoff.ts";
import type { RetryPlan } from "../retry/retry-schedule.ts";

/** More attempts than that help nobody, and each is an entry in a list. */
export const MOST_ATTEMPTS = 100;

export const attemptsOf = ({ attempts }: RetryPlan): number => Math.min(attempts, MOST_ATTEMPTS);

/** Whether a minimum was asked for. */
export const hasWaits = (plan: RetryPlan): boolean => (plan.backoffMs ?? 0) > 0 && attemptsOf(plan) > 0;

/** Before each retry; undefined: no minimum was asked for. `slackMs`: how much too early a timer may fire. */
export function waitsOf(plan: RetryPlan, slackMs: number): readonly number[] | undefined {
  if (!hasWaits(plan)) return undefined;
  return Array.from(
    { length: attemptsOf(plan) },
    (_, index) => Math.ceil(waitRangeMs(plan, index + 1).least) + slackMs,
  );
}
