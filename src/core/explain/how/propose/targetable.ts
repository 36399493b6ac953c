/** The nodes that a policy may target, and the namespaces from which it may. */
import { usableKinds } from "../../../attachment/target-kinds.ts";
import type { PathNode } from "../../../effective/paths/path-node.ts";
import type { CompiledKind } from "../../../effective/world/compiled-kind.ts";
import type { World } from "../../../effective/world/world.ts";
import type { PolicyKind } from "../../../model/definition.ts";
import type { JsonObject } from "../../../model/json.ts";
import { sameKind } from "../../../model/levels.ts";
import { isNamespace, kindId, objectId } from "../../../model/refs.ts";
import { type Section, sectionsOf } from "../../../topology/sections-of.ts";

/** The section that a node is, as its object has it. */
export function sectionOf({ objects, rulebook }: World, node: PathNode): Section | undefined {
  const object = objects.get(objectId(node));
  const facts = rulebook.factsOf(kindId(node));
  if (object === undefined || facts === undefined || node.sectionName === undefined) return undefined;
  return sectionsOf(object, facts).find(({ name }) => name === node.sectionName);
}

/** The namespace that a policy of kind `own` must be in to target the node; empty: none. Undefined: it cannot target the node. */
export function policyNamespace(
  world: World,
  { definition }: CompiledKind,
  own: PolicyKind,
  node: PathNode,
): string | undefined {
  const { targeting } = definition;
  const allowed = usableKinds(definition, own).find((kind) => sameKind(kind, node));
  if (allowed === undefined) return undefined;
  if (node.sectionName !== undefined) {
    const section = sectionOf(world, node);
    if (section === undefined || !allowed.sections.includes(section.section)) return undefined;
    const isByIndex = section.section === "Rule" && targeting.positionalRules;
    if (!section.declared && !isByIndex) return undefined;
  }
  const isClusterScoped = !allowed.virtual && world.rulebook.factsOf(kindId(node))?.scope === "Cluster";
  if (own.scope === "Cluster") return isClusterScoped || targeting.crossNamespace === "ReferenceGrant" ? "" : undefined;
  if (!isClusterScoped) return node.namespace;
  return isNamespace(node) ? node.name : undefined;
}

/** A reference to the node, in a policy of that namespace. */
export const refTo = ({ group, kind, namespace, name, sectionName }: PathNode, from: string): JsonObject => ({
  group,
  kind,
  ...(namespace === "" || namespace === from ? {} : { namespace }),
  name,
  ...(sectionName === undefined ? {} : { sectionName }),
});
