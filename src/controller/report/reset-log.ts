/** Decides when to stop writing where another writer removes what was written. */

export interface Reset {
  readonly manager: string;
  readonly atMs: number;
}

const MOST_RESETS = 3;
const WITHIN_MS = 10 * 60_000;
/** After that long without a write one more attempt is made. */
const STOPPED_MS = 60 * 60_000;

/**
 * Two writers of one condition
 *
 * If the same manager removes or changes our entries of an object three times within ten minutes, they are not written there any more: two
 * controllers that correct each other are a load on the API server, and no reader can rely on the result. There is one more attempt after an hour.
 */
export class ResetLog {
  #resets: readonly Reset[] = [];
  #stopped: Reset | undefined;

  /** Returns true if this reset is the one that ends the writes. */
  note(reset: Reset): boolean {
    this.#resets = [...this.#resets.filter(({ atMs }) => reset.atMs - atMs < WITHIN_MS), reset];
    const byThem = this.#resets.filter(({ manager }) => manager === reset.manager);
    if (byThem.length < MOST_RESETS) return false;
    const isNew = this.#stopped === undefined;
    this.#stopped = reset;
    return isNew;
  }

  /** The last reset, if nothing is written because of it. */
  stoppedBy(nowMs: number): Reset | undefined {
    if (this.#stopped !== undefined && nowMs - this.#stopped.atMs < STOPPED_MS) return this.#stopped;
    return undefined;
  }
}
