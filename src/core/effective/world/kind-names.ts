import type { SortedMap } from "../../model/collections/sorted-map.ts";
import { SortedNames } from "../../model/collections/sorted-names.ts";
import type { KubeObject } from "../../model/kube-object.ts";
import { compareText, type KindId, type ObjectId } from "../../model/refs.ts";

type ById = SortedMap<ObjectId, KubeObject>;

/** Whoever asks more often gets an index: a change mostly asks once or never. */
const FEW = 8;

/** The names that objects of one kind have: where each is, and which of them a mistyped one meant. */
export class KindNames {
  readonly #kind: KindId;
  readonly #objects: ById;
  readonly #inNamespace: Map<string, SortedNames> = new Map();
  #asked = 0;
  #namespaces: ReadonlyMap<string, readonly string[]> | undefined;

  constructor(kind: KindId, objects: ById) {
    this.#kind = kind;
    this.#objects = objects;
  }

  nearest(namespace: string, name: string): string | undefined {
    let names = this.#inNamespace.get(namespace);
    if (names === undefined) {
      names = new SortedNames(Array.from(objectsIn(this.#objects, this.#kind, namespace), (object) => object.name));
      this.#inNamespace.set(namespace, names);
    }
    return names.nearest(name);
  }

  /** In order. */
  namespacesOf(name: string): readonly string[] {
    if (this.#namespaces === undefined && ++this.#asked > FEW) this.#namespaces = this.#indexed(() => true);
    return (this.#namespaces ?? this.#indexed((one) => one === name)).get(name) ?? [];
  }

  #indexed(isAsked: (name: string) => boolean): ReadonlyMap<string, readonly string[]> {
    const namespaces = new Map<string, string[]>();
    for (const { name, family } of this.#objects.values()) {
      if (!isAsked(name)) continue;
      const known = namespaces.get(name);
      if (known === undefined) namespaces.set(name, [family.namespace]);
      else known.push(family.namespace);
    }
    // Ids put `a-b` before `a`, as a slash follows.
    for (const known of namespaces.values()) if (known.length > 1) known.sort(compareText);
    return namespaces;
  }
}

/** In the order of their ids. */
export function* objectsIn(objects: ById, kind: KindId, namespace: string): Iterable<KubeObject> {
  const prefix = `${kind}/${namespace}/` as ObjectId;
  for (const [, object] of objects.startingAt(prefix)) {
    if (object.family.namespace !== namespace) return;
    yield object;
  }
}
