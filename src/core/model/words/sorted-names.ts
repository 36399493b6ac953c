import { compareText } from "../refs.ts";
import { DistanceTo, farthestFrom } from "./distance-to.ts";

/** What one guess may cost, in cells and names looked at: thousands of names that differ early are no matter, but input may be hostile. */
const MAX_COST = 50_000;

/** Names among which the one that a mistyped word meant is found without a look at each. */
export class SortedNames {
  /** As they are written, in the order of `#words`. */
  readonly #names: readonly string[];
  /** In lower case: case does not count. Ascending. */
  readonly #words: readonly string[];

  /** The order in which they come does not matter. */
  constructor(names: readonly string[]) {
    const words = names.map((name) => name.toLowerCase());
    const isInOrder = words.every((word, at) => word === names[at] && (at === 0 || (words[at - 1] as string) <= word));
    this.#names = isInOrder
      ? names
      : names.toSorted((a, b) => compareText(a.toLowerCase(), b.toLowerCase()) || compareText(a, b));
    this.#words = isInOrder ? words : this.#names.map((name) => name.toLowerCase());
  }

  /** The nearest, for "did you mean"; none if nothing is near, or if so many are near each other that the search would not end soon. Of equally near ones the first. */
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
      at = distance.deadAt === undefined ? at + 1 : this.#behind(at, distance.deadAt);
    }
    return undefined;
  }

  /** The first name that does not begin with so many characters of that one. */
  #behind(at: number, length: number): number {
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
