import type { JsonObject } from "../../model/json.ts";
import { namespaceRef, type ObjectId, type ObjectRef, objectId, parseObjectId } from "../../model/refs.ts";
import type { Section } from "../../topology/sections-of.ts";
import type { CompiledKind } from "../world/compiled-kind.ts";
import type { KindLevels } from "../world/kind-levels.ts";
import type { WithPolicies } from "../world/world.ts";
import type { Node } from "./path.ts";

/** Finds the nodes of objects for one policy kind. */
export class NodeFinder {
  readonly levels: KindLevels;
  /** Each object near a change is found several times. */
  readonly #near: Map<ObjectId, Node> | undefined;
  readonly #namespaces: Map<string, Node> = new Map();
  readonly #objects: WithPolicies["objects"];
  readonly #attached: WithPolicies["attached"][number] | undefined;

  /** `isNear`: only objects near a change or a question are asked for. */
  constructor(
    { objects, attached, rulebook }: WithPolicies,
    kind: CompiledKind,
    { isNear = false }: { readonly isNear?: boolean } = {},
  ) {
    this.#near = isNear ? new Map() : undefined;
    this.levels = rulebook.levels[kind.index] as KindLevels;
    this.#objects = objects;
    this.#attached = attached[kind.index];
  }

  find(id: ObjectId): Node | undefined {
    const known = this.#near?.get(id);
    if (known !== undefined || this.#near === undefined) return known ?? this.#read(id);
    const node = this.#read(id);
    if (node !== undefined) this.#near.set(id, node);
    return node;
  }

  #read(id: ObjectId): Node | undefined {
    const object = this.#objects.get(id);
    if (object !== undefined) return this.of(id, object.ref, object.raw);
    // The object is implied (a GatewayClass that a Gateway names) or virtual.
    const node = this.of(id, parseObjectId(id), undefined);
    return node.ref.namespace === "" || node.sets !== undefined ? node : undefined;
  }

  of(id: ObjectId, ref: ObjectRef, raw: JsonObject | undefined): Node {
    const sets = this.#attached?.get(id);
    const level = this.levels.of(ref);
    return { id, ref, raw, section: undefined, level, sets, sections: undefined, target: undefined, plain: undefined };
  }

  ofNamespace(namespace: string): Node {
    const known = this.#namespaces.get(namespace);
    if (known !== undefined) return known;
    const ref = namespaceRef(namespace);
    const id = objectId(ref);
    const node = this.of(id, ref, this.#objects.get(id)?.raw);
    this.#namespaces.set(namespace, node);
    return node;
  }
}

const NO_SECTIONS: readonly Section[] = [];

export function sectionsOfNode(node: Node): readonly Section[] {
  const { raw, level } = node;
  if (raw === undefined || level.readSections === undefined) return NO_SECTIONS;
  node.sections ??= level.readSections({ raw });
  return node.sections;
}
