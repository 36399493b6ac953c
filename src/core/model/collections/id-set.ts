/** A persistent set of identifiers, read in their order: `with` and `without` return a new version. */
import { compareText } from "../refs.ts";
import { isAscending, SortedMap } from "./sorted-map.ts";

export class IdSet<K extends string> implements Iterable<K> {
  readonly #ids: SortedMap<K, K>;

  private constructor(ids: SortedMap<K, K>) {
    this.#ids = ids;
  }

  static empty<K extends string>(): IdSet<K> {
    return new IdSet<K>(SortedMap.empty());
  }

  /** The ids may come in any order and repeated. */
  static from<K extends string>(ids: readonly K[]): IdSet<K> {
    const sorted = isAscending(ids) ? ids : [...new Set(ids)].sort(compareText);
    return new IdSet(SortedMap.of(sorted, sorted));
  }

  get size(): number {
    return this.#ids.size;
  }

  has(id: K): boolean {
    return this.#ids.get(id) !== undefined;
  }

  with(id: K): IdSet<K> {
    return this.has(id) ? this : new IdSet(this.#ids.with(id, id));
  }

  without(id: K): IdSet<K> {
    return this.has(id) ? new IdSet(this.#ids.without(id)) : this;
  }

  /** The ids that begin with none of the prefixes. How many begin with one does not matter for the time. */
  *outside(prefixes: readonly string[]): IterableIterator<K> {
    for (let from: string | undefined = ""; from !== undefined; ) {
      let prefix: string | undefined;
      for (const id of this.#ids.valuesFrom(from)) {
        prefix = prefixes.find((one) => id.startsWith(one));
        if (prefix !== undefined) break;
        yield id;
      }
      from = prefix === undefined ? undefined : afterPrefix(prefix);
    }
  }

  [Symbol.iterator](): IterableIterator<K> {
    return this.#ids.values();
  }
}

/** The first text after all those that begin with a prefix, whatever characters follow in them. Undefined: there is none. */
function afterPrefix(prefix: string): string | undefined {
  const last = prefix.charCodeAt(prefix.length - 1);
  if (Number.isNaN(last)) return undefined;
  const start = prefix.slice(0, -1);
  return last === 0xffff ? afterPrefix(start) : `${start}${String.fromCharCode(last + 1)}`;
}
