import type { World } from "../effective/world/world.ts";
import { advanceDataplane } from "./advance-dataplane.ts";
import { type Dataplane, emptyParts } from "./dataplane.ts";
import { everythingDirty } from "./dirty-parts.ts";
import type { EndpointOptions } from "./endpoints-of.ts";

/** What every Gateway of an evaluation must do. Equal input gives equal output. */
export function compileDataplane(world: World, options: EndpointOptions): Dataplane {
  const parts = emptyParts(options);
  return advanceDataplane(undefined, parts, world, everythingDirty(world, parts)).dataplane;
}
