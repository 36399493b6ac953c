/** When an object that changes again and again is written. */
import { isDeepStrictEqual } from "node:util";

/** The least time between two writes of one object. */
const BETWEEN_MS = 500;
/** The time between two writes doubles after this number of writes in a row, such as those of a Gateway in a burst of routes. */
const QUICK_WRITES = 5;
const LONGEST_BETWEEN_MS = 4000;
/** An object that is not written for so many times that long begins anew. */
const REST_FACTOR = 4;
/** A burst is over if nothing else was wanted for this part of the time between two writes. */
const QUIET_PART = 1 / 8;

/**
 * A burst of changes causes few writes, and a last one soon after it. A Gateway, or a policy above many routes, has other words after each
 * of a thousand changes. The time between two writes grows while they go on; when they end, the last words are not held back for all of it.
 */
export class WritePace {
  #writtenMs = Number.NEGATIVE_INFINITY;
  #betweenMs = BETWEEN_MS;
  #inARow = 0;
  #last: { readonly wanted: unknown; readonly sinceMs: number } | undefined;

  /** The time until what is wanted may be written, or until it is worth asking again. 0: now. */
  waitMs(wanted: unknown, nowMs: number): number {
    if (this.#last === undefined || !isDeepStrictEqual(this.#last.wanted, wanted))
      this.#last = { wanted, sinceMs: nowMs };
    const leastMs = this.#writtenMs + BETWEEN_MS - nowMs;
    const mostMs = this.#writtenMs + this.#betweenMs - nowMs;
    const quietMs = this.#last.sinceMs + this.#betweenMs * QUIET_PART - nowMs;
    return Math.max(0, leastMs, Math.min(mostMs, quietMs));
  }

  noteWritten(nowMs: number): void {
    const isRested = nowMs - this.#writtenMs > REST_FACTOR * this.#betweenMs;
    this.#inARow = isRested ? 1 : this.#inARow + 1;
    this.#betweenMs = Math.min(BETWEEN_MS * 2 ** Math.max(0, this.#inARow - QUICK_WRITES), LONGEST_BETWEEN_MS);
    this.#writtenMs = nowMs;
  }
}
