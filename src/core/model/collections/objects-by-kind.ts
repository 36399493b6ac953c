/** The objects of each kind, in the order of their ids; they are put in order when somebody first asks for the kind. */
import type { KubeObject } from "../kube-object.ts";
import type { KindId, ObjectId } from "../refs.ts";
import { LayeredMap } from "./layered-map.ts";
import type { ObjectIndex } from "./object-index.ts";
import { once } from "./once.ts";
import { SortedMap } from "./sorted-map.ts";

type ById = SortedMap<ObjectId, KubeObject>;

/** Whoever just goes through them needs no ids, and a hundred thousand of those take longer to make than to read. */
interface KindObjects {
  readonly inOrder: () => Iterable<KubeObject>;
  readonly byId: () => ById;
}

export class ObjectsByKind {
  readonly #kinds: LayeredMap<KindId, KindObjects>;

  private constructor(kinds: LayeredMap<KindId, KindObjects>) {
    this.#kinds = kinds;
  }

  static of(index: ObjectIndex): ObjectsByKind {
    const kinds = new Map<KindId, KindObjects>();
    index.forEachNamespace((kind) => {
      if (kinds.has(kind)) return;
      const inOrder = once(() => index.inOrder(kind));
      kinds.set(kind, { inOrder, byId: once(() => SortedMap.by(inOrder(), idOf)) });
    });
    return new ObjectsByKind(LayeredMap.from(kinds));
  }

  get(kind: KindId): ById | undefined {
    return this.#kinds.get(kind)?.byId();
  }

  /** In the order of their ids. */
  inOrder(kind: KindId): Iterable<KubeObject> {
    return this.#kinds.get(kind)?.inOrder() ?? NONE;
  }

  has(kind: KindId): boolean {
    return this.#kinds.has(kind);
  }

  with(kind: KindId, objects: ById): ObjectsByKind {
    return new ObjectsByKind(this.#kinds.with(kind, { inOrder: () => objects.values(), byId: () => objects }));
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

const idOf = ({ id }: KubeObject): ObjectId => id;
const NONE: readonly KubeObject[] = [];
