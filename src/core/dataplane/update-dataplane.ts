/** The configuration after a change: what the change did not touch is the same object as before. */
import type { Delta, Touched } from "../effective/update/delta.ts";
import type { World } from "../effective/world/world.ts";
import type { Dataplane } from "./dataplane.ts";
import { advanceDataplane, type UpdatedDataplane } from "./update/advance-dataplane.ts";
import { dirtyParts, everythingDirty } from "./update/dirty-parts.ts";

/** The result of `apply` that is used here. `touched` undefined: the rules themselves changed, so everything is looked at again. */
export interface WorldChange {
  readonly delta: Delta;
  readonly touched: Touched | undefined;
}

/** Equal to a compilation from scratch. `world`: as it is now, and `before` was compiled from it as it was. */
export function updateDataplane(before: Dataplane, world: World, { delta, touched }: WorldChange): UpdatedDataplane {
  const { parts } = before;
  const dirty = touched === undefined ? everythingDirty(world, parts) : dirtyParts(world, parts, delta, touched);
  return advanceDataplane(before, parts, world, dirty);
}
