import type { PathNode } from "../../effective/paths/path-node.ts";
import type { World } from "../../effective/world/world.ts";
import { ownValue } from "../../model/json.ts";
import { GATEWAY, GATEWAY_API, SERVICE } from "../../model/kinds.ts";
import { kindId, type ObjectRef, objectId } from "../../model/refs.ts";
import type { TrafficCounts } from "../../retry/retry-counts.ts";
import { sectionsOf } from "../../topology/sections-of.ts";

/**
 * The counts of the requests through an object, or a section of one: a Gateway, a route, a rule, a backend, a port of a backend. Undefined:
 * requests are not counted by objects of this kind. Listeners are such objects: all listeners of a Gateway are counted together.
 */
export function trafficThrough(
  world: World,
  target: PathNode,
  counts: readonly TrafficCounts[],
): readonly TrafficCounts[] | undefined {
  const { group, kind, sectionName } = target;
  const isTarget = (ref: ObjectRef): boolean => objectId(ref) === objectId(target);
  if (kindId(target) === GATEWAY)
    return sectionName === undefined ? counts.filter(({ gateway }) => isTarget(gateway)) : undefined;
  if (group === GATEWAY_API && (kind === "HTTPRoute" || kind === "GRPCRoute")) {
    return counts.filter(({ route, rule }) => isTarget(route) && (sectionName === undefined || rule === sectionName));
  }
  if (kindId(target) !== SERVICE) return undefined;
  if (sectionName === undefined) return counts.filter(({ backend }) => isTarget(backend));
  const port = portOf(world, target, sectionName);
  return port === undefined ? undefined : counts.filter((one) => isTarget(one.backend) && one.port === port);
}

function portOf(world: World, target: PathNode, sectionName: string): number | undefined {
  const object = world.objects.get(objectId(target));
  const facts = object === undefined ? undefined : world.rulebook.factsOf(object.family.kindId);
  if (object === undefined || facts === undefined) return undefined;
  const section = sectionsOf(object, facts).find(({ name }) => name === sectionName);
  const port = section === undefined ? undefined : ownValue(section.raw, "port");
  return typeof port === "number" ? port : undefined;
}
