/** Copies of plain objects with one value changed. The given object stays as it is. */
import { isJsonList, isJsonObject, type Json, type JsonObject, ownValue, setOwn } from "../../model/json.ts";

/** The object with a value at the keys. What is in the way is replaced; an index leads into a list that exists. */
export function withValue(object: JsonObject, keys: readonly string[], value: Json): JsonObject {
  const [key, ...rest] = keys;
  if (key === undefined) return object;
  const old = ownValue(object, key);
  return withKey(object, key, rest.length === 0 ? value : valueInside(old, rest, value));
}

function valueInside(old: Json | undefined, keys: readonly string[], value: Json): Json {
  const [key = "", ...rest] = keys;
  if (!isJsonList(old)) return withValue(isJsonObject(old) ? old : {}, keys, value);
  return old.map((item, index) =>
    String(index) !== key ? item : rest.length === 0 ? value : valueInside(item, rest, value),
  );
}

/** The object without the value at the keys, and without the maps that are empty then. */
export function withoutValue(object: JsonObject, keys: readonly string[]): JsonObject {
  const [key, ...rest] = keys;
  if (key === undefined || !Object.hasOwn(object, key)) return object;
  const old = ownValue(object, key);
  if (rest.length === 0) return withoutKey(object, key);
  if (isJsonList(old)) return withKey(object, key, listWithout(old, rest));
  if (!isJsonObject(old)) return object;
  const inner = withoutValue(old, rest);
  return inner !== old && Object.keys(inner).length === 0 ? withoutKey(object, key) : withKey(object, key, inner);
}

/** Items of lists stay, also empty ones: a rule of a route does not go with its last field. */
function listWithout(list: readonly Json[], [at, ...rest]: readonly string[]): readonly Json[] {
  return list.map((item, index) => {
    if (String(index) !== at || rest.length === 0) return item;
    return isJsonObject(item) ? withoutValue(item, rest) : isJsonList(item) ? listWithout(item, rest) : item;
  });
}

/** Keeps the order of keys; a new key comes last. */
function withKey(object: JsonObject, key: string, value: Json): JsonObject {
  const copy: { [key: string]: Json } = {};
  for (const [name, own] of Object.entries(object)) setOwn(copy, name, name === key ? value : own);
  if (!Object.hasOwn(object, key)) setOwn(copy, key, value);
  return copy;
}

function withoutKey(object: JsonObject, key: string): JsonObject {
  const copy: { [key: string]: Json } = {};
  for (const [name, own] of Object.entries(object)) if (name !== key) setOwn(copy, name, own);
  return copy;
}

/** The object with one key spelled in another way, in the same position. */
export function withKeyRenamed(object: JsonObject, key: string, name: string): JsonObject {
  const copy: { [key: string]: Json } = {};
  for (const [own, value] of Object.entries(object)) setOwn(copy, own === key ? name : own, value);
  return copy;
}
