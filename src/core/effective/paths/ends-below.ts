import type { ObjectId } from "../../model/refs.ts";
import type { ChildUse, DownLink, UpLink } from "../../topology/links.ts";
import type { Section } from "../../topology/sections-of.ts";
import { referrersToParent } from "../world/link-indexes.ts";
import type { WithPolicies } from "../world/world.ts";
import { type NodeFinder, sectionsOfNode } from "./node-finder.ts";

/** True if the link from `id` to this parent is not followed. */
export function isUnfollowed({ unfollowed }: WithPolicies, id: ObjectId, parent: ObjectId): boolean {
  const own = unfollowed.get(id);
  return own !== undefined && (own.reason !== "Cycle" || own === unfollowed.get(parent));
}

/** If a definition lists several levels as effective targets, paths end at the lowest one that exists. */
export class EndsBelow {
  readonly #world: WithPolicies;
  readonly #nodes: NodeFinder;

  constructor(world: WithPolicies, nodes: NodeFinder) {
    this.#world = world;
    this.#nodes = nodes;
  }

  /** True if an effective target is below a node, so that paths do not end at the node. */
  areThere(id: ObjectId, section?: Section): boolean {
    const down = this.#world.childLinksOf(id)?.down ?? [];
    const isFrom = ({ sectionIndex }: ChildUse): boolean => section === undefined || sectionIndex === section.index;
    const reaches = ({ child, uses }: DownLink): boolean => {
      const own = uses.filter(isFrom);
      return own.length > 0 && this.#linkReachesEnd(id, child, portsOf(own), new Set());
    };
    return down.some(reaches) || this.#childReachesEnd(id, new Set([id]), section);
  }

  /** `ports`: the ports of the object that are used; empty: the object as a whole. */
  #reachesEnd(id: ObjectId, ports: readonly number[], seen: Set<ObjectId>): boolean {
    const node = this.#nodes.find(id);
    if (node === undefined) return false;
    const { isPassed, isRoot, end } = node.level;
    // Paths begin at a root: none leads into it from above.
    if (!isPassed || isRoot) return false;
    const isEnd = (section: Section): boolean => end?.sections.has(section.section) === true && isUsed(section, ports);
    if (end !== undefined && (end.object || sectionsOfNode(node).some(isEnd))) return true;
    if (seen.has(id)) return false;
    seen.add(id);
    const down = this.#world.childLinksOf(id)?.down ?? [];
    return (
      down.some(({ child, uses }) => this.#linkReachesEnd(id, child, portsOf(uses), seen)) ||
      this.#childReachesEnd(id, seen)
    );
  }

  #linkReachesEnd(parent: ObjectId, child: ObjectId, ports: readonly number[], seen: Set<ObjectId>): boolean {
    return !isUnfollowed(this.#world, child, parent) && this.#reachesEnd(child, ports, seen);
  }

  #childReachesEnd(id: ObjectId, seen: Set<ObjectId>, section?: Section): boolean {
    for (const child of referrersToParent(this.#world, id)) {
      const isFollowed = (up: UpLink): boolean =>
        up.parent === id && !up.frontend && (section === undefined || up.section === section.name);
      const isBelow = this.#world.links.get(child)?.up.some(isFollowed);
      if (isBelow === true && this.#linkReachesEnd(id, child, NO_PORTS, seen)) return true;
    }
    return false;
  }
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
