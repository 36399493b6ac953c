import type { JsonObject } from "../json.ts";
import type { KubeObject } from "../kube-object.ts";

/** An object that nobody has asked for yet is still as it came. */
type Placed = KubeObject | JsonObject;

/** The objects of a snapshot, each at its place; there are gaps. */
export class ObjectOrder {
  readonly #objects: (Placed | undefined)[];
  #length = 0;

  /** `expected`: how many there will be, if that is known: a list that grows is copied again and again. */
  constructor(expected = 0) {
    // oxlint-disable-next-line unicorn/no-new-array -- of just this length
    this.#objects = new Array<Placed | undefined>(expected);
  }

  /** The next place. */
  get length(): number {
    return this.#length;
  }

  at(place: number): Placed | undefined {
    return place >= 0 && place < this.#length ? this.#objects[place] : undefined;
  }

  push(object: Placed): void {
    this.#objects[this.#length++] = object;
  }

  set(place: number, object: Placed | undefined): void {
    while (this.#length < place) this.#objects[this.#length++] = undefined;
    this.#objects[place] = object;
    if (place === this.#length) this.#length++;
  }
}
