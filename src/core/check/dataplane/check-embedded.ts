/** Findings about what the embedded gateway does not do, each at the object and field that configure it. */
import type { DataplaneConfig, ListenerConfig } from "../../dataplane/gateway-config.ts";
import type { World } from "../../effective/world/world.ts";
import { embeddedLimits } from "../../embedded/embedded-limits.ts";
import { findingCodes } from "../../model/finding-codes.ts";
import { kindId, objectId } from "../../model/refs.ts";
import { sectionsOf } from "../../topology/sections-of.ts";
import { type CheckFinding, findingAt } from "../check-finding.ts";
import { fieldOfRule } from "./field-of-rule.ts";

export function checkEmbedded(world: World, { gateways }: DataplaneConfig): readonly CheckFinding[] {
  const findings = new Map<string, CheckFinding>();
  for (const { code, listener, rule, message } of gateways.flatMap(embeddedLimits)) {
    const object = objectId(rule?.route ?? listener.owner);
    const field = rule === undefined ? fieldOf(world, listener) : `${fieldOfRule(world, rule)}.filters`;
    const { severity } = findingCodes[code];
    // A rule may be at several listeners.
    findings.set(
      `${object} ${code} ${field}`,
      findingAt(world.objects.get(object), { code, severity, object, field, message }),
    );
  }
  return [...findings.values()];
}

function fieldOf({ objects, rulebook }: World, { owner, name }: ListenerConfig): string {
  const object = objects.get(objectId(owner));
  const facts = rulebook.factsOf(kindId(owner));
  const sections = object === undefined || facts === undefined ? [] : sectionsOf(object, facts);
  const index = sections.find((section) => section.name === name)?.index;
  return index === undefined ? "spec.listeners" : `spec.listeners[${index}].protocol`;
}
