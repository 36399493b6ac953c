/**
 * How many retries a backend has to bear (GEP-3388, "retryConstraint"). A budget bounds the retries of all requests together, so that a
 * backend in trouble is not buried under them. Time arrives as an argument.
 */

import { isJsonObject, type JsonObject, ownValue } from "../model/json.ts";
import { parseDurationMs } from "../model/parse/parse-duration.ts";
import type { GroupKind } from "../model/refs.ts";

export interface RetryBudget {
  /** Retries within `intervalMs` may come to this part of the requests that came in meanwhile; first tries count, retries do not. */
  readonly percent: number;
  readonly intervalMs: number;
  /** So many retries are always allowed, or a quiet backend would have none at all. */
  readonly minRetryRate: { readonly count: number; readonly intervalMs: number };
}

/** Gateway API, "BackendTrafficPolicy": what is left out. */
const PERCENT = 20;
const INTERVAL_MS = 10_000;
const MIN_COUNT = 10;
const MIN_INTERVAL_MS = 1000;

/** Of `retry.budget`, and of `retryConstraint` with its own two structs. What cannot be read counts as left out. */
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

const NOTHING: JsonObject = {};

/** `{percent, interval, minRetryRate}`, as a RetryPolicy has it; undefined: no budget. */
export function policyBudget(retry: JsonObject): RetryBudget | undefined {
  const budget = ownValue(retry, "budget");
  return isJsonObject(budget) ? readRetryBudget(budget, objectAt(budget, "minRetryRate")) : undefined;
}

/** Gives each backend a budget of its own. */
export const BACKEND_TRAFFIC_POLICY: GroupKind = {
  group: "gateway.networking.x-k8s.io",
  kind: "XBackendTrafficPolicy",
};

/** `{budget: {percent, interval}, minRetryRate}`, as an XBackendTrafficPolicy has it; undefined: no budget. */
export function backendBudget(spec: JsonObject): RetryBudget | undefined {
  const constraint = ownValue(spec, "retryConstraint");
  if (!isJsonObject(constraint)) return undefined;
  return readRetryBudget(objectAt(constraint, "budget"), objectAt(constraint, "minRetryRate"));
}

function objectAt(holder: JsonObject, key: string): JsonObject {
  const value = ownValue(holder, key);
  return isJsonObject(value) ? value : NOTHING;
}

function numberAt(holder: JsonObject, key: string): number | undefined {
  const value = ownValue(holder, key);
  return typeof value === "number" ? value : undefined;
}

/** An interval of no length would never hold anything: it counts as left out. */
function durationAt(holder: JsonObject, key: string): number | undefined {
  const value = ownValue(holder, key);
  const ms = typeof value === "string" ? parseDurationMs(value) : undefined;
  return ms === 0 ? undefined : ms;
}

/** What a gateway keeps for each backend with a budget. */
export interface BudgetMeter {
  /** A request came in for the backend. */
  readonly countRequest: (nowMs: number) => void;
  /** Whether one more retry fits. */
  readonly hasRoom: (nowMs: number) => boolean;
  /** A retry is going to happen. */
  readonly countRetry: (nowMs: number) => void;
}

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

/** Whether every budget has room for a retry. Only then it counts, and in all of them: a refusal by one costs the others nothing. */
export function takeRetry(meters: readonly BudgetMeter[], nowMs: number): boolean {
  if (!meters.every((meter) => meter.hasRoom(nowMs))) return false;
  for (const meter of meters) meter.countRetry(nowMs);
  return true;
}

/** How finely a window slides: it forgets a twentieth at a time, and so never less than the interval is in it. */
const SLOTS = 20;

interface SlidingWindow {
  readonly add: (nowMs: number) => void;
  readonly count: (nowMs: number) => number;
}

/** Counts of the last interval, in constant space and time. */
function createWindow(intervalMs: number): SlidingWindow {
  const slotMs = intervalMs / SLOTS;
  // One more than the interval has: the slot that is being filled does not yet count as a whole one.
  const counts = Array.from({ length: SLOTS + 1 }, () => 0);
  let newest = 0;
  let sum = 0;
  const slideTo = (nowMs: number): void => {
    const slot = Math.floor(nowMs / slotMs);
    // A clock that goes back stands still.
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
