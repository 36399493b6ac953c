/** A persistent set of identifiers in order: a plain array while it is small (most are), a sorted map when it is not. */
import { SortedMap } from "./sorted-map.ts";

export type IdSet<K extends string> = readonly K[] | SortedMap<K, true>;

const LARGE = 512;
const isArray = Array.isArray as <K extends string>(set: IdSet<K>) => set is readonly K[];

/** Takes the ids over; they may come unsorted and repeated. */
export function idSetFrom<K extends string>(ids: K[]): IdSet<K> {
  if (ids.length === 1) return ids;
  if (ids.length > LARGE) return SortedMap.from(ids.map((id) => [id, true] as const));
  if (!isSortedSet(ids)) return [...new Set(ids)].sort();
  return ids;
}

function isSortedSet(ids: readonly string[]): boolean {
  for (let i = 1; i < ids.length; i++) if ((ids[i - 1] as string) >= (ids[i] as string)) return false;
  return true;
}

export function idSetWith<K extends string>(set: IdSet<K> | undefined, id: K): IdSet<K> {
  if (set === undefined) return [id];
  if (!isArray(set)) return set.with(id, true);
  if (set.includes(id)) return set;
  return idSetFrom([...set, id].sort());
}

/** Undefined when nothing is left. */
export function idSetWithout<K extends string>(set: IdSet<K> | undefined, id: K): IdSet<K> | undefined {
  if (set === undefined) return undefined;
  if (!isArray(set)) return set.without(id);
  const rest = set.filter((other) => other !== id);
  return rest.length === 0 ? undefined : rest;
}

export function forEachId<K extends string>(set: IdSet<K> | undefined, visit: (id: K) => void): void {
  if (set === undefined) return;
  if (isArray(set)) for (const id of set) visit(id);
  else set.forEach(visit);
}
