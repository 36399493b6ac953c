import { isByPlaceholders } from "../../model/placeholder.ts";
import type { ObjectId } from "../../model/refs.ts";
import type { WithObjects } from "./world.ts";

/** True if an object is in the input and refused because of a mistake. With placeholders replaced, an object may be accepted. */
export function isRefusedByMistake({ refused }: Pick<WithObjects, "refused">, id: ObjectId): boolean {
  const found = refused.get(id);
  return found !== undefined && !isByPlaceholders(found.findings);
}
