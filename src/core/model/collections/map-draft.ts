/** Changes to a persistent map, collected and made in one go. */
import { PersistentMap } from "./persistent-map.ts";

export class MapDraft<K extends string, V> {
  readonly #before: PersistentMap<K, V>;
  readonly #changes: Map<K, V | undefined> = new Map();

  constructor(before: PersistentMap<K, V>) {
    this.#before = before;
  }

  get(key: K): V | undefined {
    return this.#changes.has(key) ? this.#changes.get(key) : this.#before.get(key);
  }

  /** Undefined deletes the key. */
  set(key: K, value: V | undefined): void {
    if (this.get(key) !== value) this.#changes.set(key, value);
  }

  /** The keys whose value differs from the map before. */
  changedKeys(): readonly K[] {
    return [...this.#changes].filter(([key, value]) => value !== this.#before.get(key)).map(([key]) => key);
  }

  build(): PersistentMap<K, V> {
    if (this.#changes.size === 0) return this.#before;
    if (this.#before.size === 0) {
      const all = new Map<K, V>();
      for (const [key, value] of this.#changes) if (value !== undefined) all.set(key, value);
      return PersistentMap.from(all);
    }
    let next = this.#before;
    for (const key of this.changedKeys()) {
      const value = this.#changes.get(key);
      next = value === undefined ? next.without(key) : next.with(key, value);
    }
    return next;
  }
}
