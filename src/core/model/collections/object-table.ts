/**
 * Something for each of many objects, by id. Persistent, as a LayeredMap; and whoever has an object of the snapshot at
 * hand finds what belongs to it by the object's place in the snapshot, without looking anything up.
 */
import { KubeObject } from "../kube-object.ts";
import type { ObjectId } from "../refs.ts";
import { LayeredMap, type MapBase } from "./layered-map.ts";
import type { ObjectOrder } from "./object-order.ts";

/** What a table begins with. */
interface TableBase<K extends ObjectId, V> extends MapBase<K, V> {
  of(object: KubeObject): V | undefined;
}

export class ObjectTable<K extends ObjectId, V> {
  /** As it was at first. */
  readonly #first: TableBase<K, V>;
  readonly #now: LayeredMap<K, V>;

  private constructor(first: TableBase<K, V>, now: LayeredMap<K, V>) {
    this.#first = first;
    this.#now = now;
  }

  /** Takes a draft over: the caller must not add to it afterwards. */
  static from<K extends ObjectId, V>(base: TableBase<K, V>): ObjectTable<K, V> {
    return new ObjectTable(base, LayeredMap.over(base));
  }

  get size(): number {
    return this.#now.size;
  }

  /** What belongs to an object, or to one of the same name before it. */
  of(object: KubeObject): V | undefined {
    return this.#now.isJust(this.#first) ? this.#first.of(object) : this.#now.get(object.id as K);
  }

  get(id: K): V | undefined {
    return this.#now.get(id);
  }

  has(id: K): boolean {
    return this.#now.has(id);
  }

  with(id: K, value: V): ObjectTable<K, V> {
    return new ObjectTable(this.#first, this.#now.with(id, value));
  }

  without(id: K): ObjectTable<K, V> {
    return new ObjectTable(this.#first, this.#now.without(id));
  }

  /** In no particular order: sort what leaves the core. */
  forEach(visit: (value: V, id: K) => void): void {
    this.#now.forEach(visit);
  }
}

/** A table in the making. */
export class TableDraft<K extends ObjectId, V> implements TableBase<K, V> {
  readonly #order: ObjectOrder;
  /** What belongs to the objects from `#start` on: those of a kind mostly stand side by side. */
  #values: (V | undefined)[] = [];
  #start = 0;
  /** Of what has no place in the snapshot: it is implied, or virtual. */
  readonly #others: Map<K, V> = new Map();
  /** By id, once somebody asks. */
  #byId: ReadonlyMap<K, V> | undefined;
  #placed = 0;

  constructor(order: ObjectOrder) {
    this.#order = order;
  }

  get size(): number {
    return this.#placed + this.#others.size;
  }

  set(object: KubeObject, value: V): void {
    const at = this.#placeFor(object);
    if (at === undefined) {
      this.#others.set(object.id as K, value);
      return;
    }
    if (this.#values[at] === undefined) this.#placed++;
    this.#values[at] = value;
  }

  setOther(id: K, value: V): void {
    this.#others.set(id, value);
  }

  /** Once it is filled. */
  of(object: KubeObject): V | undefined {
    return this.#order.at(object.place) === object ? this.#at(object.place) : this.get(object.id as K);
  }

  /** Once it is filled. */
  get(id: K): V | undefined {
    if (this.#byId === undefined) {
      const byId = new Map(this.#others);
      this.forEach((value, key) => byId.set(key, value));
      this.#byId = byId;
    }
    return this.#byId.get(id);
  }

  /** What there is so far of an object. */
  soFar(object: KubeObject): V | undefined {
    return this.#order.at(object.place) === object ? this.#at(object.place) : this.otherSoFar(object.id as K);
  }

  /** The same where there is no object of that id. */
  otherSoFar(id: K): V | undefined {
    return this.#others.get(id);
  }

  forEach(visit: (value: V, id: K) => void): void {
    this.#values.forEach((value, at) => {
      const object = this.#order.at(this.#start + at);
      if (value !== undefined && object instanceof KubeObject) visit(value, object.id as K);
    });
    this.#others.forEach(visit);
  }

  #at(place: number): V | undefined {
    const at = place - this.#start;
    return at >= 0 && at < this.#values.length ? this.#values[at] : undefined;
  }

  /** Where its value is to be put, with room made for it; undefined: among the others. */
  #placeFor(object: KubeObject): number | undefined {
    const { place } = object;
    if (this.#order.at(place) !== object) return undefined;
    if (this.#values.length === 0) this.#start = place;
    if (place < this.#start) this.#makeRoomBefore(place);
    const at = place - this.#start;
    while (this.#values.length <= at) this.#values.push(undefined);
    return at;
  }

  /** For as many again as there are, so that those that come backwards do not each move all others. */
  #makeRoomBefore(place: number): void {
    const start = Math.max(0, Math.min(place, this.#start - this.#values.length));
    const room = Array.from<undefined>({ length: this.#start - start });
    this.#values = [...room, ...this.#values];
    this.#start = start;
  }
}
