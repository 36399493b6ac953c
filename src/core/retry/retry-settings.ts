/** The retry settings and timeouts of one effective RetryPolicy, as numbers. */
import { isJsonList, isJsonObject, type JsonObject, ownValue } from "../model/json.ts";
import { parseDurationMs } from "../model/parse/parse-duration.ts";
import { policyBudget, type RetryBudget } from "./retry-budget.ts";
import type { RetryPlan } from "./retry-schedule.ts";
import type { Timeouts } from "./retry-timeline.ts";

export interface RetrySettings {
  /** Undefined: there is no `retry` stanza. */
  readonly plan: RetryPlan | undefined;
  readonly timeouts: Timeouts;
  /** A request with a longer body is streamed without buffering, so it cannot be retried once its body was sent. */
  readonly maxBodyBytes: number;
  /** Undefined: no retry budget. */
  readonly budget: RetryBudget | undefined;
}

/** Gateway API v1.7.0, HTTPRouteRetry: the default of `attempts`. */
const ATTEMPTS = 1;
const MAX_BODY_BYTES = 65_536;
const NOTHING: JsonObject = {};

/** A value of the wrong type counts as unset; other findings report it. */
export function retrySettings(spec: JsonObject): RetrySettings {
  const stanza = ownValue(spec, "retry");
  const retry = isJsonObject(stanza) ? stanza : NOTHING;
  const timeouts = ownValue(spec, "timeouts");
  const limits = isJsonObject(timeouts) ? timeouts : NOTHING;
  const maxBodyBytes = ownValue(retry, "maxBodyBytes");
  return {
    plan: retry === stanza ? retryPlan(retry) : undefined,
    timeouts: { requestMs: limit(limits, "request"), backendRequestMs: limit(limits, "backendRequest") },
    maxBodyBytes: typeof maxBodyBytes === "number" ? Math.max(0, maxBodyBytes) : MAX_BODY_BYTES,
    budget: policyBudget(retry),
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

function duration(object: JsonObject, key: string): number | undefined {
  const value = ownValue(object, key);
  return typeof value === "string" ? parseDurationMs(value) : undefined;
}

/**
 * A timeout of zero is no timeout
 *
 * `0s` disables `timeouts.request` or `timeouts.backendRequest`.
 * Gateway API, "HTTPRouteTimeouts"
 */
function limit(object: JsonObject, key: string): number | undefined {
  const ms = duration(object, key);
  return ms === 0 ? undefined : ms;
}
