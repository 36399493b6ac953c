/**
 * A persistent map for tables that are built once in bulk and then changed a little, often: a flat base that all
 * versions share, and a small hash trie of what has changed since. Older versions stay readable.
 */

interface Leaf<V> {
  readonly hash: number;
  readonly key: string;
  readonly value: V;
  /** Keys with the same hash. */
  readonly next: Leaf<V> | undefined;
}
interface Branch<V> {
  readonly bitmap: number;
  readonly slots: ReadonlyArray<Leaf<V> | Branch<V>>;
}
type Trie<V> = Leaf<V> | Branch<V>;

/** Stands for "deleted since the base". */
const DELETED: unique symbol = Symbol("deleted");
type Change<V> = V | typeof DELETED;

const isBranch = <V>(trie: Trie<V>): trie is Branch<V> => "bitmap" in trie;

function hashText(text: string): number {
  const { length } = text;
  let hash = 0x811c9dc5 ^ length;
  let other = 0x01000193;
  let i = 0;
  // Two at a time, on two ways: each step waits for the one before, and ids are long.
  for (; i + 3 < length; i += 4) {
    hash = Math.imul(hash ^ (text.charCodeAt(i) | (text.charCodeAt(i + 1) << 16)), 0x01000193);
    other = Math.imul(other ^ (text.charCodeAt(i + 2) | (text.charCodeAt(i + 3) << 16)), 0x01000193);
  }
  for (; i < length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash, 31) ^ other;
  // What is above must reach the bits that are asked first.
  hash ^= hash >>> 15;
  hash = Math.imul(hash, 0x2c1b3c6d);
  return hash ^ (hash >>> 12);
}

function popCount(bits: number): number {
  let n = bits - ((bits >>> 1) & 0x55555555);
  n = (n & 0x33333333) + ((n >>> 2) & 0x33333333);
  return Math.imul((n + (n >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

function findLeaf<V>(root: Trie<V> | undefined, key: string, hash: number): Leaf<V> | undefined {
  let trie = root;
  for (let shift = 0; trie !== undefined && isBranch(trie); shift += 5) {
    const bit = 1 << ((hash >>> shift) & 31);
    trie = trie.bitmap & bit ? trie.slots[popCount(trie.bitmap & (bit - 1))] : undefined;
  }
  for (let leaf = trie; leaf !== undefined; leaf = leaf.next) if (leaf.key === key) return leaf;
  return undefined;
}

function withoutKey<V>(leaf: Leaf<V> | undefined, key: string): Leaf<V> | undefined {
  if (leaf === undefined) return undefined;
  if (leaf.key === key) return leaf.next;
  return { ...leaf, next: withoutKey(leaf.next, key) };
}

function insertLeaf<V>(trie: Trie<V> | undefined, leaf: Leaf<V>, shift: number): Trie<V> {
  if (trie === undefined) return leaf;
  if (!isBranch(trie)) {
    if (trie.hash === leaf.hash) return { ...leaf, next: withoutKey(trie, leaf.key) };
    return insertLeaf(insertLeaf<V>({ bitmap: 0, slots: [] }, trie, shift), leaf, shift);
  }
  const bit = 1 << ((leaf.hash >>> shift) & 31);
  const index = popCount(trie.bitmap & (bit - 1));
  const slots = trie.slots.slice();
  if (trie.bitmap & bit) {
    slots[index] = insertLeaf(slots[index], leaf, shift + 5);
    return { bitmap: trie.bitmap, slots };
  }
  slots.splice(index, 0, leaf);
  return { bitmap: trie.bitmap | bit, slots };
}

function forEachLeaf<V>(trie: Trie<V> | undefined, visit: (leaf: Leaf<V>) => void): void {
  if (trie === undefined) return;
  if (isBranch(trie)) for (const slot of trie.slots) forEachLeaf(slot, visit);
  else for (let leaf: Leaf<V> | undefined = trie; leaf !== undefined; leaf = leaf.next) visit(leaf);
}

/** What does not change: a Map, or whatever else finds values by their keys. */
export interface MapBase<K, V> {
  readonly size: number;
  get(key: K): V | undefined;
  forEach(visit: (value: V, key: K) => void): void;
}

export class LayeredMap<K extends string, V> {
  readonly #base: MapBase<K, V>;
  readonly #changes: Trie<Change<V>> | undefined;
  readonly #changed: number;
  readonly size: number;

  private constructor(base: MapBase<K, V>, changes: Trie<Change<V>> | undefined, changed: number, size: number) {
    this.#base = base;
    this.#changes = changes;
    this.#changed = changed;
    this.size = size;
  }

  /** Takes the map over: the caller must not change it afterwards. */
  static from<K extends string, V>(base: ReadonlyMap<K, V>): LayeredMap<K, V> {
    return LayeredMap.over(base);
  }

  /** The same over anything that will not change. */
  static over<K extends string, V>(base: MapBase<K, V>): LayeredMap<K, V> {
    return new LayeredMap(base, undefined, 0, base.size);
  }

  static empty<K extends string, V>(): LayeredMap<K, V> {
    return LayeredMap.from(new Map<K, V>());
  }

  get(key: K): V | undefined {
    return this.#changes === undefined ? this.#base.get(key) : this.#find(key, hashText(key));
  }

  #find(key: K, hash: number): V | undefined {
    const leaf = this.#changes === undefined ? undefined : findLeaf(this.#changes, key, hash);
    if (leaf !== undefined) return leaf.value === DELETED ? undefined : leaf.value;
    return this.#base.get(key);
  }

  /** Whether nothing has changed since the base, and that is its base. */
  isJust(base: MapBase<K, V>): boolean {
    return this.#changes === undefined && this.#base === base;
  }

  has(key: K): boolean {
    return this.get(key) !== undefined;
  }

  with(key: K, value: V): LayeredMap<K, V> {
    const hash = hashText(key);
    return this.#change(key, hash, value, this.#find(key, hash) === undefined ? 1 : 0);
  }

  without(key: K): LayeredMap<K, V> {
    const hash = hashText(key);
    return this.#find(key, hash) === undefined ? this : this.#change(key, hash, DELETED, -1);
  }

  /** In no particular order: sort what leaves the core. */
  forEach(visit: (value: V, key: K) => void): void {
    const changes = this.#changes;
    if (changes === undefined) {
      this.#base.forEach(visit);
      return;
    }
    this.#base.forEach((value, key) => {
      if (findLeaf(changes, key, hashText(key)) === undefined) visit(value, key);
    });
    forEachLeaf(changes, (leaf) => {
      if (leaf.value !== DELETED) visit(leaf.value, leaf.key as K);
    });
  }

  #change(key: K, hash: number, value: Change<V>, growth: number): LayeredMap<K, V> {
    const leaf: Leaf<Change<V>> = { hash, key, value, next: undefined };
    const changes = insertLeaf(this.#changes, leaf, 0);
    const next = new LayeredMap<K, V>(this.#base, changes, this.#changed + 1, this.size + growth);
    return next.#changed > 1024 && next.#changed > this.#base.size / 4 ? next.#flattened() : next;
  }

  /** Amortised: one copy for every quarter of the table that has changed. */
  #flattened(): LayeredMap<K, V> {
    const base = new Map<K, V>();
    this.forEach((value, key) => base.set(key, value));
    return LayeredMap.from(base);
  }
}
