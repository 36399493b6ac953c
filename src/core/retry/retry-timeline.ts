/** The worst case of a retry plan: when each attempt starts if every attempt fails, and how long the client waits. */
import { sumWaitsMs, waitRangeMs } from "./backoff.ts";
import type { RetryPlan } from "./retry-schedule.ts";

export interface Timeouts {
  /** Undefined: no limit. */
  readonly requestMs: number | undefined;
  readonly backendRequestMs: number | undefined;
}

/** One attempt, and the wait before it. */
export interface TimelineAttempt {
  readonly number: number;
  readonly waitMs: { readonly least: number; readonly most: number } | undefined;
  /** When it starts if each attempt fails at once and each wait is as short as allowed. Undefined: after the request timeout. */
  readonly earliestMs: number | undefined;
  /** When it starts if each attempt and each wait takes as long as allowed. Undefined: attempts have no timeout. */
  readonly latestMs: number | undefined;
  /** The cases in which the retry starts before the request timeout: in the slowest case too, in the fastest case only, or in no case. */
  readonly fits: "always" | "sometimes" | "never";
}

export interface Timeline {
  /** At most `MAX_LISTED` retries are listed. */
  readonly attempts: readonly TimelineAttempt[];
  readonly timeouts: Timeouts;
  /** The longest time until the client has a response. Undefined: no limit. */
  readonly longestMs: number | undefined;
  /** The maximum number of attempts for one request of a client. */
  readonly amplification: number;
}

/** The maximum number of retries that a timeline lists. */
export const MAX_LISTED = 20;

export function retryTimeline(plan: RetryPlan | undefined, timeouts: Timeouts): Timeline {
  const { requestMs, backendRequestMs } = timeouts;
  const retries = plan?.attempts ?? 0;
  const attempts: TimelineAttempt[] = [];
  let earliest = 0;
  let latest: number | undefined = 0;
  for (let number = 1; number <= Math.min(retries, MAX_LISTED) + 1; number++) {
    const wait = number === 1 || plan === undefined ? undefined : waitRangeMs(plan, number - 1);
    if (wait !== undefined) {
      earliest += wait.least;
      latest =
        latest === undefined || backendRequestMs === undefined ? undefined : latest + backendRequestMs + wait.most;
    }
    const fits = fitOf(earliest, latest, requestMs);
    attempts.push({
      number,
      waitMs: wait,
      earliestMs: fits === "never" ? undefined : earliest,
      latestMs: latest,
      fits,
    });
  }
  const inTime = attempts.filter(({ fits }) => fits !== "never").length;
  const unlisted = retries > MAX_LISTED && inTime === attempts.length ? retries - MAX_LISTED : 0;
  return { attempts, timeouts, longestMs: longestOf(plan, timeouts), amplification: inTime + unlisted };
}

function fitOf(earliest: number, latest: number | undefined, requestMs: number | undefined): TimelineAttempt["fits"] {
  if (requestMs === undefined) return "always";
  if (earliest >= requestMs) return "never";
  return latest !== undefined && latest < requestMs ? "always" : "sometimes";
}

/**
 * The request timeout covers all attempts
 *
 * `timeouts.request` bounds the whole time until the response, all attempts and waits included; `timeouts.backendRequest` bounds each attempt.
 * Gateway API, "HTTPRouteTimeouts"
 */
function longestOf(plan: RetryPlan | undefined, { requestMs, backendRequestMs }: Timeouts): number | undefined {
  if (backendRequestMs === undefined) return requestMs;
  const retries = plan?.attempts ?? 0;
  const waits = plan === undefined ? 0 : sumWaitsMs(plan, retries, "most");
  return Math.min((retries + 1) * backendRequestMs + waits, requestMs ?? Number.POSITIVE_INFINITY);
}

/** How many retries can start within a time if every attempt fails at once and every wait is as short as allowed. */
export function retriesWithin(plan: RetryPlan, timeMs: number): number {
  let sum = 0;
  for (let retry = 1; retry <= plan.attempts; retry++) {
    const wait = waitRangeMs(plan, retry).least;
    // Once two waits in a row are equal, all later waits are.
    if (wait === waitRangeMs(plan, retry + 1).least) {
      const more = wait === 0 ? plan.attempts : Math.max(0, Math.ceil((timeMs - sum) / wait) - 1);
      return Math.min(plan.attempts, retry - 1 + more);
    }
    sum += wait;
    if (sum >= timeMs) return retry - 1;
  }
  return plan.attempts;
}
