/**
 * A persistent map in the order of its keys: `with` and `without` return a new version and leave the old one readable. The
 * entries are in chunks; a change copies one chunk and the list of chunks.
 */
import { compareText } from "../refs.ts";

/** Entries of a full chunk. */
const CHUNK = 256;

/** Up to so many entries are sorted by insertion. */
const FEW = 8;

/** A key, its value, the next key … : one list, because most maps have one entry. */
type Chunk = readonly unknown[];

const NO_CHUNKS: readonly Chunk[] = [];

/** The number of the last entry whose key is not greater than `key`, or -1. */
function floorEntry(chunk: Chunk, key: string): number {
  let low = 0;
  let high = chunk.length / 2 - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    if ((chunk[2 * middle] as string) <= key) low = middle + 1;
    else high = middle - 1;
  }
  return high;
}

// oxlint-disable-next-line unicorn/no-new-array -- of just this length: a list that grows has spare capacity
const newChunk = (entries: number): unknown[] => new Array<unknown>(2 * entries);

function chunkOf(keys: readonly string[], values: readonly unknown[], start: number, end: number): Chunk {
  const chunk = newChunk(end - start);
  for (let i = start; i < end; i++) {
    chunk[2 * (i - start)] = keys[i];
    chunk[2 * (i - start) + 1] = values[i];
  }
  return chunk;
}

const isAt = (chunk: Chunk, entry: number, key: string): boolean => entry >= 0 && chunk[2 * entry] === key;

/** True if each key is greater than the one before it, so that no key is there twice. */
export function isAscending(keys: readonly string[]): boolean {
  for (let i = 1; i < keys.length; i++) if ((keys[i - 1] as string) >= (keys[i] as string)) return false;
  return true;
}

export class SortedMap<K extends string, V> implements Iterable<readonly [K, V]> {
  readonly #first: Chunk;
  /** All chunks but the first. */
  readonly #more: readonly Chunk[];
  readonly size: number;

  private constructor(first: Chunk, more: readonly Chunk[], size: number) {
    this.#first = first;
    this.#more = more;
    this.size = size;
  }

  /** One for all: tables keep many empty maps. Made on the first call, because the class is not ready before. */
  static #empty: SortedMap<never, never> | undefined;

  static empty<K extends string, V>(): SortedMap<K, V> {
    SortedMap.#empty ??= new SortedMap<never, never>([], NO_CHUNKS, 0);
    return SortedMap.#empty;
  }

  static single<K extends string, V>(key: K, value: V): SortedMap<K, V> {
    return new SortedMap<K, V>([key, value], NO_CHUNKS, 1);
  }

