import type { Rejection } from "../../attachment/resolved-targets.ts";
import { suggestName } from "../../model/words/near-miss.ts";
import type { World } from "../world/world.ts";

/** The message of a rejection. For a name that does not exist it ends with the name that was probably meant. */
export function formatRejection({ names }: Pick<World, "names">, { message, missing }: Rejection): string {
  if (missing === undefined) return message;
  return `${message}${suggestName(names, missing.kind, missing.namespace, missing.name)}`;
}
