import type { ObjectId } from "../../model/refs.ts";
import type { ChildLinks, DownLink, UpLink } from "../../topology/links.ts";
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
    const isFrom = ({ uses }: DownLink): boolean =>
      section === undefined || uses.some(({ sectionIndex }) => sectionIndex === section.index);
    if (down.some((link) => isFrom(link) && this.#linkReachesEnd(id, link.child, new Set()))) return true;
    return this.#childReachesEnd(id, new Set([id]), section);
  }

  #reachesEnd(id: ObjectId, seen: Set<ObjectId>): boolean {
    if (seen.has(id)) return false;
    seen.add(id);
    const node = this.#nodes.find(id);
    if (node === undefined) return false;
    const { isPassed, isRoot, end } = node.level;
    // Paths begin at a root: none leads into it from above.
    if (!isPassed || isRoot) return false;
    if (end !== undefined && (end.object || sectionsOfNode(node).some(({ section }) => end.sections.has(section))))
      return true;
    const links: ChildLinks | undefined = this.#world.childLinksOf(id);
    return (
      links?.down.some(({ child }) => this.#linkReachesEnd(id, child, seen)) === true || this.#childReachesEnd(id, seen)
    );
  }

  #linkReachesEnd(parent: ObjectId, child: ObjectId, seen: Set<ObjectId>): boolean {
    return !isUnfollowed(this.#world, child, parent) && this.#reachesEnd(child, seen);
  }

  #childReachesEnd(id: ObjectId, seen: Set<ObjectId>, section?: Section): boolean {
    for (const child of referrersToParent(this.#world, id)) {
      const isFollowed = (up: UpLink): boolean =>
        up.parent === id && !up.frontend && (section === undefined || up.section === section.name);
      const isBelow = this.#world.links.get(child)?.up.some(isFollowed);
      if (isBelow === true && this.#linkReachesEnd(id, child, seen)) return true;
    }
    return false;
  }
}
