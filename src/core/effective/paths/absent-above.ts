import type { ObjectRef } from "../../model/refs.ts";
import type { CompiledKind } from "../world/compiled-kind.ts";
import { isGateway, unknownClassOf } from "../world/gateway-controllers.ts";
import type { WithPolicies } from "../world/world.ts";
import { nodesOf, type Path } from "./path.ts";

/** The objects above an incomplete path that the snapshot does not have: parents, and the GatewayClass that names the controller of a Gateway. */
export function absentAbove(world: WithPolicies, { definition }: CompiledKind, path: Path): readonly ObjectRef[] {
  return nodesOf(path).flatMap(({ id, ref, raw, section }) => {
    if (section !== undefined) return [];
    const unknownClass = isGateway(ref) ? unknownClassOf(world, definition, raw) : undefined;
    return [...(world.links.get(id)?.absentParents ?? []), ...(unknownClass === undefined ? [] : [unknownClass])];
  });
}
