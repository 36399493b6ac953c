import type { Rejection } from "../attachment/resolved-targets.ts";
import { suggestName } from "../model/near-miss.ts";
import { nameLookup } from "./lookups.ts";
import type { World } from "./world.ts";

/** The message for people; where nothing of that name exists, with the name they may have meant. */
export function shownRejection(world: Pick<World, "objects">, { message, missing }: Rejection): string {
  if (missing === undefined) return message;
  return `${message}${suggestName(nameLookup(world.objects), missing.kind, missing.namespace, missing.name)}`;
}
