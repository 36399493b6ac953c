/**
 * Decides whether a failed attempt is followed by a retry, and when the retry starts. The embedded gateway calls it with its clock and
 * random numbers. docs/semantics.md lists where Gateway API v1.7.0 and GEP-1731 differ.
 */
import { type Backoff, waitMs } from "./backoff.ts";

/** The requests that may be sent again although they were sent, and so may have been processed. */
export type AfterSend = "Never" | "Idempotent" | "Always";

/** The effective retry settings, as numbers, with defaults filled in. */
export interface RetryPlan extends Backoff {
  /** Response codes that are retried, for every method. */
  readonly codes: readonly number[];
  /** The maximum number of retries after the first attempt. */
  readonly attempts: number;
  readonly afterSend: AfterSend;
}

/** How an attempt ended. */
export type AttemptOutcome =
  | { readonly type: "Responded"; readonly status: number }
  /** There was no connection: the request was not sent. */
  | { readonly type: "NotConnected" }
  /** HTTP/2 REFUSED_STREAM, or a GOAWAY that excludes the stream: the request was sent and not processed. */
  | { readonly type: "Refused" }
  /** The connection was reset, or the response was not valid HTTP. */
  | { readonly type: "Reset" }
  /** `timeouts.backendRequest` expired. */
  | { readonly type: "TimedOut" };

export interface Situation {
  /** Undefined: no `retry` stanza takes effect. */
  readonly plan: RetryPlan | undefined;
  readonly method: string;
  readonly outcome: AttemptOutcome;
  /** The number of attempts so far, including the one that ended. */
  readonly attemptsMade: number;
  /** True if the whole request can be sent again: its body was buffered, or none of it was sent. */
  readonly canResend: boolean;
  readonly nowMs: number;
  /** From 0 up to 1. */
  readonly random: number;
  /** Called only for a retry that would happen otherwise, because the budget counts the retry. */
  readonly isWithinBudget: () => boolean;
}

export type NextStep =
  | { readonly do: "Respond"; readonly because: "Final" | "NotRetried" | "Exhausted" | "BodyNotKept" | "Budget" }
  | { readonly do: "Retry"; readonly atMs: number };

/**
 * At most so many retries
 *
 * `attempts` is the maximum number of retries after the first attempt. Once they are used up the last response is returned, or an error
 * if there is none.
 * GEP-1731, "API"
 */
export function nextStep(situation: Situation): NextStep {
  const { plan, method, outcome, attemptsMade, canResend, nowMs, random, isWithinBudget } = situation;
  if (plan === undefined || !isRetried(plan, method, outcome)) {
    return { do: "Respond", because: outcome.type === "Responded" ? "Final" : "NotRetried" };
  }
  if (attemptsMade > plan.attempts) return { do: "Respond", because: "Exhausted" };
  if (!canResend) return { do: "Respond", because: "BodyNotKept" };
  if (!isWithinBudget()) return { do: "Respond", because: "Budget" };
  return { do: "Retry", atMs: nowMs + waitMs(plan, attemptsMade, random) };
}

function isRetried({ codes, afterSend }: RetryPlan, method: string, outcome: AttemptOutcome): boolean {
  return outcome.type === "Responded"
    ? isRetriedCode(codes, outcome.status)
    : isRetriedConnectionError(afterSend, method, outcome.type);
}

/**
 * Retried response codes
 *
 * A response is retried if `codes` lists its status. Statuses below 400 are never retried, even if they are listed.
 * GEP-1731, "API"
 */
const isRetriedCode = (codes: readonly number[], status: number): boolean => status >= 400 && codes.includes(status);

/**
 * Connection errors are retried
 *
 * With a `retry` stanza, an attempt that was not sent or not processed is retried. One that was sent and then reset or timed out is
 * retried as `afterSend` allows: by default only if its method is idempotent.
 * GEP-1731, "Should whether to retry on connection errors be configurable?"
 */
function isRetriedConnectionError(
  afterSend: AfterSend,
  method: string,
  error: Exclude<AttemptOutcome["type"], "Responded">,
): boolean {
  switch (error) {
    case "NotConnected":
    case "Refused":
      return true;
    case "Reset":
    case "TimedOut":
      return afterSend === "Always" || (afterSend === "Idempotent" && IDEMPOTENT.has(method));
  }
}

/** RFC 9110, 9.2.2. */
const IDEMPOTENT: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"]);
