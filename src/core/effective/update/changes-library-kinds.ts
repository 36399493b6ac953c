import type { DefinitionLibrary } from "../../model/definition.ts";
import { type KindId, kindId } from "../../model/refs.ts";
import type { World } from "../world/world.ts";
import type { ObjectChange } from "./object-changes.ts";

/** True if a change adds the first object of a kind of the library, or takes away the last one: then other definitions are used. */
export function changesLibraryKinds(
  library: DefinitionLibrary | undefined,
  world: Pick<World, "objects">,
  changes: readonly ObjectChange[],
): boolean {
  if (library === undefined) return false;
  const counts = new Map<KindId, number>();
  for (const { ref, isPresence } of changes) {
    if (!isPresence || library.find(ref) === undefined) continue;
    const kind = kindId(ref);
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return [...counts].some(([kind, count]) => world.objects.ofKind(kind).length <= count);
}
