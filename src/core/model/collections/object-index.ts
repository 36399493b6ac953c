/**
 * The objects of a snapshot by kind, namespace and name, read in the order of their ids. Persistent: `with` and `without`
 * return a new version and leave the old one readable.
 */
import type { KubeObject } from "../kube-object.ts";
import { type KindId, kindId, type ObjectId, type ObjectRef, splitId } from "../refs.ts";
import { PersistentMap } from "./persistent-map.ts";
import { remember } from "./remember.ts";
import { SortedMap } from "./sorted-map.ts";

type ByName = SortedMap<string, KubeObject>;
/** By namespace and a slash, as in ids: the id of an object in `a-b` comes before that of an object in `a`. */
type ByNamespace = SortedMap<string, ByName>;

const namespaceKey = (namespace: string): string => `${namespace}/`;

export class ObjectIndex {
  readonly #kinds: PersistentMap<KindId, ByNamespace>;
  /** How many objects each namespace has. */
  readonly #population: PersistentMap<string, number>;
  readonly size: number;

  private constructor(
    kinds: PersistentMap<KindId, ByNamespace>,
    population: PersistentMap<string, number>,
    size: number,
  ) {
    this.#kinds = kinds;
    this.#population = population;
    this.size = size;
  }

  static from(draft: ObjectIndexDraft): ObjectIndex {
    return ObjectIndex.#build(draft.kinds, (byName) => SortedMap.from(byName));
  }

