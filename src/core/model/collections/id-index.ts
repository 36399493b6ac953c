/** Indexes from a key to the ids that depend on it: which routes refer to a Gateway, which policies select a kind. */
import { IdSet } from "./id-set.ts";
import type { MapDraft } from "./map-draft.ts";
import { PersistentMap } from "./persistent-map.ts";

/** A key that no id depends on is left out. */
export type IdIndex<K extends string, V extends string> = PersistentMap<K, IdSet<V>>;

export type IdIndexDraft<K extends string, V extends string> = MapDraft<K, IdSet<V>>;

/** Collects the ids of a first index; they may come in any order and repeated. */
export class IdIndexBuilder<K extends string, V extends string> {
  readonly #lists: Map<K, V[]> = new Map();

  add(key: K, id: V): void {
    const list = this.#lists.get(key);
    if (list === undefined) this.#lists.set(key, [id]);
    else list.push(id);
  }

  build(): IdIndex<K, V> {
    const sets = new Map<K, IdSet<V>>();
    for (const [key, ids] of this.#lists) sets.set(key, IdSet.from(ids));
    return PersistentMap.from(sets);
  }
}

export const idsAt = <K extends string, V extends string>(index: Pick<IdIndex<K, V>, "get">, key: K): IdSet<V> =>
  index.get(key) ?? IdSet.empty<V>();

/** Records in the index that `id` depends on the keys `after`, and no longer on the keys `before`. */
export function moveId<K extends string, V extends string>(
  index: IdIndexDraft<K, V>,
  id: V,
  before: readonly K[],
  after: readonly K[],
): void {
  if (before === after) return;
  const [was, is] = [new Set(before), new Set(after)];
  for (const key of was) {
    if (is.has(key)) continue;
    const rest = (index.get(key) ?? IdSet.empty<V>()).without(id);
    index.set(key, rest.size === 0 ? undefined : rest);
  }
  for (const key of is) {
    if (!was.has(key)) index.set(key, (index.get(key) ?? IdSet.empty<V>()).with(id));
  }
}
