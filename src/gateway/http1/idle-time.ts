/**
 * Measures for how long a connection has been idle. Traffic only sets a flag, because it is much more frequent than the periodic check that
 * reads the clock.
 */
export class IdleTime {
  #wasActive = true;
  #sinceMs = 0;

  /** Records that bytes were sent or received. */
  touch(): void {
    this.#wasActive = true;
  }

  /** The time since the first check that saw no traffic: never longer than the real idle time. */
  checkMs(nowMs: number): number {
    if (this.#wasActive) this.#sinceMs = nowMs;
    this.#wasActive = false;
    return nowMs - this.#sinceMs;
  }
}
