import type { PolicyDefinition } from "../../model/definition.ts";
import { type ObjectId, parseObjectId } from "../../model/refs.ts";
import type { ChildUse } from "../../topology/links.ts";
import { sectionsOf } from "../../topology/sections-of.ts";
import { foreignController, isGateway, unknownClassOf } from "../world/gateway-controllers.ts";
import { referrersToChild } from "../world/link-indexes.ts";
import type { WithLinks } from "../world/world.ts";

/** An object, or one of its sections. */
interface Below {
  readonly object: ObjectId;
  readonly sectionName?: string;
}

/**
 * The Gateways above an object
 *
 * The Gateways (mesh: parent Services) that a route to the object is attached to, in order. For a port only routes that use that port
 * count. A Gateway is above itself.
 * Gateway API, "PolicyAncestorStatus"
 */
export function gatewaysAbove(world: WithLinks, below: Below): readonly ObjectId[] {
  const found = new Set<ObjectId>();
  for (const id of objectsAbove(world, below)) {
    for (const { parent, frontend } of world.links.get(id)?.up ?? []) {
      if (frontend) found.add(parent);
      else if (parseObjectId(parent).namespace === "") found.add(id);
    }
  }
  return [...found].sort();
}

/**
 * A Direct policy behind Gateways of other controllers
 *
 * A policy of a Direct kind takes effect on an object if a controller that carries the kind out serves it: behind one of its Gateways, for the
 * requests of a mesh, or if no Gateway leads to the object. `Other`: every Gateway belongs to another controller. `Unknown`: no Gateway is
 * known to belong to a listed controller, and one may.
 * Gateway API, "GatewayClass"
 */
export function carrierOf(
  world: WithLinks,
  definition: Pick<PolicyDefinition, "controllers">,
  below: Below,
): "Listed" | "Other" | "Unknown" {
  if (definition.controllers.length === 0) return "Listed";
  const found = new Set<"Other" | "Unknown">();
  for (const id of objectsAbove(world, below)) {
    const { up = [], absentParents = [] } = world.links.get(id) ?? {};
    if (up.some(({ frontend }) => frontend)) return "Listed";
    if (absentParents.length > 0) found.add("Unknown");
    if (!isGateway(parseObjectId(id))) continue;
    const raw = world.objects.get(id)?.raw;
    if (foreignController(world, definition, raw) !== undefined) found.add("Other");
    else if (unknownClassOf(world, definition, raw) !== undefined) found.add("Unknown");
    else return "Listed";
  }
  return found.has("Unknown") ? "Unknown" : found.has("Other") ? "Other" : "Listed";
}

/** The object itself and every object above it: routes that use it, their listeners' owners, classes. For a port only routes that use that port count. */
export function objectsAbove(world: WithLinks, below: Below): ReadonlySet<ObjectId> {
  // The loop also visits the objects that it adds.
  const above = new Set<ObjectId>([below.object]);
  for (const id of above) {
    for (const user of usersOf(world, id, id === below.object ? portsOf(world, below) : undefined)) above.add(user);
    for (const { parent } of world.links.get(id)?.up ?? []) above.add(parent);
  }
  return above;
}

/** The objects that name an object as their child, in use of one of the ports; `ports` undefined: in any use. */
function usersOf(world: WithLinks, id: ObjectId, ports: readonly number[] | undefined): readonly ObjectId[] {
  const isUsed = (use: ChildUse): boolean =>
    ports === undefined || use.ports.length === 0 || use.ports.some((port) => ports.includes(port));
  const users: ObjectId[] = [];
  for (const user of referrersToChild(world, id)) {
    const link = world.childLinksOf(user)?.down.find(({ child }) => child === id);
    if (link?.uses.some(isUsed)) users.push(user);
  }
  return users;
}

/** The number of the port that is named. Undefined: the whole object. */
function portsOf({ objects, rulebook }: WithLinks, { object: id, sectionName }: Below): readonly number[] | undefined {
  const object = sectionName === undefined ? undefined : objects.get(id);
  const facts = object === undefined ? undefined : rulebook.factsOf(object.family.kindId);
  if (object === undefined || facts === undefined) return undefined;
  const port = sectionsOf(object, facts).find(({ name }) => name === sectionName)?.raw["port"];
  return typeof port === "number" ? [port] : undefined;
}
