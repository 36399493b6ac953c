import { isJsonList, isJsonObject, type Json, type JsonObject, setOwn } from "../json.ts";
import type { CompiledSchema } from "./schema.ts";

/**
 * A value with the schema's defaults filled in, as the API server does it: also in defaults, items and map values; a `null`
 * where none is allowed counts as absent. Returns the same object if nothing is missing. The input is not changed.
 */
export function fillDefaults(schema: CompiledSchema, value: Json): Json {
  if (isJsonList(value)) return schema.items === undefined ? value : fillList(schema.items, value);
  return isJsonObject(value) ? fillObject(schema, value) : value;
}

function fillList(item: CompiledSchema, list: readonly Json[]): readonly Json[] {
  const filled = list.map((value) => fillDefaults(item, value));
  return filled.every((value, i) => value === list[i]) ? list : filled;
}

function fillObject(schema: CompiledSchema, object: JsonObject): JsonObject {
  const result: { [key: string]: Json } = {};
  const values = schema.type === "map" ? schema.items : undefined;
  let isChanged = false;
  for (const key of Object.keys(object)) {
    const value = object[key] ?? null;
    const property = schema.properties.find((one) => one.key === key)?.schema;
    const own = property ?? values;
    // The API server drops a null that the schema does not allow before it fills in defaults.
    const isAbsent = value === null && property?.nullable === false;
    const filled = own === undefined || isAbsent ? value : fillDefaults(own, value);
    isChanged ||= isAbsent || filled !== value;
    if (!isAbsent) setOwn(result, key, filled);
  }
  for (const { key, schema: own } of schema.properties) {
    if (own.default === undefined || Object.hasOwn(result, key)) continue;
    setOwn(result, key, fillDefaults(own, own.default));
    isChanged = true;
  }
  return isChanged ? result : object;
}
