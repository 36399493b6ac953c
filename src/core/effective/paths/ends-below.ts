import { forEachId } from "../../model/collections/id-set.ts";
import type { ObjectId } from "../../model/refs.ts";
import type { DownLink, ObjectLinks, UpLink } from "../../topology/links.ts";
import type { Section } from "../../topology/sections-of.ts";
import type { World } from "../world/world.ts";
import { type NodeFinder, sectionsOfNode } from "./node-finder.ts";

/** Whether the link up from `id` is one that is not followed. */
export function isTangled({ tangles }: World, id: ObjectId, parent: ObjectId): boolean {
  const tangle = tangles.get(id);
  return tangle !== undefined && (tangle.reason !== "Cycle" || tangle === tangles.get(parent));
}

/** Where a definition lists several levels as effective targets, paths end at the lowest that is there. */
export class EndsBelow {
  readonly #world: World;
  readonly #nodes: NodeFinder;

  constructor(world: World, nodes: NodeFinder) {
    this.#world = world;
    this.#nodes = nodes;
  }

  /** Whether some effective target lies below a node, so that paths do not end at it. */
  areThere(id: ObjectId, section?: Section): boolean {
    const down = this.#world.links.get(id)?.down ?? [];
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
    const { isPassed, end } = node.place;
    if (!isPassed) return false;
    if (end !== undefined && (end.object || sectionsOfNode(node).some(({ section }) => end.sections.has(section))))
      return true;
    const links: ObjectLinks | undefined = this.#world.links.get(id);
    return (
      links?.down.some(({ child }) => this.#linkReachesEnd(id, child, seen)) === true || this.#childReachesEnd(id, seen)
    );
  }

  #linkReachesEnd(parent: ObjectId, child: ObjectId, seen: Set<ObjectId>): boolean {
    return !isTangled(this.#world, child, parent) && this.#reachesEnd(child, seen);
  }

  #childReachesEnd(id: ObjectId, seen: Set<ObjectId>, section?: Section): boolean {
    let reaches = false;
    forEachId(this.#world.mentionedBy.get(id), (child) => {
      if (reaches) return;
      const hangs = (up: UpLink): boolean =>
        up.parent === id && !up.frontend && (section === undefined || up.section === section.name);
      const isBelow = this.#world.parents.get(child)?.up.some(hangs);
      reaches = isBelow === true && this.#linkReachesEnd(id, child, seen);
    });
    return reaches;
  }
}
