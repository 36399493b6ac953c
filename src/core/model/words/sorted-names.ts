import { compareText } from "../refs.ts";
import { DistanceTo, farthestFrom } from "./distance-to.ts";

/** The most cells and names that one search may visit, because input may be hostile. Thousands of ordinary names need fewer. */
const MAX_COST = 50_000;

/** Finds the name nearest to a mistyped word without a look at each name. */
export class SortedNames {
  /** The names in the order of `#words`. */
  readonly #names: readonly string[];
  /** The names in lower case, ascending. */
  readonly #words: readonly string[];

  constructor(names: readonly string[]) {
    const words = names.map((name) => name.toLowerCase());
    const isInOrder = words.every((word, at) => word === names[at] && (at === 0 || (words[at - 1] as string) <= word));
    this.#names = isInOrder
      ? names
      : names.toSorted((a, b) => compareText(a.toLowerCase(), b.toLowerCase()) || compareText(a, b));
    this.#words = isInOrder ? words : this.#names.map((name) => name.toLowerCase());
  }

  /** The nearest name, the first of equally near ones; undefined if none is near or if the search costs too much. */
  nearest(word: string): string | undefined {
    const wanted = word.toLowerCase();
    const farthest = farthestFrom(wanted);
    if (farthest === undefined) return undefined;
    const distance = new DistanceTo(wanted);
    for (let limit = 0; limit <= farthest; limit++) {
      distance.setLimit(limit);
      const found = this.#firstWithin(limit, distance);
      if (found !== undefined) return this.#names[found];
      if (distance.cost > MAX_COST) return undefined;
    }
    return undefined;
  }

  #firstWithin(limit: number, distance: DistanceTo): number | undefined {
    const words = this.#words;
    let at = 0;
    while (at < words.length && distance.cost <= MAX_COST) {
      const word = words[at] as string;
      if (distance.of(word) <= limit) return at;
      distance.cost++;
      at = distance.deadAt === undefined ? at + 1 : this.#afterPrefix(at, distance.deadAt);
    }
    return undefined;
  }

  /** The index of the first name after `at` that does not begin with the first `length` characters of the name at `at`. */
  #afterPrefix(at: number, length: number): number {
    const words = this.#words;
    const prefix = (words[at] as string).slice(0, length);
    const begins = (index: number): boolean => index < words.length && (words[index] as string).startsWith(prefix);
    let last = at;
    let step = 1;
    while (begins(last + step)) {
      last += step;
      step *= 2;
    }
    for (; step >= 1; step /= 2) if (begins(last + step)) last += step;
    return last + 1;
  }
}
