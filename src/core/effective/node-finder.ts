import type { JsonObject } from "../model/json.ts";
import { type ObjectId, type ObjectRef, objectId, parseObjectId, type TargetId } from "../model/refs.ts";
import { type Section, sectionsOf } from "../topology/sections-of.ts";
import type { CompiledKind } from "./compiled-kind.ts";
import type { PathNode } from "./effective-policy.ts";
import { type KindPlace, KindPlaces } from "./kind-places.ts";
import type { NodeSets, World } from "./world.ts";

/** A node of the topology: an object, or a section of one. */
export interface Node {
  readonly id: ObjectId;
  readonly ref: ObjectRef;
  /** Absent: implied, or virtual. */
  readonly raw: JsonObject | undefined;
  readonly section: Section | undefined;
  readonly place: KindPlace;
  /** The policies on the object and its sections. */
  readonly sets: NodeSets | undefined;
  /** Made when asked for: the paths through a node share them. */
  target: TargetId | undefined;
  shown: PathNode | undefined;
}

/** Objects as nodes for one policy kind. */
export class NodeFinder {
  readonly places: KindPlaces;
  readonly #objects: World["objects"]["byId"];
  readonly #attached: World["attached"][number] | undefined;

  constructor({ objects, attached, rulebook }: World, kind: CompiledKind) {
    this.places = new KindPlaces(kind, rulebook);
    this.#objects = objects.byId;
    this.#attached = attached[kind.index];
  }

  find(id: ObjectId): Node | undefined {
    const object = this.#objects.get(id);
    if (object !== undefined) return this.of(id, object.ref, object.raw);
    // Implied (a GatewayClass that a Gateway names), or virtual.
    const node = this.of(id, parseObjectId(id), undefined);
    return node.ref.namespace === "" || node.sets !== undefined ? node : undefined;
  }

  of(id: ObjectId, ref: ObjectRef, raw: JsonObject | undefined): Node {
    const sets = this.#attached?.get(id);
    const place = this.places.of(ref);
    return { id, ref, raw, section: undefined, place, sets, target: undefined, shown: undefined };
  }

  ofNamespace(namespace: string): Node {
    const ref: ObjectRef = { group: "", kind: "Namespace", namespace: "", name: namespace };
    const id = objectId(ref);
    return this.of(id, ref, this.#objects.get(id)?.raw);
  }
}

const NO_SECTIONS: readonly Section[] = [];

export const sectionsOfNode = ({ raw, place }: Node): readonly Section[] =>
  raw === undefined || place.facts === undefined ? NO_SECTIONS : sectionsOf({ raw }, place.facts);

export const sectionNode = ({ id, ref, raw, place, sets }: Node, section: Section): Node => ({
  id,
  ref,
  raw,
  section,
  place,
  sets,
  target: undefined,
  shown: undefined,
});
