import type { World } from "../effective/world/world.ts";
import type { EndpointOptions } from "./compile/endpoints-of.ts";
import { type Dataplane, emptyParts } from "./dataplane.ts";
import { advanceDataplane } from "./update/advance-dataplane.ts";
import { everythingDirty } from "./update/dirty-parts.ts";

/** Compiles the configuration of every Gateway of an evaluation. Equal input gives equal output. */
export function compileDataplane(world: World, options: EndpointOptions): Dataplane {
  const parts = emptyParts(options);
  return advanceDataplane(undefined, parts, world, everythingDirty(world, parts)).dataplane;
}
