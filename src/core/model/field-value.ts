import { isJsonList, isJsonObject, type Json, ownValue } from "./json.ts";

/** `spec.targetRefs[0].name`, the way findings name fields, as keys. `[…]` contains an index, or a key with dots in it, maybe in quotes. */
export const keysOfField = (field: string): readonly string[] =>
  [...field.matchAll(/\["?([^\]"]*)"?\]|([^.[\]]+)/g)].map(([, bracketed, key]) => bracketed ?? key ?? "");

/** The value of a field. Undefined: there is none. */
export function valueAtField(value: Json, field: string): Json | undefined {
  let found: Json | undefined = value;
  for (const key of keysOfField(field)) {
    if (isJsonList(found)) found = found[Number(key)];
    else if (isJsonObject(found)) found = ownValue(found, key);
    else return undefined;
  }
  return found;
}