  /** `settle` returns the objects that count of a list, each once. */
  static fromLists(
    { kinds }: ObjectLists,
    settle: (list: readonly KubeObject[]) => readonly KubeObject[],
  ): ObjectIndex {
    return ObjectIndex.#build(kinds, (list) => {
      const objects = settle(list);
      return SortedMap.of(
        objects.map(({ name }) => name),
        objects,
      );
    });
  }

  static #build<List>(
    lists: ReadonlyMap<KindId, ReadonlyMap<string, List>>,
    build: (list: List) => ByName,
  ): ObjectIndex {
    const kinds = new Map<KindId, ByNamespace>();
    const population = new Map<string, number>();
    let size = 0;
    for (const [kind, byNamespace] of lists) {
      const namespaces = new Map<string, ByName>();
      for (const [namespace, list] of byNamespace) {
        const byName = build(list);
        if (byName.size === 0) continue;
        namespaces.set(namespaceKey(namespace), byName);
        if (namespace !== "") population.set(namespace, (population.get(namespace) ?? 0) + byName.size);
        size += byName.size;
      }
      if (namespaces.size > 0) kinds.set(kind, SortedMap.from(namespaces));
    }
    return new ObjectIndex(PersistentMap.from(kinds), PersistentMap.from(population), size);
  }

  find(kind: KindId, namespace: string, name: string): KubeObject | undefined {
    return this.#namesIn(kind, namespace)?.get(name);
  }

  get(id: ObjectId): KubeObject | undefined {
    const { kind, namespace, name } = splitId(id);
    return this.find(kind, namespace, name);
  }

  has(id: ObjectId): boolean {
    return this.get(id) !== undefined;
  }

  /** The kinds that have objects, in no particular order. */
  kinds(): readonly KindId[] {
    const found: KindId[] = [];
    this.#kinds.forEach((_, kind) => {
      found.push(kind);
    });
    return found;
  }

  hasKind(kind: KindId): boolean {
    return this.#kinds.has(kind);
  }

  /** All objects of a kind, in the order of their ids. */
  ofKind(kind: KindId): readonly KubeObject[] {
    const found: KubeObject[] = [];
    this.#kinds.get(kind)?.forEach((_, byName) => {
      byName.forEach((_name, object) => {
        found.push(object);
      });
    });
    return found;
  }

  /** The objects of a kind in one namespace, in the order of their names. */
  inNamespace(kind: KindId, namespace: string): readonly KubeObject[] {
    return [...(this.#namesIn(kind, namespace)?.values() ?? [])];
  }

  /** The namespaces that have objects of a kind; empty for those without a namespace. */
  namespacesOfKind(kind: KindId): readonly string[] {
    const found: string[] = [];
    this.#kinds.get(kind)?.forEach((key) => {
      found.push(key.slice(0, -1));
    });
    return found;
  }

  /** Calls back for each object: kinds in no particular order, the objects of a kind in the order of their ids. */
  forEach(visit: (object: KubeObject) => void): void {
    this.#kinds.forEach((byNamespace) => {
      byNamespace.forEach((_, byName) => {
        byName.forEach((_name, object) => visit(object));
      });
    });
  }

  /** All objects, in the order of `forEach`. */
  values(): readonly KubeObject[] {
    const found: KubeObject[] = [];
    this.forEach((object) => {
      found.push(object);
    });
    return found;
  }

  /** The namespaces that have objects, in no particular order. */
  namespaces(): readonly string[] {
    const found: string[] = [];
    this.#population.forEach((_, namespace) => {
      found.push(namespace);
    });
    return found;
  }

  /** True if the namespace has objects. */
  hasNamespace(namespace: string): boolean {
    return this.#population.has(namespace);
  }

  with(object: KubeObject): ObjectIndex {
    const { kindId: kind, namespace } = object.family;
    const byNamespace: ByNamespace = this.#kinds.get(kind) ?? SortedMap.empty();
    const byName: ByName = byNamespace.get(namespaceKey(namespace)) ?? SortedMap.empty();
    const grown = byName.with(object.name, object);
    const kinds = this.#kinds.with(kind, byNamespace.with(namespaceKey(namespace), grown));
    const growth = grown.size - byName.size;
    return new ObjectIndex(kinds, this.#populated(namespace, growth), this.size + growth);
  }

  without(ref: ObjectRef): ObjectIndex {
    const kind = kindId(ref);
    const key = namespaceKey(ref.namespace);
    const byNamespace = this.#kinds.get(kind);
    const byName = byNamespace?.get(key);
    if (byNamespace === undefined || byName?.get(ref.name) === undefined) return this;
    const fewer = byName.size === 1 ? byNamespace.without(key) : byNamespace.with(key, byName.without(ref.name));
    const kinds = fewer.size === 0 ? this.#kinds.without(kind) : this.#kinds.with(kind, fewer);
    return new ObjectIndex(kinds, this.#populated(ref.namespace, -1), this.size - 1);
  }

  #namesIn(kind: KindId, namespace: string): ByName | undefined {
    return this.#kinds.get(kind)?.get(namespaceKey(namespace));
  }

  #populated(namespace: string, growth: number): PersistentMap<string, number> {
    if (namespace === "" || growth === 0) return this.#population;
    const count = (this.#population.get(namespace) ?? 0) + growth;
    return count === 0 ? this.#population.without(namespace) : this.#population.with(namespace, count);
  }
}

/** The objects of each kind and namespace, as they come. */
export class ObjectLists {
  readonly kinds: Map<KindId, Map<string, KubeObject[]>> = new Map();

  /** The objects of a kind in a namespace, to add to. */
  listIn(kind: KindId, namespace: string): KubeObject[] {
    const byNamespace = remember(this.kinds, kind, () => new Map<string, KubeObject[]>());
    return remember(byNamespace, namespace, () => []);
  }
}

/** The objects of a first index, to look up, add and remove. */
export class ObjectIndexDraft {
  readonly kinds: Map<KindId, Map<string, Map<string, KubeObject>>> = new Map();

  #namesIn(kind: KindId, namespace: string): Map<string, KubeObject> {
    const byNamespace = remember(this.kinds, kind, () => new Map<string, Map<string, KubeObject>>());
    return remember(byNamespace, namespace, () => new Map<string, KubeObject>());
  }

  add(object: KubeObject): void {
    const { family, name } = object;
    this.#namesIn(family.kindId, family.namespace).set(name, object);
  }

  find({ family, name }: Pick<KubeObject, "family" | "name">): KubeObject | undefined {
    return this.kinds.get(family.kindId)?.get(family.namespace)?.get(name);
  }

  remove(id: ObjectId): void {
    const { kind, namespace, name } = splitId(id);
    this.#namesIn(kind, namespace).delete(name);
  }
}
