import type { KubeObject } from "./kube-object.ts";
import type { MapBase } from "./layered-map.ts";

/** So many are looked at beside the last one that was found. */
const NEAR = 4;

/**
 * The objects of a kind in a namespace, by name. A list from a cluster comes in the order of names, and is asked for about
 * so (the backends of one route after those of another): then an object is found beside the last one. Otherwise there is
 * a Map, which takes as long to fill as everything else that is done with so many names.
 */
export class NamedObjects implements MapBase<string, KubeObject> {
  /** In the order in which they came. */
  readonly #objects: (KubeObject | undefined)[] = [];
  /** By name, the place among them. Undefined: they came in the order of their names, and nobody asked otherwise. */
  #places: Map<string, number> | undefined;
  #lastName = "";
  /** Where the last one was found. Only a place to begin at. */
  #near = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** False: one of that name is there already, and stays. */
  add(object: KubeObject): boolean {
    const { name } = object;
    // Out of order for the first time: from now on the Map says all.
    if (this.#places !== undefined || name <= this.#lastName) {
      const places = this.#byName();
      if (places.has(name)) return false;
      places.set(name, this.#objects.length);
    }
    this.#lastName = name;
    this.#objects.push(object);
    this.#size++;
    return true;
  }

  delete(name: string): void {
    const place = this.#byName().get(name);
    if (place === undefined) return;
    this.#objects[place] = undefined;
    this.#byName().delete(name);
    this.#size--;
  }

  get(name: string): KubeObject | undefined {
    const place = this.#nearby(name) ?? this.#byName().get(name);
    if (place === undefined) return undefined;
    this.#near = place;
    return this.#objects[place];
  }

  /** In no particular order. */
  forEach(visit: (object: KubeObject, name: string) => void): void {
    for (const object of this.#objects) if (object !== undefined) visit(object, object.name);
  }

  #nearby(name: string): number | undefined {
    const objects = this.#objects;
    const end = Math.min(objects.length, this.#near + NEAR);
    for (let at = this.#near; at < end; at++) if (objects[at]?.name === name) return at;
    return undefined;
  }

  #byName(): Map<string, number> {
    if (this.#places === undefined) {
      const places = new Map<string, number>();
      this.#objects.forEach((object, place) => {
        if (object !== undefined) places.set(object.name, place);
      });
      this.#places = places;
    }
    return this.#places;
  }
}
