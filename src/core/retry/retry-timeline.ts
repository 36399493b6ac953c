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

function longestOf(plan: RetryPlan | undefined, { requestMs, backendRequestMs }: Timeouts): number | undefined {
  if (backendRequestMs === undefined) return requestMs;
  let sum = backendRequestMs;
  for (let retry = 1; retry <= (plan?.attempts ?? 0); retry++) {
    if (plan === undefined || (requestMs !== undefined && sum >= requestMs)) break;
    sum += waitRangeMs(plan, retry).most + backendRequestMs;
    // Without a limit, and with more tries than anyone waits for, the rest is a product.
    if (retry >= MAX_LOOP) {
      sum += (plan.attempts - retry) * (waitRangeMs(plan, retry).most + backendRequestMs);
      break;
    }
  }
  return requestMs === undefined ? sum : Math.min(sum, requestMs);
}

const MAX_LOOP = 10_000;
