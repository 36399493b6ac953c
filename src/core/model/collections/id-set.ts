/** A persistent set of identifiers in order: mostly one, often a few (a plain list), seldom many (a sorted map). */
import { compareText } from "../refs.ts";
import { SortedMap } from "./sorted-map.ts";

export type IdSet<K extends string> = K | readonly K[] | SortedMap<K, true>;

const LARGE = 512;

const isOne = <K extends string>(set: IdSet<K>): set is K => typeof set === "string";

/** Collects ids for several keys; they may come unsorted and repeated. */
export class IdSets<K extends string, V extends string> {
  readonly #lists: Map<K, V | V[]> = new Map();

  add(key: K, id: V): void {
    const known = this.#lists.get(key);
    if (known === undefined) this.#lists.set(key, id);
    else if (typeof known === "string") this.#lists.set(key, [known, id]);
    else known.push(id);
  }

  /** Nothing may be added afterwards. */
  toMap(): Map<K, IdSet<V>> {
    const sets: Map<K, IdSet<V>> = this.#lists;
    for (const [key, ids] of this.#lists) {
      if (typeof ids === "string") continue;
      const set = idSetFrom(ids);
      if (set !== ids) sets.set(key, set);
    }
    return sets;
  }
}

function idSetFrom<K extends string>(ids: readonly K[]): IdSet<K> {
  const sorted = isSortedSet(ids) ? ids : [...new Set(ids)].sort(compareText);
  const [only] = sorted;
  if (only !== undefined && sorted.length === 1) return only;
  return sorted.length > LARGE ? SortedMap.from(sorted.map((id) => [id, true] as const)) : sorted;
}

function isSortedSet(ids: readonly string[]): boolean {
  for (let i = 1; i < ids.length; i++) if ((ids[i - 1] as string) >= (ids[i] as string)) return false;
  return true;
}

export function idSetWith<K extends string>(set: IdSet<K> | undefined, id: K): IdSet<K> {
  if (set === undefined || set === id) return id;
  if (isOne(set)) return idSetFrom([set, id]);
  if (set instanceof SortedMap) return set.with(id, true);
  return set.includes(id) ? set : idSetFrom([...set, id]);
}

/** Undefined when nothing is left. */
export function idSetWithout<K extends string>(set: IdSet<K> | undefined, id: K): IdSet<K> | undefined {
  if (set === undefined || set === id) return undefined;
  if (isOne(set)) return set;
  if (set instanceof SortedMap) {
    const rest = set.without(id);
    return rest.size === 0 ? undefined : rest;
  }
  const rest = set.filter((other) => other !== id);
  return rest.length === 0 ? undefined : idSetFrom(rest);
}

export function forEachId<K extends string>(set: IdSet<K> | undefined, visit: (id: K) => void): void {
  if (set === undefined) return;
  if (isOne(set)) visit(set);
  else if (set instanceof SortedMap) set.forEach(visit);
  else for (const id of set) visit(id);
}
