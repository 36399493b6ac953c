/** The longest name of Kubernetes. No suggestions are made for longer words. */
const MAX_WORD = 253;
const MAX_DISTANCE = 4;

/** The distance up to which names are suggested for a word, by its length; undefined if none are. */
export function farthestFrom(word: string): number | undefined {
  if (word === "" || word.length > MAX_WORD) return undefined;
  return Math.min(MAX_DISTANCE, Math.max(1, Math.floor(word.length / 3)));
}

/**
 * The Damerau-Levenshtein distance (a swap of neighbours counts once) from one word to others. Rows of the table are reused for
 * the prefix that a word shares with the word before it, so sorted words are cheap.
 */
export class DistanceTo {
  readonly #wanted: string;
  /** One row for each character of the other word and one before them; likewise columns for the wanted word. */
  readonly #rows: Uint8Array;
  readonly #width: number;
  #limit = 0;
  #word = "";
  /** The number of characters of `#word` whose rows are filled. */
  #known = 0;
  /** The length of the shortest prefix of the last word that is beyond the limit, whatever follows it. */
  deadAt: number | undefined;
  /** The number of cells that were filled. */
  cost = 0;

  /** `wanted`: a word for which `farthestFrom` is defined. */
  constructor(wanted: string) {
    this.#wanted = wanted;
    this.#width = wanted.length + 1;
    this.#rows = new Uint8Array((wanted.length + MAX_DISTANCE + 1) * this.#width);
    this.setLimit(0);
  }

  /** Sets the greatest distance that is computed exactly, at most that of `farthestFrom`. */
  setLimit(limit: number): void {
    this.#limit = limit;
    this.#word = "";
    this.#known = 0;
    for (let column = 0; column <= this.#wanted.length; column++) this.#rows[column] = Math.min(column, limit + 1);
  }

  /** The distance, or a number above the limit. */
  of(word: string): number {
    const far = this.#limit + 1;
    this.deadAt = undefined;
    if (Math.abs(word.length - this.#wanted.length) > this.#limit) return far;
    let row = this.#sharedWith(word);
    this.#word = word;
    for (this.#known = row; row < word.length; row++) {
      const nearest = this.#fill(row + 1, word);
      this.#known = row + 1;
      if (nearest < far) continue;
      this.deadAt = row + 1;
      return far;
    }
    return this.#rows[word.length * this.#width + this.#wanted.length] as number;
  }

  #sharedWith(word: string): number {
    const most = Math.min(this.#known, word.length);
    let shared = 0;
    while (shared < most && word.charCodeAt(shared) === this.#word.charCodeAt(shared)) shared++;
    return shared;
  }

  /** Fills the cells of a row that are within the limit of the diagonal. Returns the least value. */
  #fill(row: number, word: string): number {
    const cells = this.#rows;
    const width = this.#width;
    const wanted = this.#wanted;
    const far = this.#limit + 1;
    const from = Math.max(1, row - this.#limit);
    const to = Math.min(wanted.length, row + this.#limit);
    const own = word.charCodeAt(row - 1);
    const before = row > 1 ? word.charCodeAt(row - 2) : -1;
    let at = row * width + from;
    let left = from === 1 ? Math.min(row, far) : far;
    let nearest = left;
    let last = from > 1 ? wanted.charCodeAt(from - 2) : -1;
    cells[at - 1] = left;
    // The row before has no cell above the last one of this row.
    if (to === row + this.#limit) cells[at - width + to - from] = far;
    for (let column = from; column <= to; column++, at++) {
      const other = wanted.charCodeAt(column - 1);
      let cost = (cells[at - width - 1] as number) + (own === other ? 0 : 1);
      const above = (cells[at - width] as number) + 1;
      if (above < cost) cost = above;
      if (left + 1 < cost) cost = left + 1;
      if (own === last && before === other && row > 1) {
        const swapped = (cells[at - width - width - 2] as number) + 1;
        if (swapped < cost) cost = swapped;
      }
      if (cost > far) cost = far;
      if (cost < nearest) nearest = cost;
      cells[at] = cost;
      left = cost;
      last = other;
    }
    this.cost += 1 + Math.max(0, to - from + 1);
    return nearest;
  }
}
