/** For how long nothing has come or gone over a connection. Whoever looks at the clock now and then asks; traffic only leaves a mark, as it is far more frequent. */
export class QuietTime {
  #wasActive = true;
  #sinceMs = 0;

  /** Something came or went. */
  note(): void {
    this.#wasActive = true;
  }

  /** From the first look on at which nothing had: never more than it was. */
  lookMs(nowMs: number): number {
    if (this.#wasActive) this.#sinceMs = nowMs;
    this.#wasActive = false;
    return nowMs - this.#sinceMs;
  }
}
