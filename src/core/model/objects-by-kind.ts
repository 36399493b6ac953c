/** The objects of each kind, in the order of their ids; they are put in order when somebody first asks for the kind. */
import type { KubeObject } from "./kube-object.ts";
import { LayeredMap } from "./layered-map.ts";
import type { ObjectIndex } from "./object-index.ts";
import { once } from "./once.ts";
import type { KindId, ObjectId } from "./refs.ts";
import { SortedMap } from "./sorted-map.ts";

type InOrder = SortedMap<ObjectId, KubeObject>;

const idOf = ({ id }: KubeObject): ObjectId => id;

export class ObjectsByKind {
  readonly #kinds: LayeredMap<KindId, () => InOrder>;

  private constructor(kinds: LayeredMap<KindId, () => InOrder>) {
    this.#kinds = kinds;
  }

  static of(index: ObjectIndex): ObjectsByKind {
    const kinds = new Map<KindId, () => InOrder>();
    index.forEachNamespace((kind) => {
      if (!kinds.has(kind))
        kinds.set(
          kind,
          once(() => SortedMap.by(index.ofKind(kind), idOf)),
        );
    });
    return new ObjectsByKind(LayeredMap.from(kinds));
  }

  get(kind: KindId): InOrder | undefined {
    return this.#kinds.get(kind)?.();
  }

  has(kind: KindId): boolean {
    return this.#kinds.has(kind);
  }

  with(kind: KindId, objects: InOrder): ObjectsByKind {
    return new ObjectsByKind(this.#kinds.with(kind, () => objects));
  }

  without(kind: KindId): ObjectsByKind {
    return new ObjectsByKind(this.#kinds.without(kind));
  }

  /** The kinds of which there are objects, in no particular order. */
  kinds(): readonly KindId[] {
    const found: KindId[] = [];
    this.#kinds.forEach((_, kind) => {
      found.push(kind);
    });
    return found;
  }
}
