/** How long a gateway waits before each retry. */

export interface Backoff {
  /** No retry starts earlier than this after the failure. Undefined: a short wait without a guarantee. */
  readonly backoffMs: number | undefined;
  /** The cap of the growing waits; a value below `backoffMs` counts as `backoffMs`. */
  readonly maxBackoffMs: number | undefined;
}

/** The mean wait if no `backoff` is configured. */
const DEFAULT_WAIT_MS = 25;
/** Jitter only lengthens a wait, by a quarter at most. */
const JITTER = 0.25;
/** The cap without a `maxBackoff`, as a multiple of `backoff`. */
const GROWTH_LIMIT = 10;

/**
 * Backoff is a minimum
 *
 * A retry does not start before `backoff` has passed since the failure of the attempt before it. The wait doubles with each retry up to
 * `maxBackoff`, and jitter only adds to it.
 * GEP-1731, "API"
 */
export function waitRangeMs(
  { backoffMs, maxBackoffMs }: Backoff,
  retry: number,
): { readonly least: number; readonly most: number } {
  if (backoffMs === undefined) return { least: 0, most: 2 * DEFAULT_WAIT_MS };
  const longest = Math.max(backoffMs, maxBackoffMs ?? GROWTH_LIMIT * backoffMs);
  // The exponent is bounded because 2 ** 1024 is infinite, and 0 * Infinity is not a number.
  const least = Math.min(longest, backoffMs * 2 ** Math.min(retry - 1, 1000));
  return { least, most: Math.max(least, Math.min(longest, least * (1 + JITTER))) };
}

/** The wait before a retry (1, 2, …). `random` is from 0 up to 1. */
export function waitMs(backoff: Backoff, retry: number, random: number): number {
  const { least, most } = waitRangeMs(backoff, retry);
  return least + random * (most - least);
}

/** The sum of the waits before so many retries: of the shortest waits, or of the longest. */
export function sumWaitsMs(backoff: Backoff, retries: number, bound: "least" | "most"): number {
  let sum = 0;
  for (let retry = 1; retry <= retries; retry++) {
    const wait = waitRangeMs(backoff, retry)[bound];
    // Once two waits in a row are equal, all later waits are.
    if (wait === waitRangeMs(backoff, retry + 1)[bound]) return sum + (retries - retry + 1) * wait;
    sum += wait;
  }
  return sum;
}
