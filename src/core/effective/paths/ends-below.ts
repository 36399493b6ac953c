import { kindId, type ObjectId } from "../../model/refs.ts";
import type { ChildUse, DownLink, UpLink } from "../../topology/links.ts";
import type { Section } from "../../topology/sections-of.ts";
import type { CompiledKind } from "../world/compiled-kind.ts";
import { referrersToParent } from "../world/link-indexes.ts";
import type { WithPolicies } from "../world/world.ts";
import { type NodeFinder, sectionsOfNode } from "./node-finder.ts";

/** True if the link from `id` to this parent is not followed. */
export function isUnfollowed({ unfollowed }: WithPolicies, id: ObjectId, parent: ObjectId): boolean {
  const own = unfollowed.get(id);
  return own !== undefined && (own.reason !== "Cycle" || own === unfollowed.get(parent));
}

/** The levels at which paths end, by kind. */
export type Ends = CompiledKind["ends"];

/** If a definition lists several levels as effective targets, paths end at the lowest one that exists. */
export class EndsBelow {
  readonly #world: WithPolicies;
  readonly #nodes: NodeFinder;

  constructor(world: WithPolicies, nodes: NodeFinder) {
    this.#world = world;
    this.#nodes = nodes;
  }

  /** True if an effective target is below a node, so that paths do not end at the node. `among`: those that count; undefined: all of the kind. */
  areThere(id: ObjectId, section?: Section, among?: Ends): boolean {
    const down = this.#world.childLinksOf(id)?.down ?? [];
    const isFrom = ({ sectionIndex }: ChildUse): boolean => section === undefined || sectionIndex === section.index;
    const reaches = ({ child, uses }: DownLink): boolean => {
      const own = uses.filter(isFrom);
      return own.length > 0 && this.#linkReachesEnd(id, child, { ports: portsOf(own), seen: new Set(), among });
    };
    return down.some(reaches) || this.#childReachesEnd(id, { ports: NO_PORTS, seen: new Set([id]), among }, section);
  }

  #reachesEnd(id: ObjectId, search: Search): boolean {
    const node = this.#nodes.find(id);
    if (node === undefined) return false;
    const { ports, seen, among } = search;
    const { isPassed, isRoot } = node.level;
    const end = among === undefined ? node.level.end : among.get(kindId(node.ref));
    // Paths begin at a root: none leads into it from above.
    if (!isPassed || isRoot) return false;
    const isEnd = (section: Section): boolean => end?.sections.has(section.section) === true && isUsed(section, ports);
    if (end !== undefined && (end.object || sectionsOfNode(node).some(isEnd))) return true;
    if (seen.has(id)) return false;
    seen.add(id);
    const down = this.#world.childLinksOf(id)?.down ?? [];
    return (
      down.some(({ child, uses }) => this.#linkReachesEnd(id, child, { ...search, ports: portsOf(uses) })) ||
      this.#childReachesEnd(id, search)
    );
  }

  #linkReachesEnd(parent: ObjectId, child: ObjectId, search: Search): boolean {
    return !isUnfollowed(this.#world, child, parent) && this.#reachesEnd(child, search);
  }

  #childReachesEnd(id: ObjectId, search: Search, section?: Section): boolean {
    for (const child of referrersToParent(this.#world, id)) {
      const isFollowed = (up: UpLink): boolean =>
        up.parent === id && !up.frontend && (section === undefined || up.section === section.name);
      const isBelow = this.#world.links.get(child)?.up.some(isFollowed);
      if (isBelow === true && this.#linkReachesEnd(id, child, { ...search, ports: NO_PORTS })) return true;
    }
    return false;
  }
}

interface Search {
  /** The ports of the object that are used; empty: the object as a whole. */
  readonly ports: readonly number[];
  readonly seen: Set<ObjectId>;
  readonly among: Ends | undefined;
}

const NO_PORTS: readonly number[] = [];

/** Empty: one of the uses names no port. */
const portsOf = (uses: readonly ChildUse[]): readonly number[] =>
  uses.some(({ ports }) => ports.length === 0) ? NO_PORTS : uses.flatMap(({ ports }) => ports);

/** A path to a Service leads only into the ports by which it was reached. */
export function isUsed({ section, raw }: Section, ports: readonly number[]): boolean {
  if (ports.length === 0 || section !== "Port") return true;
  const port = raw["port"];
  return typeof port !== "number" || ports.includes(port);
}
