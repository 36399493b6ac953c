import type { RuleConfig } from "../../dataplane/gateway-config.ts";
import type { World } from "../../effective/world/world.ts";
import { kindId, objectId } from "../../model/refs.ts";
import { sectionsOf } from "../../topology/sections-of.ts";

/** `spec.rules[0]`. */
export function fieldOfRule(world: World, { route, rule }: RuleConfig): string {
  const object = world.objects.get(objectId(route));
  const facts = world.rulebook.factsOf(kindId(route));
  const sections = object === undefined || facts === undefined ? [] : sectionsOf(object, facts);
  const index = sections.find(({ name }) => name === rule)?.index;
  return index === undefined ? "spec.rules" : `spec.rules[${index}]`;
}
