/** Something for each of many objects that nobody may ever ask for: it is worked out when somebody does. */
import type { KubeObject } from "../kube-object.ts";
import type { ObjectId } from "../refs.ts";

/** The objects that a table is about. */
export interface TableObjects {
  readonly size: number;
  get(id: ObjectId): KubeObject | undefined;
  forEach(visit: (object: KubeObject) => void): void;
}

export class LazyTable<V> {
  readonly #objects: TableObjects;
  readonly #workOut: (object: KubeObject) => V;
  /** What was asked for one by one is mostly asked for again. */
  readonly #known: Map<KubeObject, V> = new Map();

  constructor(objects: TableObjects, workOut: (object: KubeObject) => V) {
    this.#objects = objects;
    this.#workOut = workOut;
  }

  get size(): number {
    return this.#objects.size;
  }

  of(object: KubeObject): V | undefined {
    return this.get(object.id);
  }

  get(id: ObjectId): V | undefined {
    const object = this.#objects.get(id);
    if (object === undefined) return undefined;
    const known = this.#known.get(object);
    if (known !== undefined) return known;
    const value = this.#workOut(object);
    this.#known.set(object, value);
    return value;
  }

  /** Who goes through all of them looks at each once: nothing is kept. */
  forEach(visit: (value: V, id: ObjectId) => void): void {
    this.#objects.forEach((object) => visit(this.#known.get(object) ?? this.#workOut(object), object.id));
  }
}
