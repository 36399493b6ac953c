/** A queue of keys: a key that is added several times is worked on once, and never twice at a time. */

export interface WorkQueueOptions<Key> {
  /** How many keys are worked on at once. */
  readonly workers: number;
  /** Returns the time after which the key is worked on again; undefined: not until it is added again. It must not reject. */
  readonly work: (key: Key) => Promise<number | undefined>;
  readonly monotonicMs: () => number;
}

export class WorkQueue<Key> {
  readonly #options: WorkQueueOptions<Key>;
  readonly #ready = new Set<Key>();
  /** Keys that wait, with the time when they are ready. Being added does not shorten it. */
  readonly #delayed = new Map<Key, number>();
  readonly #running = new Map<Key, Promise<void>>();
  readonly #again = new Set<Key>();
  #timer: NodeJS.Timeout | undefined;
  #isOpen = false;

  constructor(options: WorkQueueOptions<Key>) {
    this.#options = options;
  }

  /** The number of keys that wait or are worked on. */
  get size(): number {
    return this.#ready.size + this.#delayed.size + this.#running.size;
  }

  /** Begins to work. */
  open(): void {
    this.#isOpen = true;
    this.#next();
  }

  /** Forgets all keys that wait. Resolves when no key is worked on. */
  async close(): Promise<void> {
    this.#isOpen = false;
    clearTimeout(this.#timer);
    this.#ready.clear();
    this.#delayed.clear();
    this.#again.clear();
    await Promise.all(this.#running.values());
  }

  add(key: Key): void {
    if (!this.#isOpen || this.#delayed.has(key)) return;
    if (this.#running.has(key)) this.#again.add(key);
    else this.#ready.add(key);
    this.#next();
  }

  #next(): void {
    for (const key of this.#ready) {
      if (this.#running.size >= this.#options.workers) return;
      this.#ready.delete(key);
      this.#running.set(key, this.#work(key));
    }
  }

  async #work(key: Key): Promise<void> {
    const afterMs = await this.#options.work(key);
    this.#running.delete(key);
    if (!this.#isOpen) return;
    const isAgain = this.#again.delete(key);
    if (afterMs !== undefined && afterMs > 0) this.#delay(key, afterMs);
    else if (isAgain || afterMs !== undefined) this.#ready.add(key);
    this.#next();
  }

  #delay(key: Key, afterMs: number): void {
    this.#delayed.set(key, this.#options.monotonicMs() + afterMs);
    this.#wake();
  }

  /** One timer for the first of the keys that wait. */
  #wake(): void {
    clearTimeout(this.#timer);
    let first = Number.POSITIVE_INFINITY;
    for (const dueMs of this.#delayed.values()) first = Math.min(first, dueMs);
    if (first === Number.POSITIVE_INFINITY) return;
    this.#timer = setTimeout(() => this.#release(), Math.max(1, Math.ceil(first - this.#options.monotonicMs())));
  }

  #release(): void {
    const nowMs = this.#options.monotonicMs();
    for (const [key, dueMs] of this.#delayed) {
      if (dueMs > nowMs) continue;
      this.#delayed.delete(key);
      this.#ready.add(key);
    }
    this.#wake();
    this.#next();
  }
}
