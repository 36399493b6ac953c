/** Readers for a document that was checked by its schema: a field has the right type or is absent. */
import { isJsonList, isJsonObject, type Json, type JsonObject, ownValue } from "../json.ts";

export const list = (object: JsonObject, key: string): readonly Json[] => {
  const value = ownValue(object, key);
  return isJsonList(value) ? value : [];
};
export const objects = (object: JsonObject, key: string): readonly JsonObject[] =>
  list(object, key).filter(isJsonObject);
export const texts = (object: JsonObject, key: string): readonly string[] =>
  list(object, key).filter((item) => typeof item === "string");
export const text = (object: JsonObject, key: string, byDefault: string): string => {
  const value = ownValue(object, key);
  return typeof value === "string" ? value : byDefault;
};
export const flag = (object: JsonObject, key: string, { byDefault }: { byDefault: boolean }): boolean => {
  const value = ownValue(object, key);
  return typeof value === "boolean" ? value : byDefault;
};
export const oneOf = <T extends string>(value: Json | undefined, allowed: readonly T[], byDefault: T): T =>
  allowed.find((word) => word === value) ?? byDefault;
export const mapValues = <T>(object: JsonObject, read: (value: Json | undefined) => T): Readonly<Record<string, T>> =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, read(value)]));
