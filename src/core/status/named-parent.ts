import type { World } from "../effective/world/world.ts";
import { type JsonObject, ownValue } from "../model/json.ts";
import { GATEWAY_API } from "../model/kinds.ts";
import type { ObjectRef } from "../model/refs.ts";

/** Gateway API, ParentReference: the API server fills these in, in the spec of a route and in its status. */
export const withParentDefaults = (parentRef: JsonObject): JsonObject => ({
  group: GATEWAY_API,
  kind: "Gateway",
  ...parentRef,
});

/** The object that a parentRef names, with Gateway API's defaults: a Gateway in the namespace of the child. Undefined: the kind is not known. */
export function namedParent(
  { rulebook }: Pick<World, "rulebook">,
  child: ObjectRef,
  parentRef: JsonObject,
): ObjectRef | undefined {
  const text = (key: string, byDefault: string): string => {
    const value = ownValue(parentRef, key);
    return typeof value === "string" && value !== "" ? value : byDefault;
  };
  const group = ownValue(parentRef, "group");
  const facts = rulebook.findKind(typeof group === "string" ? group : GATEWAY_API, text("kind", "Gateway"));
  if (facts === undefined) return undefined;
  return {
    group: facts.group,
    kind: facts.kind,
    namespace: text("namespace", child.namespace),
    name: text("name", ""),
  };
}
