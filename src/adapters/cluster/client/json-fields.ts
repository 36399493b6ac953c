/** Reads fields of API objects whose shape is not guaranteed. */
import { isJsonObject, type Json, type JsonObject, ownValue } from "../../../core/model/json.ts";

/** The text at a key; empty if there is none. */
export function textAt(object: Json | undefined, key: string): string {
  const value = isJsonObject(object) ? ownValue(object, key) : undefined;
  return typeof value === "string" ? value : "";
}

/** The texts in a list. */
export const textsIn = (list: Json | undefined): readonly string[] =>
  Array.isArray(list) ? list.filter((item) => typeof item === "string") : [];

/** The object at a key; an empty one if there is none. */
export function objectAt(object: Json | undefined, key: string): JsonObject {
  const value = isJsonObject(object) ? ownValue(object, key) : undefined;
  return isJsonObject(value) ? value : {};
}
