/** Findings about what the embedded gateway does not do, each at the object and field that configure it. */
import type { DataplaneConfig, ListenerConfig } from "../../dataplane/gateway-config.ts";
import type { World } from "../../effective/world/world.ts";
import { embeddedLimits } from "../../embedded/embedded-limits.ts";
import { findingCodes } from "../../model/finding-codes.ts";
import { kindId, objectId } from "../../model/refs.ts";
import { sectionsOf } from "../../topology/sections-of.ts";
import { type CheckFinding, findingAt } from "../check-finding.ts";

export const checkEmbedded = (world: World, { gateways }: DataplaneConfig): readonly CheckFinding[] =>
  gateways.flatMap(embeddedLimits).map(({ code, listener, message }) => {
    const object = objectId(listener.owner);
    const { severity } = findingCodes[code];
    return findingAt(world.objects.get(object), { code, severity, object, field: fieldOf(world, listener), message });
  });

function fieldOf({ objects, rulebook }: World, { owner, name }: ListenerConfig): string {
  const object = objects.get(objectId(owner));
  const facts = rulebook.factsOf(kindId(owner));
  const sections = object === undefined || facts === undefined ? [] : sectionsOf(object, facts);
  const index = sections.find((section) => section.name === name)?.index;
  return index === undefined ? "spec.listeners" : `spec.listeners[${index}].protocol`;
}
