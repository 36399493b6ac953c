/**
 * Objects by kind, namespace and name: found by words that stand in the objects, so that nobody has to put an id together
 * to look one up. Persistent: a change leaves the index before it as it was.
 */
import type { KubeObject } from "../kube-object.ts";
import { compareText, type KindId, kindId, type ObjectId, type ObjectRef, splitId } from "../refs.ts";
import { LayeredMap } from "./layered-map.ts";
import { NamedObjects } from "./named-objects.ts";
import { ObjectOrder } from "./object-order.ts";

type Names = LayeredMap<string, KubeObject>;
type Namespaces = LayeredMap<string, Names>;

export class ObjectIndex {
  readonly #kinds: LayeredMap<KindId, Namespaces>;
  readonly size: number;
  /** The objects of the snapshot that it began with. */
  readonly order: ObjectOrder;

  private constructor(kinds: LayeredMap<KindId, Namespaces>, size: number, order: ObjectOrder) {
    this.#kinds = kinds;
    this.size = size;
    this.order = order;
  }

  /** Takes the draft over: the caller must not add to it afterwards. */
  static from(draft: ObjectIndexDraft): ObjectIndex {
    const kinds = new Map<KindId, Namespaces>();
    let size = 0;
    for (const [kind, drafted] of draft.kinds) {
      const namespaces = new Map<string, Names>();
      for (const [namespace, names] of drafted) {
        if (names.size > 0) namespaces.set(namespace, LayeredMap.over(names));
        size += names.size;
      }
      if (namespaces.size > 0) kinds.set(kind, LayeredMap.from(namespaces));
    }
    return new ObjectIndex(LayeredMap.from(kinds), size, draft.order);
  }

  find(kind: KindId, namespace: string, name: string): KubeObject | undefined {
    return this.namesIn(kind, namespace)?.get(name);
  }

  /** The objects of a kind in a namespace, by name. */
  namesIn(kind: KindId, namespace: string): Names | undefined {
    return this.#kinds.get(kind)?.get(namespace);
  }

  get(id: ObjectId): KubeObject | undefined {
    const { kind, namespace, name } = splitId(id);
    return this.find(kind, namespace, name);
  }

  has(id: ObjectId): boolean {
    return this.get(id) !== undefined;
  }

  with(object: KubeObject): ObjectIndex {
    const { kindId: kind, namespace } = object.family;
    const namespaces: Namespaces = this.#kinds.get(kind) ?? LayeredMap.empty();
    const names: Names = namespaces.get(namespace) ?? LayeredMap.empty();
    const grown = names.with(object.name, object);
    const kinds = this.#kinds.with(kind, namespaces.with(namespace, grown));
    return new ObjectIndex(kinds, this.size + grown.size - names.size, this.order);
  }

  without(ref: ObjectRef): ObjectIndex {
    const kind = kindId(ref);
    const namespaces = this.#kinds.get(kind);
    const names = namespaces?.get(ref.namespace);
    if (namespaces === undefined || names?.has(ref.name) !== true) return this;
    const fewer =
      names.size === 1 ? namespaces.without(ref.namespace) : namespaces.with(ref.namespace, names.without(ref.name));
    const kinds = fewer.size === 0 ? this.#kinds.without(kind) : this.#kinds.with(kind, fewer);
    return new ObjectIndex(kinds, this.size - 1, this.order);
  }

  /** In no particular order: sort what leaves the core. */
  forEach(visit: (object: KubeObject) => void): void {
    this.forEachNamespace((_kind, _namespace, objects) => objects.forEach((object) => visit(object)));
  }

  values(): readonly KubeObject[] {
    const found: KubeObject[] = [];
    this.forEach((object) => {
      found.push(object);
    });
    return found;
  }

