import type { World } from "../effective/world/world.ts";
import { forEachId } from "../model/collections/id-set.ts";
import { type ObjectId, type ObjectRef, objectId } from "../model/refs.ts";
import type { LinkRefusal } from "../topology/links.ts";
import type { Gap } from "./reach.ts";

const SHOWN = 10;

/** Why no path leads through an object: what it asks for in vain above it, and who asks in vain to hang below it. */
export function reachGaps(world: World, id: ObjectId): readonly Gap[] {
  const gaps: Gap[] = [];
  const add = (object: ObjectId, isAbout: (refusal: LinkRefusal) => boolean): void => {
    for (const refusal of world.links.get(object)?.refusals ?? [])
      if (isAbout(refusal)) gaps.push({ object, field: refusal.field, reason: refusal.reason });
  };
  add(id, ({ parent }) => parent !== undefined);
  if (gaps.length > 0) return gaps;
  add(id, ({ child }) => child !== undefined);
  const isIt = (ref: ObjectRef | undefined): boolean => ref !== undefined && objectId(ref) === id;
  forEachId(world.mentionedBy.get(id), (other) => {
    if (gaps.length < SHOWN) add(other, ({ parent, child }) => isIt(parent) || isIt(child));
  });
  return gaps.slice(0, SHOWN);
}
