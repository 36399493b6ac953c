/** What a plan comes to if every try fails: how often, how long, and whether it fits into the request's time. */
import { type RetryPlan, waitRangeMs } from "./retry-schedule.ts";

export interface Timeouts {
  /** Undefined: no limit. */
  readonly requestMs: number | undefined;
  readonly backendRequestMs: number | undefined;
}

/** One try, and the wait before it. */
export interface TimelineTry {
  readonly number: number;
  readonly waitMs: { readonly least: number; readonly most: number } | undefined;
  /** When it starts if nothing takes longer than it must; undefined: not within the request's time. */
  readonly earliestMs: number | undefined;
  /** When it starts if every try and every wait takes as long as it may; undefined: tries have no limit. */
  readonly latestMs: number | undefined;
  /** Whether it can start in time at all, and whether it does so even in the slowest case. */
  readonly fits: "always" | "sometimes" | "never";
}

export interface Timeline {
  readonly tries: readonly TimelineTry[];
  readonly timeouts: Timeouts;
  /** The longest that a client waits for its answer; undefined: nothing limits it. */
  readonly longestMs: number | undefined;
  /** How many requests backends see for one, at most. */
  readonly amplification: number;
}

/** Told one by one up to here; more tries than that say nothing more. */
export const MAX_TOLD = 20;

export function retryTimeline(plan: RetryPlan | undefined, timeouts: Timeouts): Timeline {
  const { requestMs, backendRequestMs } = timeouts;
  const attempts = plan?.attempts ?? 0;
  const tries: TimelineTry[] = [];
  let earliest = 0;
  let latest: number | undefined = 0;
  for (let number = 1; number <= Math.min(attempts, MAX_TOLD) + 1; number++) {
    const wait = number === 1 || plan === undefined ? undefined : waitRangeMs(plan, number - 1);
    if (wait !== undefined) {
      earliest += wait.least;
      latest =
        latest === undefined || backendRequestMs === undefined ? undefined : latest + backendRequestMs + wait.most;
    }
    const fits = fitOf(earliest, latest, requestMs);
    tries.push({ number, waitMs: wait, earliestMs: fits === "never" ? undefined : earliest, latestMs: latest, fits });
  }
  const inTime = tries.filter(({ fits }) => fits !== "never").length;
  const untold = attempts > MAX_TOLD && inTime === tries.length ? attempts - MAX_TOLD : 0;
  return { tries, timeouts, longestMs: longestOf(plan, timeouts), amplification: inTime + untold };
}

function fitOf(earliest: number, latest: number | undefined, requestMs: number | undefined): TimelineTry["fits"] {
  if (requestMs === undefined) return "always";
  if (earliest >= requestMs) return "never";
  return latest !== undefined && latest < requestMs ? "always" : "sometimes";
}

/** Every try as long as it may take, and every wait too. */
function longestOf(plan: RetryPlan | undefined, { requestMs, backendRequestMs }: Timeouts): number | undefined {
  if (backendRequestMs === undefined) return requestMs;
  const attempts = plan?.attempts ?? 0;
  const waits = plan === undefined ? 0 : sumWaitsMs(plan, attempts, "most");
  return Math.min((attempts + 1) * backendRequestMs + waits, requestMs ?? Number.POSITIVE_INFINITY);
}

/** All waits before so many retries: the shortest that are allowed, or the longest. */
export function sumWaitsMs(
  plan: Pick<RetryPlan, "backoffMs" | "maxBackoffMs">,
  retries: number,
  bound: "least" | "most",
): number {
  let sum = 0;
  for (let retry = 1; retry <= retries; retry++) {
    const wait = waitRangeMs(plan, retry)[bound];
    // From the longest wait on, all are alike.
    if (wait === waitRangeMs(plan, retry + 1)[bound]) return sum + (retries - retry + 1) * wait;
    sum += wait;
  }
  return sum;
}

/** How many retries can start within that time if every try fails at once and every wait is as short as it may be. */
export function retriesWithin(plan: RetryPlan, timeMs: number): number {
  let sum = 0;
  for (let retry = 1; retry <= plan.attempts; retry++) {
    const wait = waitRangeMs(plan, retry).least;
    if (wait === waitRangeMs(plan, retry + 1).least) {
      const more = wait === 0 ? plan.attempts : Math.max(0, Math.ceil((timeMs - sum) / wait) - 1);
      return Math.min(plan.attempts, retry - 1 + more);
    }
    sum += wait;
    if (sum >= timeMs) return retry - 1;
  }
  return plan.attempts;
}
