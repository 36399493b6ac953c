/**
 * A persistent hash map: `with` and `without` return a new version and leave the old one readable. It fits tables that are
 * built once in bulk and then changed a little at a time: all versions share one flat base, and each version has a small
 * hash trie of its changes since the base.
 */

interface Leaf<V> {
  readonly hash: number;
  readonly key: string;
  readonly value: V;
  /** The next leaf with the same hash. */
  readonly next: Leaf<V> | undefined;
}
interface Branch<V> {
  readonly bitmap: number;
  readonly slots: ReadonlyArray<Leaf<V> | Branch<V>>;
}
type Trie<V> = Leaf<V> | Branch<V>;

/** Marks a key that was deleted since the base. */
const DELETED: unique symbol = Symbol("deleted");
type Change<V> = V | typeof DELETED;

const isBranch = <V>(trie: Trie<V>): trie is Branch<V> => "bitmap" in trie;

/** FNV-1a, then a mix that spreads the high bits into the low ones: the trie reads the low bits first. */
function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
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

export class PersistentMap<K extends string, V> {
  readonly #base: ReadonlyMap<K, V>;
  readonly #changes: Trie<Change<V>> | undefined;
  readonly #changeCount: number;
  readonly size: number;

  private constructor(
    base: ReadonlyMap<K, V>,
    changes: Trie<Change<V>> | undefined,
    changeCount: number,
    size: number,
  ) {
    this.#base = base;
    this.#changes = changes;
    this.#changeCount = changeCount;
    this.size = size;
  }

  /** Keeps the given map as its base: the caller must not change it afterwards. */
  static from<K extends string, V>(base: ReadonlyMap<K, V>): PersistentMap<K, V> {
    return new PersistentMap(base, undefined, 0, base.size);
  }

  static empty<K extends string, V>(): PersistentMap<K, V> {
    return PersistentMap.from(new Map<K, V>());
  }

  get(key: K): V | undefined {
    return this.#changes === undefined ? this.#base.get(key) : this.#find(key, hashText(key));
  }

  #find(key: K, hash: number): V | undefined {
    const leaf = findLeaf(this.#changes, key, hash);
    if (leaf !== undefined) return leaf.value === DELETED ? undefined : leaf.value;
    return this.#base.get(key);
  }

  has(key: K): boolean {
    return this.get(key) !== undefined;
  }

  with(key: K, value: V): PersistentMap<K, V> {
    const hash = hashText(key);
    return this.#change(key, hash, value, this.#find(key, hash) === undefined ? 1 : 0);
  }

  without(key: K): PersistentMap<K, V> {
    const hash = hashText(key);
    return this.#find(key, hash) === undefined ? this : this.#change(key, hash, DELETED, -1);
  }

  /** In no particular order: callers sort what leaves the core. */
  forEach(visit: (value: V, key: K) => void): void {
    const changes = this.#changes;
    if (changes === undefined) {
      this.#base.forEach((value, key) => visit(value, key));
      return;
    }
    this.#base.forEach((value, key) => {
      if (findLeaf(changes, key, hashText(key)) === undefined) visit(value, key);
    });
    forEachLeaf(changes, (leaf) => {
      if (leaf.value !== DELETED) visit(leaf.value, leaf.key as K);
    });
  }

  #change(key: K, hash: number, value: Change<V>, growth: number): PersistentMap<K, V> {
    const leaf: Leaf<Change<V>> = { hash, key, value, next: undefined };
    const changes = insertLeaf(this.#changes, leaf, 0);
    const next = new PersistentMap<K, V>(this.#base, changes, this.#changeCount + 1, this.size + growth);
    return next.#changeCount > 1024 && next.#changeCount > this.#base.size / 4 ? next.#flattened() : next;
  }

  /** A new base with all changes in it. Amortised: one copy for every quarter of the table that has changed. */
  #flattened(): PersistentMap<K, V> {
    const base = new Map<K, V>();
    this.forEach((value, key) => base.set(key, value));
    return PersistentMap.from(base);
  }
}
