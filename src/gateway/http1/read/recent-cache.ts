/** A cache for values derived from texts that repeat, such as header names and hosts. Its size is bounded, because clients choose the texts. */
const MAX_ENTRIES = 512;
const MAX_LENGTH = 256;

export class RecentCache<Value> {
  readonly #known = new Map<string, Value>();
  readonly #make: (text: string) => Value;

  constructor(make: (text: string) => Value) {
    this.#make = make;
  }

  get(text: string): Value {
    return this.#known.get(text) ?? this.#add(text);
  }

  #add(text: string): Value {
    if (text.length > MAX_LENGTH) return this.#make(text);
    // A copy, because a substring keeps the whole text in memory.
    const copy = Buffer.from(text, "latin1").toString("latin1");
    if (copy !== text) return this.#make(text);
    const made = this.#make(copy);
    if (this.#known.size >= MAX_ENTRIES) this.#known.clear();
    this.#known.set(copy, made);
    return made;
  }
}
