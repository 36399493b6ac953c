import { forEachId, type IdSet, idSetWith, idSetWithout } from "../../model/collections/id-set.ts";
import { LayeredMap } from "../../model/collections/layered-map.ts";

/** The next version of a table in the making. A first version is built in one go. */
export class TableDraft<K extends string, V> {
  readonly #before: LayeredMap<K, V>;
  readonly #changes: Map<K, V | undefined> = new Map();

  constructor(before: LayeredMap<K, V>) {
    this.#before = before;
  }

  get(key: K): V | undefined {
    return this.#changes.has(key) ? this.#changes.get(key) : this.#before.get(key);
  }

  /** Undefined: no longer there. */
  set(key: K, value: V | undefined): void {
    if (this.get(key) !== value) this.#changes.set(key, value);
  }

  /** What was set to something else than it was. */
  changed(): readonly K[] {
    return [...this.#changes].filter(([key, value]) => value !== this.#before.get(key)).map(([key]) => key);
  }

  done(): LayeredMap<K, V> {
    if (this.#before.size === 0) {
      const all = new Map<K, V>();
      for (const [key, value] of this.#changes) if (value !== undefined) all.set(key, value);
      return LayeredMap.from(all);
    }
    let next = this.#before;
    for (const key of this.changed()) {
      const value = this.#changes.get(key);
      next = value === undefined ? next.without(key) : next.with(key, value);
    }
    return next;
  }
}

/** Who rests on what: the index after one of them rests on other things than before. */
export function reindex<K extends string, I extends string>(
  index: TableDraft<K, IdSet<I>>,
  id: I,
  before: readonly K[],
  after: readonly K[],
): void {
  for (const key of before) if (!after.includes(key)) index.set(key, idSetWithout(index.get(key), id));
  for (const key of after) if (!before.includes(key)) index.set(key, idSetWith(index.get(key), id));
}

export function idsIn<I extends string>(set: IdSet<I> | undefined): readonly I[] {
  const ids: I[] = [];
  forEachId(set, (id) => ids.push(id));
  return ids;
}
