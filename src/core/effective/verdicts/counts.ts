import { SortedMap } from "../../model/collections/sorted-map.ts";

/** Up to so many keys are looked through rather than indexed: most policies lose to few others, in few places. */
const FEW = 8;

/** From one in so many keys on, a map is made anew rather than changed key by key: each change copies a part of it. */
const MANY = 32;

function addedAtOnce<K extends string>(
  before: SortedMap<K, number>,
  changes: readonly (readonly [K, number])[],
): SortedMap<K, number> {
  const sums = new Map(before);
  for (const [key, count] of changes) {
    const sum = (sums.get(key) ?? 0) + count;
    if (sum === 0) sums.delete(key);
    else sums.set(key, sum);
  }
  return SortedMap.from(sums);
}

/** Never added to. */
const NO_KEYS: never[] = [];
const NO_COUNTS: number[] = [];

/** A number for each of a few keys, or many. */
export class Counts<K extends string> {
  /** Mostly the only one. */
  readonly #first: K;
  #firstCount: number;
  /** Together with the first, as soon as there are more. */
  #keys: K[] = NO_KEYS;
  #counts: number[] = NO_COUNTS;
  /** Where a key stands; made when there are many. */
  #places: Map<K, number> | undefined;

  constructor(first: K, count: number) {
    this.#first = first;
    this.#firstCount = count;
  }

  add(key: K, count: number): void {
    if (this.#keys === NO_KEYS) {
      if (key === this.#first) {
        this.#firstCount += count;
        return;
      }
      this.#keys = [this.#first];
      this.#counts = [this.#firstCount];
    }
    const at = this.#placeOf(key);
    if (at !== undefined) {
      this.#counts[at] = (this.#counts[at] ?? 0) + count;
      return;
    }
    this.#places?.set(key, this.#keys.length);
    this.#keys.push(key);
    this.#counts.push(count);
  }

  /** As many came as went, of every key. */
  get isLevel(): boolean {
    return this.#keys === NO_KEYS ? this.#firstCount === 0 : this.#counts.every((count) => count === 0);
  }

  /** What was counted before, and this. */
  addTo(before: SortedMap<K, number> | undefined): SortedMap<K, number> {
    if (before === undefined || before.size === 0) {
      if (this.#keys === NO_KEYS) {
        return this.#firstCount === 0 ? SortedMap.empty() : SortedMap.single(this.#first, this.#firstCount);
      }
      if (!this.#counts.includes(0)) return SortedMap.of(this.#keys, this.#counts);
      return SortedMap.from(this.#entries().filter(([, count]) => count !== 0));
    }
    const changes = this.#entries().filter(([, count]) => count !== 0);
    if (changes.length * MANY > before.size) return addedAtOnce(before, changes);
    let result = before;
    for (const [key, count] of changes) {
      const next = (result.get(key) ?? 0) + count;
      result = next === 0 ? result.without(key) : result.with(key, next);
    }
    return result;
  }

  #placeOf(key: K): number | undefined {
    const keys = this.#keys;
    if (keys.length > FEW) {
      this.#places ??= new Map(keys.map((own, at) => [own, at]));
      return this.#places.get(key);
    }
    const at = keys.indexOf(key);
    return at === -1 ? undefined : at;
  }

  #entries(): readonly (readonly [K, number])[] {
    if (this.#keys === NO_KEYS) return [[this.#first, this.#firstCount]];
    return this.#keys.map((key, at) => [key, this.#counts[at] ?? 0]);
  }
}
