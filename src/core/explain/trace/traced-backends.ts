import type { RuleRefusal } from "../../dataplane/compile/compile-route.ts";
import { refusalsOf } from "../../effective/world/link-indexes.ts";
import type { World } from "../../effective/world/world.ts";
import { isJsonList, isJsonObject, type JsonObject } from "../../model/json.ts";
import type { KubeObject } from "../../model/kube-object.ts";
import { type ObjectId, parseObjectId } from "../../model/refs.ts";
import type { Section } from "../../topology/sections-of.ts";
import type { TracedBackend } from "./result.ts";

const NOTHING: JsonObject = {};

/** The backends of a rule in the order of the rule, each with the reason if its reference is refused. */
export function tracedBackends(
  world: World,
  route: KubeObject,
  { raw, index }: Section,
  refusals: readonly RuleRefusal[],
): readonly TracedBackend[] {
  const refs = raw["backendRefs"];
  const unlinkedRefs = refusalsOf(world, route.id);
  return (isJsonList(refs) ? refs : []).map((ref, at) => {
    const field = `spec.rules[${index}].backendRefs[${at}]`;
    const { name, weight, port } = isJsonObject(ref) ? ref : NOTHING;
    const isAt = (one: { readonly field: string }): boolean => one.field === field || one.field.startsWith(`${field}.`);
    const unlinked = unlinkedRefs.find(isAt)?.reason;
    const refusal = unlinked ?? refusals.find(isAt)?.reason;
    return {
      field,
      name: typeof name === "string" ? name : "?",
      weight: typeof weight === "number" ? weight : 1,
      port: typeof port === "number" ? port : undefined,
      object: unlinked === undefined ? childNamed(world, route, isJsonObject(ref) ? ref : NOTHING) : undefined,
      refusal,
    };
  });
}

/** The object that the reference is linked to. */
function childNamed(world: World, route: KubeObject, ref: JsonObject): ObjectId | undefined {
  const { name, namespace = route.ref.namespace } = ref;
  return world.childLinksOf(route.id)?.down.find(({ child }) => {
    const found = parseObjectId(child);
    return found.name === name && found.namespace === namespace;
  })?.child;
}
