/**
 * When a failed try is followed by another, and when that one starts: the one place that decides it. A gateway asks it with its clock
 * and its dice, a trace with neither. Gateway API v1.7.0 and GEP-1731 differ on some points; docs/semantics.md says where we stand.
 */

/** May a request that was sent, and so may have been processed, be sent again? */
export type AfterSend = "Never" | "Idempotent" | "Always";

/** The effective settings, as numbers, with defaults filled in. No `retry` at all is no plan at all. */
export interface RetryPlan {
  /** Answers that are retried, for every method. */
  readonly codes: readonly number[];
  /** Retries after the first try. */
  readonly attempts: number;
  /** No retry starts earlier than this after the failure; undefined: soon, and no promise. */
  readonly backoffMs: number | undefined;
  /** Where the growth of waits ends; never below `backoffMs`. */
  readonly maxBackoffMs: number | undefined;
  readonly afterSend: AfterSend;
}

/** How a try failed, or what it brought. */
export type TryOutcome =
  | { readonly type: "Answered"; readonly status: number }
  /** No connection: the request was not sent. */
  | { readonly type: "NotConnected" }
  /** HTTP/2 REFUSED_STREAM, GOAWAY beyond it: sent, and not processed. */
  | { readonly type: "Refused" }
  /** The connection broke, or what came back was no HTTP. */
  | { readonly type: "Reset" }
  /** `timeouts.backendRequest` ran out. */
  | { readonly type: "TimedOut" };

export interface Situation {
  readonly plan: RetryPlan | undefined;
  readonly method: string;
  readonly outcome: TryOutcome;
  /** Tries made, this one included. */
  readonly tries: number;
  /** Whether all of the request is still at hand: its body was kept, or none of it was sent. */
  readonly canResend: boolean;
  readonly nowMs: number;
  /** From 0 up to 1. */
  readonly random: number;
  /** Asked last, as a retry that is allowed is counted. */
  readonly isWithinBudget: () => boolean;
}

export type NextStep =
  | { readonly do: "Answer"; readonly because: "Final" | "NotRetried" | "Exhausted" | "BodyNotKept" | "Budget" }
  | { readonly do: "Retry"; readonly atMs: number };

/** RFC 9110: sending it twice is the same as sending it once. */
const IDEMPOTENT: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"]);

export function nextStep({
  plan,
  method,
  outcome,
  tries,
  canResend,
  nowMs,
  random,
  isWithinBudget,
}: Situation): NextStep {
  if (plan === undefined || !isRetried(plan, method, outcome)) {
    return { do: "Answer", because: outcome.type === "Answered" ? "Final" : "NotRetried" };
  }
  if (tries > plan.attempts) return { do: "Answer", because: "Exhausted" };
  if (!canResend) return { do: "Answer", because: "BodyNotKept" };
  if (!isWithinBudget()) return { do: "Answer", because: "Budget" };
  return { do: "Retry", atMs: nowMs + waitMs(plan, tries, random) };
}

function isRetried({ codes, afterSend }: RetryPlan, method: string, outcome: TryOutcome): boolean {
  switch (outcome.type) {
    case "Answered":
      return outcome.status >= 400 && codes.includes(outcome.status);
    case "NotConnected":
    case "Refused":
      return true;
    case "Reset":
    case "TimedOut":
      return afterSend === "Always" || (afterSend === "Idempotent" && IDEMPOTENT.has(method));
  }
}

/** About this long without a `backoff`: a pause, not a promise. */
const UNPROMISED_MS = 25;
/** Waits are spread upwards only: a quarter more at most. */
const SPREAD = 0.25;
const GROWTH_LIMIT = 10;

/** The wait before a retry (1, 2, …): at least `backoff`, doubling up to `maxBackoff`, spread upwards by the dice. */
export function waitMs(plan: RetryPlan, retry: number, random: number): number {
  const { least, most } = waitRangeMs(plan, retry);
  return least + random * (most - least);
}

/** Between which bounds the wait before a retry lies. */
export function waitRangeMs(
  { backoffMs, maxBackoffMs }: Pick<RetryPlan, "backoffMs" | "maxBackoffMs">,
  retry: number,
): { readonly least: number; readonly most: number } {
  if (backoffMs === undefined) return { least: 0, most: 2 * UNPROMISED_MS };
  const longest = Math.max(backoffMs, maxBackoffMs ?? GROWTH_LIMIT * backoffMs);
  // A power of two that no double holds is as good as the limit.
  const least = Math.min(longest, backoffMs * 2 ** Math.min(retry - 1, 1000));
  return { least, most: Math.max(least, Math.min(longest, least * (1 + SPREAD))) };
}
