import type { EffectivePolicy } from "../../effective/fold/effective-policy.ts";
import { effectivePolicyAt } from "../../effective/fold/effective-policy-at.ts";
import { nodesOf, type Path } from "../../effective/paths/path.ts";
import { PathFinder } from "../../effective/paths/path-finder.ts";
import type { PathNode } from "../../effective/paths/path-node.ts";
import type { CompiledKind } from "../../effective/world/compiled-kind.ts";
import { isImplied, isVirtual } from "../../effective/world/implied-objects.ts";
import type { World } from "../../effective/world/world.ts";
import { type GroupKind, type KindId, kindId, type ObjectId, objectId, parseObjectId } from "../../model/refs.ts";
import { OTHERS } from "../../model/traffic.ts";
import { sectionsOf } from "../../topology/sections-of.ts";
import { nodesKey } from "../nodes-key.ts";

/** Finds the effective policy of a path of another world, with or without policies. */
export class PathLookup {
  readonly #world: World;
  readonly #finders: Map<KindId, PathFinder> = new Map();
  /** The paths to each object, by their nodes: thousands of routes may lead to one backend. */
  readonly #paths: Map<string, ReadonlyMap<string, readonly Path[]>> = new Map();

  constructor(world: World) {
    this.#world = world;
  }

  /** Undefined: the path does not exist. Without policies the result has the object's own values, if the kind maps onto its fields. */
  find(policyKind: GroupKind, nodes: readonly PathNode[], from: string | undefined): EffectivePolicy | undefined {
    const end = nodes.at(-1);
    if (end === undefined) return undefined;
    const kind = this.#world.rulebook.kinds.find((one) => kindId(one.policyKind) === kindId(policyKind));
    const target = `${objectId(end)}` as EffectivePolicy["target"];
    const nothing: EffectivePolicy = { policyKind, target, path: nodes, spec: {}, sources: [] };
    // A world that does not know the policy kind has no policies of it.
    if (kind === undefined) return nodes.every((node) => this.#hasNode(node)) ? nothing : undefined;
    if (kind.definition.class === "Direct") return this.#hasNode(end) ? nothing : undefined;
    const same = this.#pathsTo(kind, objectId(end)).get(nodesKey(nodes)) ?? [];
    // Traffic of a namespace without policies or routes of its own counts as traffic from other namespaces.
    const found = same.find((path) => path.from === from) ?? same.find((path) => path.from === OTHERS);
    return found === undefined ? undefined : effectivePolicyAt(found, kind);
  }

  #pathsTo(kind: CompiledKind, end: ObjectId): ReadonlyMap<string, readonly Path[]> {
    const id = kindId(kind.policyKind);
    const key = `${id} ${end}`;
    const known = this.#paths.get(key);
    if (known !== undefined) return known;
    const finder = this.#finders.get(id) ?? new PathFinder(this.#world, kind);
    this.#finders.set(id, finder);
    const paths = new Map<string, Path[]>();
    finder.forEachPathTo({ id: end, ref: parseObjectId(end) }, (path) => {
      const nodes = keyOfPath(path);
      const alike = paths.get(nodes);
      if (alike === undefined) paths.set(nodes, [path]);
      else alike.push(path);
    });
    this.#paths.set(key, paths);
    return paths;
  }

  #hasNode(node: PathNode): boolean {
    const object = this.#world.objects.get(objectId(node));
    if (object === undefined) return isImplied(this.#world, node) || isVirtual(this.#world, node);
    if (node.sectionName === undefined) return true;
    const facts = this.#world.rulebook.factsOf(kindId(node));
    return facts !== undefined && sectionsOf(object, facts).some(({ name }) => name === node.sectionName);
  }
}

const keyOfPath = (path: Path): string =>
  nodesOf(path)
    .map(({ id, section }) => `${id}#${section?.name ?? ""}`)
    .join(">");
