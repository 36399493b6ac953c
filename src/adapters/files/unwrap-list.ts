import { isJsonList, isJsonObject, type Json, type JsonObject, ownValue, setOwn } from "../../core/model/json.ts";

/** The items of `kind: List` or any other list kind (`HTTPRouteList`); undefined for what is no list. */
export function unwrapList(value: Json): readonly Json[] | undefined {
  if (!isJsonObject(value)) return undefined;
  const kind = ownValue(value, "kind");
  const items = ownValue(value, "items");
  if (typeof kind !== "string" || !kind.endsWith("List") || !isJsonList(items)) return undefined;
  const itemKind = kind.slice(0, -"List".length);
  const apiVersion = ownValue(value, "apiVersion");
  if (itemKind === "" || typeof apiVersion !== "string") return items;
  return items.map((item) => (isJsonObject(item) ? withTypeOf(item, apiVersion, itemKind) : item));
}

/** The API server leaves out the type of a typed list's items; it follows from the kind of the list (as in apimachinery). */
function withTypeOf(item: JsonObject, apiVersion: string, kind: string): JsonObject {
  if (Object.hasOwn(item, "kind") || Object.hasOwn(item, "apiVersion")) return item;
  const typed: { [key: string]: Json } = { apiVersion, kind };
  for (const [key, value] of Object.entries(item)) setOwn(typed, key, value);
  return typed;
}