  /** The keys may come in any order; of two entries with one key the later counts. */
  static from<K extends string, V>(entries: Iterable<readonly [K, V]>): SortedMap<K, V> {
    const distinct: ReadonlyMap<K, V> = entries instanceof Map ? entries : new Map(entries);
    if (distinct.size <= FEW) return SortedMap.#fromFew(distinct);
    const keys = [...distinct.keys()];
    if (isAscending(keys)) return SortedMap.#cut(keys, [...distinct.values()]);
    keys.sort(compareText);
    return SortedMap.#cut(
      keys,
      keys.map((key) => distinct.get(key) as V),
    );
  }

  /** Inserts the entries one by one into a chunk of just their size. Most maps have a few entries. */
  static #fromFew<K extends string, V>(entries: ReadonlyMap<K, V>): SortedMap<K, V> {
    if (entries.size === 0) return SortedMap.empty();
    const chunk = newChunk(entries.size);
    let end = 0;
    for (const [key, value] of entries) {
      let at = end;
      for (; at > 0 && (chunk[at - 2] as string) > key; at -= 2) {
        chunk[at] = chunk[at - 2];
        chunk[at + 1] = chunk[at - 1];
      }
      chunk[at] = key;
      chunk[at + 1] = value;
      end += 2;
    }
    return new SortedMap(chunk, NO_CHUNKS, entries.size);
  }

  /** Keys and values in two lists of the same length; no key is there twice. */
  static of<K extends string, V>(keys: readonly K[], values: readonly V[]): SortedMap<K, V> {
    if (isAscending(keys)) return SortedMap.#cut(keys, values);
    return SortedMap.from(keys.map((key, index) => [key, values[index] as V]));
  }

  static #cut<K extends string, V>(keys: readonly K[], values: readonly V[]): SortedMap<K, V> {
    if (keys.length === 0) return SortedMap.empty();
    if (keys.length <= CHUNK) return new SortedMap(chunkOf(keys, values, 0, keys.length), NO_CHUNKS, keys.length);
    const chunks: Chunk[] = [];
    for (let start = 0; start < keys.length; start += CHUNK) {
      chunks.push(chunkOf(keys, values, start, Math.min(start + CHUNK, keys.length)));
    }
    const [first = NO_CHUNKS, ...more] = chunks;
    return new SortedMap(first, more, keys.length);
  }

  get(key: K): V | undefined {
    const chunk = this.#chunk(this.#chunkIndex(key));
    const entry = floorEntry(chunk, key);
    return isAt(chunk, entry, key) ? (chunk[2 * entry + 1] as V) : undefined;
  }

  with(key: K, value: V): SortedMap<K, V> {
    const at = this.#chunkIndex(key);
    const chunk = this.#chunk(at);
    const entry = floorEntry(chunk, key);
    if (isAt(chunk, entry, key)) return this.#replaced(at, [chunk.with(2 * entry + 1, value)], 0);
    const grown = chunk.toSpliced(2 * (entry + 1), 0, key, value);
    return this.#replaced(at, grown.length <= 2 * CHUNK ? [grown] : halves(grown), 1);
  }

  without(key: K): SortedMap<K, V> {
    const at = this.#chunkIndex(key);
    const chunk = this.#chunk(at);
    const entry = floorEntry(chunk, key);
    if (!isAt(chunk, entry, key)) return this;
    if (this.size === 1) return SortedMap.empty();
    const rest = chunk.toSpliced(2 * entry, 2);
    return this.#replaced(at, rest.length === 0 ? [] : [rest], -1);
  }

  *[Symbol.iterator](): IterableIterator<readonly [K, V]> {
    for (let at = 0; at <= this.#more.length; at++) {
      const chunk = this.#chunk(at);
      for (let i = 0; i < chunk.length; i += 2) yield [chunk[i] as K, chunk[i + 1] as V];
    }
  }

  *values(): IterableIterator<V> {
    for (const [, value] of this) yield value;
  }

  /** The values of `key` and the keys after it. */
  *valuesFrom(key: string): IterableIterator<V> {
    for (let at = this.#chunkIndex(key); at <= this.#more.length; at++) {
      const chunk = this.#chunk(at);
      for (let i = 0; i < chunk.length; i += 2) if ((chunk[i] as K) >= key) yield chunk[i + 1] as V;
    }
  }

  forEach(visit: (key: K, value: V) => void): void {
    for (let at = 0; at <= this.#more.length; at++) {
      const chunk = this.#chunk(at);
      for (let i = 0; i < chunk.length; i += 2) visit(chunk[i] as K, chunk[i + 1] as V);
    }
  }

  /** The results of `read` for the first `count` entries. */
  first<T>(count: number, read: (key: K, value: V) => T): readonly T[] {
    const found: T[] = [];
    for (let at = 0; at <= this.#more.length; at++) {
      const chunk = this.#chunk(at);
      for (let i = 0; i < chunk.length; i += 2) {
        if (found.length >= count) return found;
        found.push(read(chunk[i] as K, chunk[i + 1] as V));
      }
    }
    return found;
  }

  #chunk(at: number): Chunk {
    return at === 0 ? this.#first : (this.#more[at - 1] as Chunk);
  }

  /** The index of the last chunk whose first key is not greater than `key`, or 0. */
  #chunkIndex(key: string): number {
    let low = 1;
    let high = this.#more.length;
    while (low <= high) {
      const middle = (low + high) >>> 1;
      if ((this.#chunk(middle)[0] as K) <= key) low = middle + 1;
      else high = middle - 1;
    }
    return high;
  }

  #replaced(at: number, parts: readonly Chunk[], growth: number): SortedMap<K, V> {
    const size = this.size + growth;
    const [only] = parts;
    if (at === 0 && only !== undefined && parts.length === 1) return new SortedMap(only, this.#more, size);
    const [first = NO_CHUNKS, ...more] = [this.#first, ...this.#more].toSpliced(at, 1, ...parts);
    return new SortedMap(first, more.length === 0 ? NO_CHUNKS : more, size);
  }
}

function halves(chunk: Chunk): readonly Chunk[] {
  const middle = 2 * (chunk.length >>> 2);
  return [chunk.slice(0, middle), chunk.slice(middle)];
}
