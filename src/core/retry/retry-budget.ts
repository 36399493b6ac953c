/** Retry budgets: a limit on the retries of all requests to a backend together. Time arrives as an argument. */
import { isJsonObject, type JsonObject, objectAt, ownValue } from "../model/json.ts";
import { parseDurationMs } from "../model/parse/parse-duration.ts";
import type { GroupKind } from "../model/refs.ts";

export interface RetryBudget {
  /** The retries within `intervalMs` may be this percentage of the requests within it. A request counts once, however often it is retried. */
  readonly percent: number;
  readonly intervalMs: number;
  /** The rate of retries that is always allowed. Without it a backend with few requests would never get a retry. */
  readonly minRetryRate: { readonly count: number; readonly intervalMs: number };
}

/** Gateway API's defaults of XBackendTrafficPolicy. */
const PERCENT = 20;
const INTERVAL_MS = 10_000;
const MIN_COUNT = 10;
const MIN_INTERVAL_MS = 1000;

/** Reads `retry.budget`, or the two structs of `retryConstraint`. A value of the wrong type counts as unset. */
function readRetryBudget(budget: JsonObject, minRetryRate: JsonObject): RetryBudget {
  return {
    percent: numberAt(budget, "percent") ?? PERCENT,
    intervalMs: durationAt(budget, "interval") ?? INTERVAL_MS,
    minRetryRate: {
      count: numberAt(minRetryRate, "count") ?? MIN_COUNT,
      intervalMs: durationAt(minRetryRate, "interval") ?? MIN_INTERVAL_MS,
    },
  };
}

/** The budget of a RetryPolicy, `{percent, interval, minRetryRate}`. Undefined: no budget. */
export function policyBudget(retry: JsonObject): RetryBudget | undefined {
  const budget = ownValue(retry, "budget");
  return isJsonObject(budget) ? readRetryBudget(budget, objectAt(budget, "minRetryRate")) : undefined;
}

/** The policy kind that gives a backend a budget. */
export const BACKEND_TRAFFIC_POLICY: GroupKind = {
  group: "gateway.networking.x-k8s.io",
  kind: "XBackendTrafficPolicy",
};

/** The budget of an XBackendTrafficPolicy, `{budget: {percent, interval}, minRetryRate}`. Undefined: no budget. */
export function backendBudget(spec: JsonObject): RetryBudget | undefined {
  const constraint = ownValue(spec, "retryConstraint");
  if (!isJsonObject(constraint)) return undefined;
  return readRetryBudget(objectAt(constraint, "budget"), objectAt(constraint, "minRetryRate"));
}

function numberAt(object: JsonObject, key: string): number | undefined {
  const value = ownValue(object, key);
  return typeof value === "number" ? value : undefined;
}

/** An interval of length 0 counts as unset, because no request ever falls into it. */
function durationAt(object: JsonObject, key: string): number | undefined {
  const value = ownValue(object, key);
  const ms = typeof value === "string" ? parseDurationMs(value) : undefined;
  return ms === 0 ? undefined : ms;
}

/** The counters of one budget. */
export interface BudgetMeter {
  /** Counts a request to the backend, not its retries. */
  readonly countRequest: (nowMs: number) => void;
  /** True if the budget allows one more retry. */
  readonly hasRoom: (nowMs: number) => boolean;
  readonly countRetry: (nowMs: number) => void;
}

/**
 * Retry budget
 *
 * A retry is allowed if the retries of the interval stay within `percent` of its requests, or if fewer than `minRetryRate` retries have
 * happened.
 * GEP-3388, "API"
 */
export function createBudgetMeter({ percent, intervalMs, minRetryRate }: RetryBudget): BudgetMeter {
  const requests = createWindow(intervalMs);
  const retries = createWindow(intervalMs);
  const recentRetries = createWindow(minRetryRate.intervalMs);
  return {
    countRequest: (nowMs) => requests.add(nowMs),
    hasRoom: (nowMs) =>
      recentRetries.count(nowMs) < minRetryRate.count ||
      (retries.count(nowMs) + 1) * 100 <= percent * requests.count(nowMs),
    countRetry: (nowMs) => {
      retries.add(nowMs);
      recentRetries.add(nowMs);
    },
  };
}

/** Counts a retry in every budget and returns true, or returns false and counts it in none if one budget has no room. */
export function takeRetry(meters: readonly BudgetMeter[], nowMs: number): boolean {
  if (!meters.every((meter) => meter.hasRoom(nowMs))) return false;
  for (const meter of meters) meter.countRetry(nowMs);
  return true;
}

/** A window drops counts in steps of a twentieth of its interval. It covers at least the interval at all times. */
const SLOTS = 20;

interface SlidingWindow {
  readonly add: (nowMs: number) => void;
  readonly count: (nowMs: number) => number;
}

/** Counts the events of the last interval in constant space and time. */
function createWindow(intervalMs: number): SlidingWindow {
  const slotMs = intervalMs / SLOTS;
  // One slot more than the interval has, because the newest slot is only partly over.
  const counts = Array.from({ length: SLOTS + 1 }, () => 0);
  let newest = 0;
  let sum = 0;
  const slideTo = (nowMs: number): void => {
    const slot = Math.floor(nowMs / slotMs);
    // Negative if the clock went back: then the window stays as it is.
    const steps = Math.min(slot - newest, counts.length);
    for (let step = 1; step <= steps; step++) {
      const at = (slot - steps + step) % counts.length;
      sum -= counts[at] ?? 0;
      counts[at] = 0;
    }
    newest = Math.max(newest, slot);
  };
  return {
    add: (nowMs) => {
      slideTo(nowMs);
      const at = newest % counts.length;
      counts[at] = (counts[at] ?? 0) + 1;
      sum++;
    },
    count: (nowMs) => {
      slideTo(nowMs);
      return sum;
    },
  };
}
