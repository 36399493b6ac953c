import { type CelInput, type CelList, type CelMap, type CelValue, celList, celMap } from "./cel-library.ts";

/** Turns plain JSON into a CEL value. Objects are lifted one level at a time, when an expression reads them. */
export type LiftJson = (value: unknown) => CelValue;

/**
 * Makes a lift that remembers what it has lifted; meant for one evaluation, in which `spec.list` inside a loop is then
 * lifted once.
 *
 * JSON has one kind of number and CEL has three, so whole numbers become CEL integers (`spec.n + 1` works) and others
 * doubles. Beyond 2^53 a whole number stays a double: its last digits were lost when the JSON was read.
 */
export function createLiftJson(): LiftJson {
  const lists = new WeakMap<object, CelList>();
  const maps = new WeakMap<object, CelMap>();

  const liftMap = (object: object): CelMap => {
    const map = maps.get(object) ?? celMap(new JsonMap(object, lift));
    maps.set(object, map);
    return map;
  };

  /** Lists are filled from a queue: lists in lists, however deep, take no stack. */
  const liftList = (array: readonly unknown[]): CelList => {
    const pending: { readonly from: readonly unknown[]; readonly to: CelValue[] }[] = [];
    const begin = (from: readonly unknown[]): CelList => {
      const known = lists.get(from);
      if (known !== undefined) return known;
      const to: CelValue[] = [];
      const list = celList(to);
      lists.set(from, list);
      pending.push({ from, to });
      return list;
    };
    const whole = begin(array);
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      for (const item of next.from) next.to.push(isArray(item) ? begin(item) : lift(item));
    }
    return whole;
  };

  const lift: LiftJson = (value) => {
    switch (typeof value) {
      case "number":
        return Number.isSafeInteger(value) ? BigInt(value) : value;
      case "string":
      case "boolean":
        return value;
      case "object":
        if (value === null) return null;
        return isArray(value) ? liftList(value) : liftMap(value);
      case "undefined":
      case "bigint":
      case "function":
      case "symbol":
        return null; // JSON has none of these.
    }
  };
  return lift;
}

function isArray(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

/**
 * A JSON object seen as a map of its own keys, so that a prototype's members never show.
 * Keys are sorted: a condition must not depend on the order in which they are written.
 */
class JsonMap implements ReadonlyMap<string, CelInput> {
  readonly #members: ReadonlyMap<string, unknown>;
  readonly #lift: LiftJson;

  constructor(object: object, lift: LiftJson) {
    const members: [string, unknown][] = Object.entries(object);
    // An `undefined` member is one that JSON would not have.
    const present = members.filter(([, value]) => value !== undefined);
    this.#members = new Map(present.sort(([a], [b]) => (a < b ? -1 : 1)));
    this.#lift = lift;
  }

  get size(): number {
    return this.#members.size;
  }

  get(key: string): CelInput | undefined {
    return this.#members.has(key) ? this.#lift(this.#members.get(key)) : undefined;
  }

  has(key: string): boolean {
    return this.#members.has(key);
  }

  keys(): MapIterator<string> {
    return this.#members.keys();
  }

  *values(): MapIterator<CelInput> {
    for (const value of this.#members.values()) yield this.#lift(value);
  }

  *entries(): MapIterator<[string, CelInput]> {
    for (const [key, value] of this.#members) yield [key, this.#lift(value)];
  }

  [Symbol.iterator](): MapIterator<[string, CelInput]> {
    return this.entries();
  }

  forEach(visit: (value: CelInput, key: string, map: ReadonlyMap<string, CelInput>) => void): void {
    for (const [key, value] of this) visit(value, key, this);
  }
}
