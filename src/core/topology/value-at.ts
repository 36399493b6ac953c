import { isJsonObject, type Json, ownValue } from "../model/json.ts";

/** The value at a path of keys; own keys only. */
export function valueAt(value: Json, keys: readonly string[]): Json | undefined {
  let found: Json | undefined = value;
  for (const key of keys) {
    if (!isJsonObject(found)) return undefined;
    found = ownValue(found, key);
  }
  return found;
}
