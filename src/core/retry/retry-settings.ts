/** Retries and timeouts of one effective RetryPolicy, as numbers. */
import { isJsonList, isJsonObject, type JsonObject, ownValue } from "../model/json.ts";
import { parseDurationMs } from "../model/parse-duration.ts";
import type { RetryPlan } from "./retry-schedule.ts";
import type { Timeouts } from "./retry-timeline.ts";

export interface RetrySettings {
  /** Undefined: there is no `retry` at all. */
  readonly plan: RetryPlan | undefined;
  readonly timeouts: Timeouts;
}

/** Gateway API v1.7.0: unset means 1. */
const ATTEMPTS = 1;

/** What cannot be read counts as unset: other findings tell of it. */
export function retrySettings(spec: JsonObject): RetrySettings {
  const retry = ownValue(spec, "retry");
  const timeouts = ownValue(spec, "timeouts");
  const limits = isJsonObject(timeouts) ? timeouts : {};
  return {
    plan: isJsonObject(retry) ? retryPlan(retry) : undefined,
    timeouts: { requestMs: limit(limits, "request"), backendRequestMs: limit(limits, "backendRequest") },
  };
}

function retryPlan(retry: JsonObject): RetryPlan {
  const attempts = ownValue(retry, "attempts");
  const codes = ownValue(retry, "codes");
  const afterSend = ownValue(retry, "afterSend");
  return {
    attempts: typeof attempts === "number" ? Math.max(0, Math.floor(attempts)) : ATTEMPTS,
    codes: isJsonList(codes) ? codes.filter((code) => typeof code === "number") : [],
    backoffMs: duration(retry, "backoff"),
    maxBackoffMs: duration(retry, "maxBackoff"),
    afterSend: afterSend === "Never" || afterSend === "Always" ? afterSend : "Idempotent",
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
