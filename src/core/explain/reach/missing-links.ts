import { referrersOf, refusalsOf } from "../../effective/world/link-indexes.ts";
import type { World } from "../../effective/world/world.ts";
import { type ObjectId, type ObjectRef, objectId } from "../../model/refs.ts";
import type { LinkRefusal } from "../../topology/links.ts";
import type { MissingLink } from "./result.ts";

const MAX_LINKS = 10;

/** The refused references that keep paths from an object: its own references, and the references of other objects to it. */
export function missingLinks(world: World, id: ObjectId): readonly MissingLink[] {
  const links: MissingLink[] = [];
  const add = (object: ObjectId, isAbout: (refusal: LinkRefusal) => boolean): void => {
    for (const refusal of refusalsOf(world, object))
      if (isAbout(refusal)) links.push({ object, field: refusal.field, reason: refusal.reason });
  };
  add(id, ({ parent }) => parent !== undefined);
  if (links.length > 0) return links;
  add(id, ({ child }) => child !== undefined);
  const isSame = (ref: ObjectRef | undefined): boolean => ref !== undefined && objectId(ref) === id;
  for (const other of referrersOf(world, id)) {
    if (links.length < MAX_LINKS) add(other, ({ parent, child }) => isSame(parent) || isSame(child));
  }
  return links.slice(0, MAX_LINKS);
}
