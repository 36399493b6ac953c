/** Decides when to stop writing where another writer removes what was written. */

export interface Reset {
  readonly manager: string;
  readonly atMs: number;
}

const MOST_RESETS = 3;
const WITHIN_MS = 10 * 60_000;
/** After that long without a write there is another attempt. */
const STOPPED_MS = 60 * 60_000;

/**
 * Two writers of one condition do not correct each other for ever. If the same manager removes or changes our entries of an object three
 * times within ten minutes, they are not written there any more: two controllers that correct each other are a load on the API server, and
 * no reader can rely on the result. There is another attempt after an hour; three more resets end that, too.
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

  /** Notes that a status that was reset is as wanted again. */
  noteWritten(): void {
    this.#stopped = undefined;
  }

  /** The manager that ended the writes, and until when; known until there is a write again, which may be later. */
  get stopped(): { readonly manager: string; readonly untilMs: number } | undefined {
    return this.#stopped && { manager: this.#stopped.manager, untilMs: this.#stopped.atMs + STOPPED_MS };
  }

  /** The last reset, if nothing is written because of it. */
  stoppedBy(nowMs: number): Reset | undefined {
    return this.stopped !== undefined && nowMs < this.stopped.untilMs ? this.#stopped : undefined;
  }
}
