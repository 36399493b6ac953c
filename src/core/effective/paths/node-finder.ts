import type { JsonObject } from "../../model/json.ts";
import { namespaceRef, type ObjectId, type ObjectRef, objectId, parseObjectId } from "../../model/refs.ts";
import { type Section, sectionsOf } from "../../topology/sections-of.ts";
import type { CompiledKind } from "../world/compiled-kind.ts";
import type { KindLevels } from "../world/kind-levels.ts";
import type { WithPolicies } from "../world/world.ts";
import type { Node } from "./path.ts";

/** Finds the nodes of objects for one policy kind. */
export class NodeFinder {
  readonly levels: KindLevels;
  readonly #objects: WithPolicies["objects"];
  readonly #attached: WithPolicies["attached"][number] | undefined;

  constructor({ objects, attached, rulebook }: WithPolicies, kind: CompiledKind) {
    this.levels = rulebook.levels[kind.index] as KindLevels;
    this.#objects = objects;
    this.#attached = attached[kind.index];
  }

  find(id: ObjectId): Node | undefined {
    const object = this.#objects.get(id);
    if (object !== undefined) return this.of(id, object.ref, object.raw);
    // The object is implied (a GatewayClass that a Gateway names) or virtual.
    const node = this.of(id, parseObjectId(id), undefined);
    return node.ref.namespace === "" || node.sets !== undefined ? node : undefined;
  }

  of(id: ObjectId, ref: ObjectRef, raw: JsonObject | undefined): Node {
    const sets = this.#attached?.get(id);
    return { id, ref, raw, section: undefined, level: this.levels.of(ref), sets, target: undefined, plain: undefined };
  }

  ofNamespace(namespace: string): Node {
    const ref = namespaceRef(namespace);
    const id = objectId(ref);
    return this.of(id, ref, this.#objects.get(id)?.raw);
  }
}

const NO_SECTIONS: readonly Section[] = [];

export const sectionsOfNode = ({ raw, level }: Node): readonly Section[] =>
  raw === undefined || level.facts === undefined ? NO_SECTIONS : sectionsOf({ raw }, level.facts);
