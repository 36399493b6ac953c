/**
 * A persistent map in the order of its keys: `with` and `without` return a new version and leave the old one readable. The
 * entries are in chunks; a change copies one chunk and the list of chunks.
 */
import { compareText } from "../refs.ts";

/** Entries of a full chunk. */
const CHUNK = 256;

interface Chunk<K, V> {
  readonly keys: readonly K[];
  readonly values: readonly V[];
}

/** The index of the last key that is not greater than `key`, or -1. */
function floorIndex<K extends string>(keys: readonly K[], key: K): number {
  let low = 0;
  let high = keys.length - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    if ((keys[middle] as K) <= key) low = middle + 1;
    else high = middle - 1;
  }
  return high;
}

/** True if each key is greater than the one before it, so that no key is there twice. */
export function isAscending(keys: readonly string[]): boolean {
  for (let i = 1; i < keys.length; i++) if ((keys[i - 1] as string) >= (keys[i] as string)) return false;
  return true;
}

export class SortedMap<K extends string, V> implements Iterable<readonly [K, V]> {
  readonly #chunks: readonly Chunk<K, V>[];
  readonly size: number;

  private constructor(chunks: readonly Chunk<K, V>[], size: number) {
    this.#chunks = chunks;
    this.size = size;
  }

  /** One for all: tables keep many empty maps. Made on the first call, because the class is not ready before. */
  static #empty: SortedMap<never, never> | undefined;

  static empty<K extends string, V>(): SortedMap<K, V> {
    SortedMap.#empty ??= new SortedMap<never, never>([], 0);
    return SortedMap.#empty;
  }

  static single<K extends string, V>(key: K, value: V): SortedMap<K, V> {
    return new SortedMap<K, V>([{ keys: [key], values: [value] }], 1);
  }

  /** The keys may come in any order; of two entries with one key the later counts. */
  static from<K extends string, V>(entries: Iterable<readonly [K, V]>): SortedMap<K, V> {
    const distinct: ReadonlyMap<K, V> = entries instanceof Map ? entries : new Map(entries);
    const keys = [...distinct.keys()];
    if (isAscending(keys)) return SortedMap.#cut(keys, [...distinct.values()]);
    keys.sort(compareText);
    return SortedMap.#cut(
      keys,
      keys.map((key) => distinct.get(key) as V),
    );
  }

  /** Keys and values in two lists of the same length; no key is there twice. */
  static of<K extends string, V>(keys: readonly K[], values: readonly V[]): SortedMap<K, V> {
    if (isAscending(keys)) return SortedMap.#cut(keys, values);
    return SortedMap.from(keys.map((key, index) => [key, values[index] as V]));
  }

  static #cut<K extends string, V>(keys: readonly K[], values: readonly V[]): SortedMap<K, V> {
    if (keys.length === 0) return SortedMap.empty();
    const chunks: Chunk<K, V>[] = [];
    for (let start = 0; start < keys.length; start += CHUNK) {
      chunks.push({ keys: keys.slice(start, start + CHUNK), values: values.slice(start, start + CHUNK) });
    }
    return new SortedMap(chunks, keys.length);
  }

  get(key: K): V | undefined {
    const chunk = this.#chunks[this.#chunkIndex(key)];
    if (chunk === undefined) return undefined;
    const index = floorIndex(chunk.keys, key);
    return chunk.keys[index] === key ? chunk.values[index] : undefined;
  }

  with(key: K, value: V): SortedMap<K, V> {
    if (this.size === 0) return SortedMap.single(key, value);
    const at = Math.max(0, this.#chunkIndex(key));
    const { keys, values } = this.#chunks[at] as Chunk<K, V>;
    const floor = floorIndex(keys, key);
    if (keys[floor] === key) return this.#replaced(at, [{ keys, values: values.with(floor, value) }], 0);
    const grown = { keys: keys.toSpliced(floor + 1, 0, key), values: values.toSpliced(floor + 1, 0, value) };
    return this.#replaced(at, grown.keys.length <= CHUNK ? [grown] : halves(grown), 1);
  }

  without(key: K): SortedMap<K, V> {
    const at = this.#chunkIndex(key);
    const chunk = this.#chunks[at];
    if (chunk === undefined) return this;
    const { keys, values } = chunk;
    const index = floorIndex(keys, key);
    if (keys[index] !== key) return this;
    if (this.size === 1) return SortedMap.empty();
    const rest = { keys: keys.toSpliced(index, 1), values: values.toSpliced(index, 1) };
    return this.#replaced(at, rest.keys.length === 0 ? [] : [rest], -1);
  }

  *[Symbol.iterator](): IterableIterator<readonly [K, V]> {
    for (const { keys, values } of this.#chunks) {
      for (let i = 0; i < keys.length; i++) yield [keys[i] as K, values[i] as V];
    }
  }

  *values(): IterableIterator<V> {
    for (const { values } of this.#chunks) yield* values;
  }

  forEach(visit: (key: K, value: V) => void): void {
    for (const { keys, values } of this.#chunks) {
      for (let i = 0; i < keys.length; i++) visit(keys[i] as K, values[i] as V);
    }
  }

  /** What `read` makes of the first `count` entries. */
  first<T>(count: number, read: (key: K, value: V) => T): readonly T[] {
    const found: T[] = [];
    for (const { keys, values } of this.#chunks) {
      for (let i = 0; i < keys.length; i++) {
        if (found.length >= count) return found;
        found.push(read(keys[i] as K, values[i] as V));
      }
    }
    return found;
  }

  /** The index of the last chunk whose first key is not greater than `key`, or -1. */
  #chunkIndex(key: K): number {
    const chunks = this.#chunks;
    let low = 0;
    let high = chunks.length - 1;
    while (low <= high) {
      const middle = (low + high) >>> 1;
      if ((chunks[middle]?.keys[0] as K) <= key) low = middle + 1;
      else high = middle - 1;
    }
    return high;
  }

  #replaced(at: number, parts: readonly Chunk<K, V>[], growth: number): SortedMap<K, V> {
    return new SortedMap(this.#chunks.toSpliced(at, 1, ...parts), this.size + growth);
  }
}

function halves<K, V>({ keys, values }: Chunk<K, V>): readonly Chunk<K, V>[] {
  const middle = keys.length >>> 1;
  return [
    { keys: keys.slice(0, middle), values: values.slice(0, middle) },
    { keys: keys.slice(middle), values: values.slice(middle) },
  ];
}
