import { referrersToChild } from "../../effective/world/link-indexes.ts";
import type { WithLinks } from "../../effective/world/world.ts";
import { NAMESPACE } from "../../model/kinds.ts";
import { kindId, type ObjectId, objectId, parseObjectId } from "../../model/refs.ts";
import { sectionsOf } from "../../topology/sections-of.ts";
import type { CoverageParent } from "./coverage-rule.ts";

/** True if an object is below one of the parents. For Direct kinds, whose policies have no paths through parents. */
export function isBelowAny(world: WithLinks, id: ObjectId, under: readonly CoverageParent[]): boolean {
  if (under.length === 0) return true;
  const seen = new Set<ObjectId>([id]);
  const isMeant = (object: ObjectId, section: string | undefined): boolean =>
    under.some(
      ({ ref, sectionName }) => objectId(ref) === object && (sectionName === undefined || sectionName === section),
    );
  for (const object of seen) {
    const { namespace } = parseObjectId(object);
    const isInNamespace = under.some(({ ref }) => kindId(ref) === NAMESPACE && ref.name === namespace);
    if (isInNamespace || isMeant(object, undefined)) return true;
    for (const { parent, section } of parentsOf(world, object)) {
      if (isMeant(parent, section)) return true;
      seen.add(parent);
    }
  }
  return false;
}

interface Parent {
  readonly parent: ObjectId;
  readonly section: string | undefined;
}

/** The objects that the object names as its parents, and the objects that name it as their child. */
function parentsOf(world: WithLinks, id: ObjectId): readonly Parent[] {
  const parents = (world.links.get(id)?.up ?? []).map(({ parent, section }): Parent => ({ parent, section }));
  for (const other of referrersToChild(world, id)) {
    const uses = world.childLinksOf(other)?.down.find(({ child }) => child === id)?.uses ?? [];
    for (const { sectionIndex } of uses)
      parents.push({ parent: other, section: sectionName(world, other, sectionIndex) });
  }
  return parents;
}

function sectionName(world: WithLinks, id: ObjectId, index: number): string | undefined {
  const object = world.objects.get(id);
  const facts = object === undefined ? undefined : world.rulebook.factsOf(object.family.kindId);
  return object === undefined || facts === undefined ? undefined : sectionsOf(object, facts)[index]?.name;
}
