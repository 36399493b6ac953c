/** Retries and timeouts of one effective RetryPolicy, as numbers, and what they come to. */
import { isJsonList, isJsonObject, type JsonObject, ownValue } from "../model/json.ts";
import { parseDurationMs } from "../model/parse-duration.ts";

export interface RetrySettings {
  /** Retries after the first try; 0 where there is no `retry` at all. */
  readonly attempts: number;
  readonly codes: readonly number[];
  readonly backoffMs: number | undefined;
  readonly maxBackoffMs: number | undefined;
  /** Undefined: no limit. */
  readonly requestMs: number | undefined;
  readonly backendRequestMs: number | undefined;
}

/** What cannot be read counts as unset: other findings tell of it. */
export function retrySettings(spec: JsonObject): RetrySettings {
  const retry = ownValue(spec, "retry");
  const timeouts = ownValue(spec, "timeouts");
  const own = isJsonObject(retry) ? retry : {};
  const limits = isJsonObject(timeouts) ? timeouts : {};
  const attempts = ownValue(own, "attempts");
  const codes = ownValue(own, "codes");
  return {
    // Gateway API v1.7.0: unset means 1.
    attempts: isJsonObject(retry) ? (typeof attempts === "number" ? Math.max(0, attempts) : 1) : 0,
    codes: isJsonList(codes) ? codes.filter((code) => typeof code === "number") : [],
    backoffMs: duration(own, "backoff"),
    maxBackoffMs: duration(own, "maxBackoff"),
    requestMs: limit(limits, "request"),
    backendRequestMs: limit(limits, "backendRequest"),
  };
}

function duration(holder: JsonObject, key: string): number | undefined {
  const value = ownValue(holder, key);
  return typeof value === "string" ? parseDurationMs(value) : undefined;
}

/** `0s` disables a timeout. */
function limit(holder: JsonObject, key: string): number | undefined {
  const ms = duration(holder, key);
  return ms === 0 ? undefined : ms;
}

/** By any reading of `backoff`, no retry starts earlier than this after the one before it. */
export const leastWaitMs = ({ attempts, backoffMs = 0 }: RetrySettings): number => attempts * backoffMs;

/** How many retries can start in time if every wait is the shortest that is allowed. */
export function retriesInTime({ attempts, backoffMs = 0, requestMs }: RetrySettings): number {
  if (requestMs === undefined || backoffMs === 0) return attempts;
  return Math.min(attempts, Math.max(0, Math.ceil(requestMs / backoffMs) - 1));
}

/** Waits double from try to try, up to the longest: ten times the first, unless something else is set. */
export function growingWaitMs({ attempts, backoffMs = 0, maxBackoffMs }: RetrySettings): number {
  const longest = Math.max(backoffMs, maxBackoffMs ?? 10 * backoffMs);
  let sum = 0;
  let wait = backoffMs;
  for (let retry = 1; retry <= attempts; retry++) {
    if (wait >= longest) return sum + (attempts - retry + 1) * longest;
    sum += wait;
    wait *= 2;
  }
  return sum;
}

/** Every try takes as long as it may, and every wait as long as it must. */
export const slowestMs = (settings: RetrySettings): number =>
  growingWaitMs(settings) + (settings.attempts + 1) * (settings.backendRequestMs ?? 0);
