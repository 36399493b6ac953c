/** A persistent sorted map in chunks: ordered reading, and a change copies one chunk and the list of chunks. */
import { compareText } from "../refs.ts";

/** Entries of a full chunk. */
const CHUNK = 256;

/** Keys and their values in turn: one list, as there are many maps, and most are small. */
type Chunk<K, V> = readonly (K | V)[];

const keyAt = <K, V>(chunk: Chunk<K, V>, entry: number): K => chunk[2 * entry] as K;
const valueAt = <K, V>(chunk: Chunk<K, V>, entry: number): V => chunk[2 * entry + 1] as V;

const NOTHING: readonly never[] = [];

/** The last entry of a chunk whose key is not greater than `key`, or -1. */
function floorEntry<K extends string, V>(chunk: Chunk<K, V>, key: K): number {
  let low = 0;
  let high = chunk.length / 2 - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    if (keyAt(chunk, middle) <= key) low = middle + 1;
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
  /** None, or more than one. */
  readonly #chunks: readonly Chunk<K, V>[] | undefined;
  /** The chunk, where there is but one. */
  readonly #only: Chunk<K, V> | undefined;
  readonly size: number;

  private constructor(chunks: readonly Chunk<K, V>[] | undefined, size: number, only?: Chunk<K, V>) {
    this.#only = only ?? (chunks?.length === 1 ? chunks[0] : undefined);
    this.#chunks = this.#only === undefined ? chunks : undefined;
    this.size = size;
  }

  static #empty: SortedMap<never, never> | undefined;

  static empty<K extends string, V>(): SortedMap<K, V> {
    SortedMap.#empty ??= new SortedMap<never, never>([], 0);
    return SortedMap.#empty;
  }

  static single<K extends string, V>(key: K, value: V): SortedMap<K, V> {
    return new SortedMap<K, V>(undefined, 1, [key, value]);
  }

  /** Keys need not be sorted; later entries of one key win. */
  static from<K extends string, V>(entries: Iterable<readonly [K, V]>): SortedMap<K, V> {
    const distinct: ReadonlyMap<K, V> = entries instanceof Map ? entries : new Map(entries);
    if (distinct.size === 0) return SortedMap.empty();
    const keys = [...distinct.keys()];
    if (!isAscending(keys)) keys.sort(compareText);
    return SortedMap.#cut(keys, (key) => distinct.get(key) as V);
  }

  /** Keys and their values side by side, no key twice. */
  static of<K extends string, V>(keys: readonly K[], values: readonly V[]): SortedMap<K, V> {
    if (keys.length === 0) return SortedMap.empty();
    if (isAscending(keys)) return SortedMap.#cut(keys, (_, at) => values[at] as V);
    return SortedMap.from(keys.map((key, at) => [key, values[at] as V]));
  }

  /** Each value has a key of its own. */
  static by<K extends string, V>(values: readonly V[], keyOf: (value: V) => K): SortedMap<K, V> {
    if (values.length === 0) return SortedMap.empty();
    const keys = values.map(keyOf);
    if (isAscending(keys)) return SortedMap.#cut(keys, (_, at) => values[at] as V);
    const sorted = values.toSorted((a, b) => compareText(keyOf(a), keyOf(b)));
    return SortedMap.#cut(sorted.map(keyOf), (_, at) => sorted[at] as V);
  }

  static #cut<K extends string, V>(keys: readonly K[], valueFor: (key: K, at: number) => V): SortedMap<K, V> {
    const chunks: Chunk<K, V>[] = [];
    for (let start = 0; start < keys.length; start += CHUNK) {
      const end = Math.min(start + CHUNK, keys.length);
      // oxlint-disable-next-line unicorn/no-new-array -- of just this length: a list that grows has room to spare, and these are kept
      const chunk = new Array<K | V>(2 * (end - start));
      for (let at = start; at < end; at++) {
        const key = keys[at] as K;
        chunk[2 * (at - start)] = key;
        chunk[2 * (at - start) + 1] = valueFor(key, at);
      }
      chunks.push(chunk);
    }
    return new SortedMap(chunks, keys.length);
  }

  get(key: K): V | undefined {
    const chunk = this.#chunkFor(key);
    if (chunk === undefined) return undefined;
    const entry = floorEntry(chunk, key);
    return entry >= 0 && keyAt(chunk, entry) === key ? valueAt(chunk, entry) : undefined;
  }

  with(key: K, value: V): SortedMap<K, V> {
    if (this.size === 0) return SortedMap.single(key, value);
    const at = Math.max(0, this.#chunkOf(key));
    const chunk = this.#list()[at] as Chunk<K, V>;
    const floor = floorEntry(chunk, key);
    if (floor >= 0 && keyAt(chunk, floor) === key) {
      const replaced = chunk.slice();
      replaced[2 * floor + 1] = value;
      return this.#replaced(at, [replaced], 0);
    }
    const grown = chunk.toSpliced(2 * (floor + 1), 0, key, value);
    const parts = grown.length <= 2 * CHUNK ? [grown] : [grown.slice(0, CHUNK), grown.slice(CHUNK)];
    return this.#replaced(at, parts, 1);
  }

  without(key: K): SortedMap<K, V> {
    const at = this.#chunkOf(key);
    const chunk = this.#list()[at];
    if (chunk === undefined) return this;
    const entry = floorEntry(chunk, key);
    if (entry < 0 || keyAt(chunk, entry) !== key) return this;
    if (this.size === 1) return SortedMap.empty();
    const rest = chunk.toSpliced(2 * entry, 2);
    return this.#replaced(at, rest.length === 0 ? [] : [rest], -1);
  }

  *[Symbol.iterator](): IterableIterator<readonly [K, V]> {
    for (const chunk of this.#list()) {
      for (let i = 0; i < chunk.length; i += 2) yield [chunk[i] as K, chunk[i + 1] as V];
    }
  }

  values(): IterableIterator<V> {
    return new Values(this.#list());
  }

  forEach(visit: (key: K, value: V) => void): void {
    for (const chunk of this.#list()) {
      for (let i = 0; i < chunk.length; i += 2) visit(chunk[i] as K, chunk[i + 1] as V);
    }
  }

  /** Entries from the first key that is not less than `key` on. */
  *startingAt(key: K): IterableIterator<readonly [K, V]> {
    for (const chunk of this.#list().slice(Math.max(0, this.#chunkOf(key)))) {
      for (let i = 0; i < chunk.length; i += 2) if ((chunk[i] as K) >= key) yield [chunk[i] as K, chunk[i + 1] as V];
    }
  }

  first<T>(count: number, read: (key: K, value: V) => T): readonly T[] {
    if (this.size === 0) return NOTHING;
    if (this.size === 1 && this.#only !== undefined) return [read(keyAt(this.#only, 0), valueAt(this.#only, 0))];
    const found: T[] = [];
    for (const chunk of this.#list()) {
      for (let i = 0; i < chunk.length; i += 2) {
        if (found.length >= count) return found;
        found.push(read(chunk[i] as K, chunk[i + 1] as V));
      }
    }
    return found;
  }

  #list(): readonly Chunk<K, V>[] {
    return this.#chunks ?? (this.#only === undefined ? [] : [this.#only]);
  }

  #chunkFor(key: K): Chunk<K, V> | undefined {
    return this.#only ?? this.#list()[this.#chunkOf(key)];
  }

  /** The last chunk whose first key is not greater, or -1. */
  #chunkOf(key: K): number {
    const chunks = this.#list();
    let low = 0;
    let high = chunks.length - 1;
    while (low <= high) {
      const middle = (low + high) >>> 1;
      if (keyAt(chunks[middle] as Chunk<K, V>, 0) <= key) low = middle + 1;
      else high = middle - 1;
    }
    return high;
  }

  #replaced(at: number, parts: readonly Chunk<K, V>[], growth: number): SortedMap<K, V> {
    return new SortedMap(this.#list().toSpliced(at, 1, ...parts), this.size + growth);
  }
}

/** By hand, as all objects of a kind are read so, and a generator costs more than an object. */
class Values<K, V> implements IterableIterator<V> {
  readonly #chunks: readonly Chunk<K, V>[];
  #nextChunk = 0;
  #chunk: Chunk<K, V> = [];
  #at = 1;

  constructor(chunks: readonly Chunk<K, V>[]) {
    this.#chunks = chunks;
  }

  [Symbol.iterator](): this {
    return this;
  }

  next(): IteratorResult<V, undefined> {
    while (this.#at >= this.#chunk.length) {
      const chunk = this.#chunks[this.#nextChunk++];
      if (chunk === undefined) return { done: true, value: undefined };
      this.#chunk = chunk;
      this.#at = 1;
    }
    const value = this.#chunk[this.#at] as V;
    this.#at += 2;
    return { done: false, value };
  }
}
