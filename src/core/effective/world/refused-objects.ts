import { isCompleteFor } from "../../model/completeness.ts";
import { GATEWAY_API } from "../../model/kinds.ts";
import { isByPlaceholders } from "../../model/placeholder.ts";
import { type ObjectId, type ObjectRef, objectId } from "../../model/refs.ts";
import type { WithObjects } from "./world.ts";

/** True if an object is in the input and refused because of a mistake. With placeholders replaced, an object may be accepted. */
export function isRefusedByMistake({ refused }: Pick<WithObjects, "refused">, id: ObjectId): boolean {
  const found = refused.get(id);
  return found !== undefined && !isByPlaceholders(found.findings);
}

/**
 * A ReferenceGrant may be elsewhere
 *
 * The owner of a namespace permits references to its objects with a ReferenceGrant. Where neither the object nor a grant is in the input, and
 * the input may be a part of the world, it is not known whether the reference is permitted.
 * Gateway API, "ReferenceGrant"
 */
export function mayBeGrantedElsewhere(
  { objects, refused, deleted, completeness }: Pick<WithObjects, "objects" | "refused" | "deleted" | "completeness">,
  target: ObjectRef,
): boolean {
  const id = objectId(target);
  if (objects.get(id) !== undefined || refused.has(id) || deleted.size > 0) return false;
  return !isCompleteFor(completeness, { group: GATEWAY_API, kind: "ReferenceGrant" }, target.namespace);
}
