/** Names (a Kubernetes name has at most 253 characters) beyond this are shown as they are, without a guess. */
const MAX_WORD = 253;
const MAX_DISTANCE = 4;
/** Columns of a row: one for each character of the wanted word, and one before them. */
const WIDTH = MAX_WORD + 1;
const ROWS = MAX_WORD + MAX_DISTANCE + 1;

/** How far off a word may be to be meant, by its length; none if it is no word that a guess is made for. */
export function farthestFrom(word: string): number | undefined {
  if (word === "" || word.length > MAX_WORD) return undefined;
  return Math.min(MAX_DISTANCE, Math.max(1, Math.floor(word.length / 3)));
}

// One for all, as they are filled anew for each word that is looked for.
let rows: Uint8Array | undefined;

/**
 * Damerau and Levenshtein's distance (a swap of neighbours counts once) from one word to others. What a word has in common
 * with the one before is not worked out again, so words in order cost little more than where they differ.
 */
export class DistanceTo {
  readonly #wanted: string;
  readonly #rows: Uint8Array;
  #limit = 0;
  #word = "";
  /** So many characters of `#word` have their row. */
  #known = 0;
  /** So many characters of the last word are too far off already, whatever follows; undefined: it is not so. */
  deadAt: number | undefined;
  /** How many cells were filled. */
  cost = 0;

  /** `wanted`: one that `farthestFrom` has an answer for. */
  constructor(wanted: string) {
    this.#wanted = wanted;
    rows ??= new Uint8Array(ROWS * WIDTH);
    this.#rows = rows;
    this.setLimit(0);
  }

  /** Only distances up to it matter from now on. */
  setLimit(limit: number): void {
    this.#limit = limit;
    this.#word = "";
    this.#known = 0;
    for (let column = 0; column <= this.#wanted.length; column++) this.#rows[column] = Math.min(column, limit + 1);
  }

  /** The distance, or some number above the limit. */
  of(word: string): number {
    const far = this.#limit + 1;
    this.deadAt = undefined;
    if (Math.abs(word.length - this.#wanted.length) > this.#limit || word.length >= ROWS) return far;
    let row = this.#sharedWith(word);
    this.#word = word;
    for (this.#known = row; row < word.length; row++) {
      const nearest = this.#fill(row + 1, word);
      this.#known = row + 1;
      if (nearest < far) continue;
      this.deadAt = row + 1;
      return far;
    }
    return this.#rows[word.length * WIDTH + this.#wanted.length] as number;
  }

  #sharedWith(word: string): number {
    const most = Math.min(this.#known, word.length);
    let shared = 0;
    while (shared < most && word.charCodeAt(shared) === this.#word.charCodeAt(shared)) shared++;
    return shared;
  }

  /** Only cells within the limit of the diagonal can matter. Returns the least. */
  #fill(row: number, word: string): number {
    const cells = this.#rows;
    const wanted = this.#wanted;
    const far = this.#limit + 1;
    const from = Math.max(1, row - this.#limit);
    const to = Math.min(wanted.length, row + this.#limit);
    const own = word.charCodeAt(row - 1);
    const before = row > 1 ? word.charCodeAt(row - 2) : -1;
    let at = row * WIDTH + from;
    let left = from === 1 ? Math.min(row, far) : far;
    let nearest = left;
    let last = from > 1 ? wanted.charCodeAt(from - 2) : -1;
    cells[at - 1] = left;
    // Above the last cell the row before has none.
    if (to === row + this.#limit) cells[at - WIDTH + to - from] = far;
    for (let column = from; column <= to; column++, at++) {
      const other = wanted.charCodeAt(column - 1);
      let cost = (cells[at - WIDTH - 1] as number) + (own === other ? 0 : 1);
      const above = (cells[at - WIDTH] as number) + 1;
      if (above < cost) cost = above;
      if (left + 1 < cost) cost = left + 1;
      if (own === last && before === other && row > 1) {
        const swapped = (cells[at - WIDTH - WIDTH - 2] as number) + 1;
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
