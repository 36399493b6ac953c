/** Values inside JSON data by a path of keys or by a JSON pointer. Own keys only: hostile input never reaches a prototype. */
import { isJsonObject, type Json, ownValue } from "./json.ts";

export function valueAtKeys(value: Json, keys: readonly string[]): Json | undefined {
  let found: Json | undefined = value;
  for (const key of keys) {
    if (!isJsonObject(found)) return undefined;
    found = ownValue(found, key);
  }
  return found;
}

/** The value at a JSON pointer (RFC 6901). Lists are one value here: no pointer leads into one. */
export function valueAtPointer(value: Json, pointer: string): Json | undefined {
  const tokens = pointer.split("/").slice(1);
  return valueAtKeys(
    value,
    tokens.map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~")),
  );
}
