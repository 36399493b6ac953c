import type { JsonObject } from "../json.ts";
import { KubeObject, type ObjectFamily } from "../kube-object.ts";
import type { MapBase } from "./layered-map.ts";
import type { ObjectOrder } from "./object-order.ts";

/** So many are looked at beside the last one that was found. */
const NEAR = 4;

/**
 * The objects of a kind in a namespace, by name. A list from a cluster comes in the order of names, and is asked for about
 * so (the backends of one route after those of another): then an object is found beside the last one. Otherwise there is
 * a Map, which takes as long to fill as everything else that is done with so many names.
 */
export class NamedObjects implements MapBase<string, KubeObject> {
  /** Of the whole snapshot. Those of a list stand there side by side: the first `#listed` of these, from `#start` on. */
  readonly #order: ObjectOrder;
  #start = 0;
  #listed = 0;
  #family: ObjectFamily | undefined;
  /** Those that came later, apart from the others. */
  readonly #later: (KubeObject | undefined)[] = [];
  /** By name, the place among all these. Undefined: they came in the order of their names, and nobody asked otherwise. */
  #places: Map<string, number> | undefined;
  #lastName = "";
  /** Where the last one was found. Only a place to begin at. */
  #near = 0;
  #size = 0;

  constructor(order: ObjectOrder) {
    this.#order = order;
  }

  get size(): number {
    return this.#size;
  }

  /**
   * Adds an object as it came, as the next one of the snapshot. False: one of that name is there already, and stays. A
   * hundred thousand come, and of many kinds hardly one is ever asked for: until then nothing is made of it.
   */
  addNext(name: string, raw: JsonObject, family: ObjectFamily): boolean {
    if (!this.#isNew(name)) return false;
    const place = this.#order.length;
    if (this.length === 0) {
      this.#start = place;
      this.#family = family;
    }
    if (family === this.#family && place === this.#start + this.#listed && this.#later.length === 0) {
      this.#order.push(raw);
      this.#listed++;
    } else {
      const object = new KubeObject(family, name, raw, undefined, place);
      this.#order.push(object);
      this.#later.push(object);
    }
    this.#size++;
    return true;
  }

  /** False: one of that name is there already, and stays. Its place in the snapshot is for the caller to fill. */
  add(object: KubeObject): boolean {
    if (!this.#isNew(object.name)) return false;
    this.#later.push(object);
    this.#size++;
    return true;
  }

  delete(name: string): void {
    const at = this.#byName().get(name);
    if (at === undefined) return;
    if (at < this.#listed) this.#order.set(this.#start + at, undefined);
    else this.#later[at - this.#listed] = undefined;
    this.#byName().delete(name);
    this.#size--;
  }

  get(name: string): KubeObject | undefined {
    const at = this.#find(name);
    if (at === undefined) return undefined;
    this.#near = at;
    return this.#at(at);
  }

  /** In no particular order. */
  forEach(visit: (object: KubeObject, name: string) => void): void {
    const { length } = this;
    for (let at = 0; at < length; at++) {
      const object = this.#at(at);
      if (object !== undefined) visit(object, object.name);
    }
  }

  private get length(): number {
    return this.#listed + this.#later.length;
  }

  #at(at: number): KubeObject | undefined {
    if (at >= this.#listed) return this.#later[at - this.#listed];
    const place = this.#start + at;
    const found = this.#order.at(place);
    if (found === undefined || found instanceof KubeObject || this.#family === undefined) return found as KubeObject;
    const made = new KubeObject(this.#family, nameIn(found), found, undefined, place);
    this.#order.set(place, made);
    return made;
  }

  #nameAt(at: number): string | undefined {
    const found = at < this.#listed ? this.#order.at(this.#start + at) : this.#later[at - this.#listed];
    return found === undefined || found instanceof KubeObject ? found?.name : nameIn(found);
  }

  #isNew(name: string): boolean {
    // Out of order for the first time: from now on the Map says all.
    if (this.#places !== undefined || name <= this.#lastName) {
      const places = this.#byName();
      if (places.has(name)) return false;
      places.set(name, this.length);
    }
    this.#lastName = name;
    return true;
  }

  #find(name: string): number | undefined {
    // Where there is a Map, nothing comes in order any more.
    if (this.#places !== undefined) return this.#places.get(name);
    return this.#nearby(name, this.#near) ?? this.#nearby(name, 0) ?? this.#byName().get(name);
  }

  #nearby(name: string, from: number): number | undefined {
    const end = Math.min(this.length, from + NEAR);
    for (let at = from; at < end; at++) if (this.#nameAt(at) === name) return at;
    return undefined;
  }

  #byName(): Map<string, number> {
    if (this.#places === undefined) {
      const places = new Map<string, number>();
      const { length } = this;
      for (let at = 0; at < length; at++) {
        const name = this.#nameAt(at);
        if (name !== undefined) places.set(name, at);
      }
      this.#places = places;
    }
    return this.#places;
  }
}

/** Objects without a name are not identified, and do not come this far. */
const nameIn = ({ metadata }: JsonObject): string => (metadata as { readonly name: string }).name;