  /** Kind by kind, and namespace by namespace. */
  forEachNamespace(visit: (kind: KindId, namespace: string, objects: Pick<Names, "forEach" | "size">) => void): void {
    this.#kinds.forEach((namespaces, kind) => {
      namespaces.forEach((names, namespace) => visit(kind, namespace, names));
    });
  }

  /** All objects of a kind in the order of their ids, without an id being made. */
  inOrder(kind: KindId): readonly KubeObject[] {
    const namespaces: { readonly key: string; readonly names: Names }[] = [];
    this.#kinds.get(kind)?.forEach((names, namespace) => {
      // As it stands in ids, where it is followed by a slash.
      namespaces.push({ key: `${namespace}/`, names });
    });
    namespaces.sort((a, b) => compareText(a.key, b.key));
    const [only] = namespaces;
    if (only !== undefined && namespaces.length === 1) return inOrderOfNames(only.names);
    return namespaces.flatMap(({ names }) => inOrderOfNames(names));
  }

  /** All objects of a kind, in no particular order. */
  ofKind(kind: KindId): readonly KubeObject[] {
    const found: KubeObject[] = [];
    this.#kinds.get(kind)?.forEach((names) => {
      names.forEach((object) => {
        found.push(object);
      });
    });
    return found;
  }
}

function inOrderOfNames(names: Names): readonly KubeObject[] {
  const found: KubeObject[] = [];
  let isInOrder = true;
  let last = "";
  names.forEach((object, name) => {
    isInOrder &&= last < name;
    last = name;
    found.push(object);
  });
  return isInOrder ? found : found.sort((a, b) => compareText(a.name, b.name));
}

/**
 * Finds one object after the other: mostly of a kind and namespace that was asked for before (a Gateway, then Services,
 * then the same Gateway).
 */
export class ObjectFinder {
  readonly #index: ObjectIndex;
  #last: Search = NO_SEARCH;
  #other: Search = NO_SEARCH;

  constructor(index: ObjectIndex) {
    this.#index = index;
  }

  find(kind: KindId, namespace: string, name: string): KubeObject | undefined {
    const search = this.#searchIn(kind, namespace);
    if (search.name !== name) {
      search.name = name;
      search.found = search.names?.get(name);
    }
    return search.found;
  }

  #searchIn(kind: KindId, namespace: string): Search {
    if (isIn(this.#last, kind, namespace)) return this.#last;
    const other = this.#other;
    this.#other = this.#last;
    this.#last = isIn(other, kind, namespace)
      ? other
      : { kind, namespace, names: this.#index.namesIn(kind, namespace), name: undefined, found: undefined };
    return this.#last;
  }
}

/** In the objects of a kind in a namespace, and what was found last. */
interface Search {
  readonly kind: KindId | undefined;
  readonly namespace: string;
  readonly names: Names | undefined;
  name: string | undefined;
  found: KubeObject | undefined;
}

const NO_SEARCH: Search = { kind: undefined, namespace: "", names: undefined, name: undefined, found: undefined };

const isIn = (search: Search, kind: KindId, namespace: string): boolean =>
  search.kind === kind && search.namespace === namespace;

/** An index in the making. */
export class ObjectIndexDraft {
  readonly kinds: Map<KindId, Map<string, NamedObjects>> = new Map();
  readonly order: ObjectOrder;

  /** `expected`: how many objects there will be, if that is known. */
  constructor(expected?: number) {
    this.order = new ObjectOrder(expected);
  }

  /** The objects of a kind in a namespace, by name, to look up and to add to. */
  namesIn(kind: KindId, namespace: string): NamedObjects {
    let namespaces = this.kinds.get(kind);
    if (namespaces === undefined) {
      namespaces = new Map();
      this.kinds.set(kind, namespaces);
    }
    let names = namespaces.get(namespace);
    if (names === undefined) {
      names = new NamedObjects(this.order);
      namespaces.set(namespace, names);
    }
    return names;
  }

  add(object: KubeObject): void {
    const { family } = object;
    if (this.namesIn(family.kindId, family.namespace).add(object)) this.place(object);
  }

  find({ family, name }: KubeObject): KubeObject | undefined {
    return this.kinds.get(family.kindId)?.get(family.namespace)?.get(name);
  }

  remove(id: ObjectId): void {
    const { kind, namespace, name } = splitId(id);
    const names = this.namesIn(kind, namespace);
    const object = names.get(name);
    if (object !== undefined && this.order.at(object.place) === object) this.order.set(object.place, undefined);
    names.delete(name);
  }

  /** For the next object that comes. */
  get nextPlace(): number {
    return this.order.length;
  }

  /** Puts an object at its place, if it has one and nobody else is there. */
  place(object: KubeObject): void {
    const { place } = object;
    if (place >= 0 && this.order.at(place) === undefined) this.order.set(place, object);
  }
}
