/** A persistent sorted map in chunks: ordered reading, and a change copies one chunk and the list of chunks. */
import { compareText } from "./refs.ts";

const CHUNK = 256;

interface Chunk<K, V> {
  readonly keys: readonly K[];
  readonly values: readonly V[];
}

const isList: <T>(value: T | readonly T[]) => value is readonly T[] = Array.isArray;

/** The last index whose key is not greater than `key`, or -1. */
function floorIndex<K extends string>(length: number, keyAt: (index: number) => K, key: K): number {
  let low = 0;
  let high = length - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    if (keyAt(middle) <= key) low = middle + 1;
    else high = middle - 1;
  }
  return high;
}

/** Strictly, so no key is there twice. */
function isAscending(keys: readonly string[]): boolean {
  for (let i = 1; i < keys.length; i++) if ((keys[i - 1] as string) >= (keys[i] as string)) return false;
  return true;
}

export class SortedMap<K extends string, V> {
  /** The chunk itself where there is but one: most maps are small, and there are many of them. */
  readonly #chunks: readonly Chunk<K, V>[] | Chunk<K, V>;
  readonly size: number;

  private constructor(chunks: readonly Chunk<K, V>[] | Chunk<K, V>, size: number) {
    this.#chunks = chunks;
    this.size = size;
  }

  static #empty: SortedMap<never, never> | undefined;

  static empty<K extends string, V>(): SortedMap<K, V> {
    SortedMap.#empty ??= new SortedMap<never, never>([], 0);
    return SortedMap.#empty;
  }

  /** Keys need not be sorted; later entries of one key win. */
  static from<K extends string, V>(entries: Iterable<readonly [K, V]>): SortedMap<K, V> {
    const distinct: ReadonlyMap<K, V> = entries instanceof Map ? entries : new Map(entries);
    if (distinct.size === 0) return SortedMap.empty();
    const keys = [...distinct.keys()];
    if (isAscending(keys)) return SortedMap.#cut(keys, [...distinct.values()]);
    keys.sort(compareText);
    return SortedMap.#cut(
      keys,
      keys.map((key) => distinct.get(key) as V),
    );
  }

  /** Keys and their values side by side, no key twice. Takes the lists over. */
  static of<K extends string, V>(keys: readonly K[], values: readonly V[]): SortedMap<K, V> {
    if (keys.length === 0) return SortedMap.empty();
    if (isAscending(keys)) return SortedMap.#cut(keys, values);
    return SortedMap.from(keys.map((key, at) => [key, values[at] as V]));
  }

  /** Each value has a key of its own. */
  static by<K extends string, V>(values: readonly V[], keyOf: (value: V) => K): SortedMap<K, V> {
    if (values.length === 0) return SortedMap.empty();
    const keys = values.map(keyOf);
    if (isAscending(keys)) return SortedMap.#cut(keys, values);
    const sorted = values.toSorted((a, b) => compareText(keyOf(a), keyOf(b)));
    return SortedMap.#cut(sorted.map(keyOf), sorted);
  }

  static #cut<K extends string, V>(keys: readonly K[], values: readonly V[]): SortedMap<K, V> {
    // A list that grew has room to spare.
    if (keys.length <= CHUNK) return new SortedMap({ keys: keys.slice(), values: values.slice() }, keys.length);
    const chunks: Chunk<K, V>[] = [];
    for (let i = 0; i < keys.length; i += CHUNK) {
      chunks.push({ keys: keys.slice(i, i + CHUNK), values: values.slice(i, i + CHUNK) });
    }
    return new SortedMap(chunks, keys.length);
  }

  get(key: K): V | undefined {
    const chunk = this.#list()[this.#chunkOf(key)];
    if (chunk === undefined) return undefined;
    const index = floorIndex(chunk.keys.length, (i) => chunk.keys[i] as K, key);
    return index >= 0 && chunk.keys[index] === key ? chunk.values[index] : undefined;
  }

  with(key: K, value: V): SortedMap<K, V> {
    if (this.size === 0) return new SortedMap({ keys: [key], values: [value] }, 1);
    const at = Math.max(0, this.#chunkOf(key));
    const chunk = this.#list()[at] as Chunk<K, V>;
    const floor = floorIndex(chunk.keys.length, (i) => chunk.keys[i] as K, key);
    const found = floor >= 0 && chunk.keys[floor] === key;
    const keys = chunk.keys.slice();
    const values = chunk.values.slice();
    if (found) {
      values[floor] = value;
    } else {
      keys.splice(floor + 1, 0, key);
      values.splice(floor + 1, 0, value);
    }
    const half = CHUNK / 2;
    const parts =
      keys.length <= CHUNK
        ? [{ keys, values }]
        : [
            { keys: keys.slice(0, half), values: values.slice(0, half) },
            { keys: keys.slice(half), values: values.slice(half) },
          ];
    return this.#replaced(at, parts, found ? 0 : 1);
  }

  without(key: K): SortedMap<K, V> {
    const at = this.#chunkOf(key);
    const chunk = this.#list()[at];
    if (chunk === undefined) return this;
    const index = floorIndex(chunk.keys.length, (i) => chunk.keys[i] as K, key);
    if (index < 0 || chunk.keys[index] !== key) return this;
    if (this.size === 1) return SortedMap.empty();
    const keys = chunk.keys.toSpliced(index, 1);
    const values = chunk.values.toSpliced(index, 1);
    return this.#replaced(at, keys.length === 0 ? [] : [{ keys, values }], -1);
  }

  *[Symbol.iterator](): IterableIterator<readonly [K, V]> {
    for (const { keys, values } of this.#list()) {
      for (let i = 0; i < keys.length; i++) yield [keys[i] as K, values[i] as V];
    }
  }

  *values(): IterableIterator<V> {
    for (const { values } of this.#list()) for (let i = 0; i < values.length; i++) yield values[i] as V;
  }

  forEach(visit: (key: K, value: V) => void): void {
    for (const { keys, values } of this.#list()) {
      for (let i = 0; i < keys.length; i++) visit(keys[i] as K, values[i] as V);
    }
  }

  /** Entries from the first key that is not less than `key` on. */
  *startingAt(key: K): IterableIterator<readonly [K, V]> {
    for (const { keys, values } of this.#list().slice(Math.max(0, this.#chunkOf(key)))) {
      for (let i = 0; i < keys.length; i++) if ((keys[i] as K) >= key) yield [keys[i] as K, values[i] as V];
    }
  }

  first<T>(count: number, read: (key: K, value: V) => T): readonly T[] {
    const found: T[] = [];
    for (const { keys, values } of this.#list()) {
      for (let i = 0; i < keys.length; i++) {
        if (found.length >= count) return found;
        found.push(read(keys[i] as K, values[i] as V));
      }
    }
    return found;
  }

  #list(): readonly Chunk<K, V>[] {
    return isList(this.#chunks) ? this.#chunks : [this.#chunks];
  }

  #chunkOf(key: K): number {
    const chunks = this.#list();
    return floorIndex(chunks.length, (i) => (chunks[i] as Chunk<K, V>).keys[0] as K, key);
  }

  #replaced(at: number, parts: readonly Chunk<K, V>[], growth: number): SortedMap<K, V> {
    const chunks = this.#list().slice();
    chunks.splice(at, 1, ...parts);
    const [only] = chunks;
    return new SortedMap(only !== undefined && chunks.length === 1 ? only : chunks, this.size + growth);
  }
}
