/** Compares what is wanted of an object with the object in the cluster. */
import { isJsonList, isJsonObject, type Json, jsonEqual, ownValue } from "../../core/model/json.ts";

/** The fields that identify an item of a list, the first that all items have counts. */
const KEYS = ["name", "containerPort", "port", "mountPath", "topologyKey", "key"] as const;

/**
 * Returns the object restricted to the fields that are wanted. Fields and items that others have added are not part of it, such as defaults
 * of the API server and containers of a webhook. The object has what is wanted if both are equal.
 */
export function projectOnto(object: Json | undefined, wanted: Json): Json {
  if (isJsonObject(wanted)) {
    if (!isJsonObject(object)) return object ?? null;
    return Object.fromEntries(
      Object.entries(wanted).map(([key, value]) => [key, projectOnto(ownValue(object, key), value)]),
    );
  }
  if (!isJsonList(wanted) || !isJsonList(object)) return object ?? null;
  const key = keyOf(wanted);
  if (key === undefined)
    return wanted.length === object.length ? wanted.map((item, index) => projectOnto(object[index], item)) : object;
  return wanted.map((item) =>
    projectOnto(
      object.find((one) => fieldOf(one, key) === fieldOf(item, key)),
      item,
    ),
  );
}

export const hasAll = (object: Json | undefined, wanted: Json): boolean =>
  jsonEqual(projectOnto(object, wanted), wanted);

function keyOf(list: readonly Json[]): string | undefined {
  return KEYS.find((key) => {
    const values = new Set(list.map((item) => fieldOf(item, key)));
    return list.length > 0 && !values.has(undefined) && values.size === list.length;
  });
}

const fieldOf = (item: Json, key: string): Json | undefined => (isJsonObject(item) ? ownValue(item, key) : undefined);
