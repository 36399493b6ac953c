/** Strategic merge patches of Deployments and Services. */
import { isJsonList, isJsonObject, type Json, type JsonObject, ownValue, setOwn } from "../model/json.ts";

/** The lists that are merged, by the last field of their path, and the field that identifies an item. Others are replaced. */
const KEYS: Readonly<Record<string, readonly string[]>> = {
  containers: ["name"],
  initContainers: ["name"],
  env: ["name"],
  volumes: ["name"],
  volumeMounts: ["mountPath"],
  volumeDevices: ["devicePath"],
  imagePullSecrets: ["name"],
  topologySpreadConstraints: ["topologyKey", "whenUnsatisfiable"],
  hostAliases: ["ip"],
  secrets: ["name"],
};
/** The ports of a container have a containerPort, those of a Service a port. */
const PORT_KEYS: readonly string[] = ["containerPort", "port"];
const DIRECTIVE = "$patch";

/**
 * Strategic merge patch
 *
 * Objects are merged field by field, and null removes a field. Items of a list with a key are merged with the item of the same key; `$patch: delete` removes one, and
 * `$patch: replace` replaces the object or the list that has it. Other lists are replaced.
 * Kubernetes, "Strategic merge patch"
 */
export function strategicMerge(object: JsonObject, patch: JsonObject): JsonObject {
  if (patch[DIRECTIVE] === "replace") return withoutDirective(patch);
  const merged: { [key: string]: Json } = { ...object };
  for (const [key, value] of Object.entries(patch)) {
    if (key === DIRECTIVE) continue;
    const before = ownValue(object, key);
    if (value === null) delete merged[key];
    else if (isJsonObject(value)) setOwn(merged, key, strategicMerge(isJsonObject(before) ? before : {}, value));
    else if (isJsonList(value)) setOwn(merged, key, mergeLists(isJsonList(before) ? before : [], value, key));
    else setOwn(merged, key, value);
  }
  return merged;
}

function mergeLists(list: readonly Json[], patch: readonly Json[], field: string): readonly Json[] {
  const items = patch.filter(isJsonObject);
  const keys = keysOf(items, field);
  if (keys === undefined || items.length < patch.length || items.some(isReplacing))
    return items.length < patch.length ? patch : items.filter((item) => !isReplacing(item)).map(withoutDirective);
  const merged = [...list];
  for (const item of items) {
    const index = merged.findIndex((one) => isJsonObject(one) && isSame(one, item, keys));
    const found = merged[index];
    if (item[DIRECTIVE] === "delete") {
      if (index >= 0) merged.splice(index, 1);
    } else if (index >= 0 && isJsonObject(found)) merged[index] = strategicMerge(found, item);
    else merged.push(strategicMerge({}, item));
  }
  return merged;
}

/** An item with nothing but the directive: the other items are the whole list. */
const isReplacing = (item: JsonObject): boolean => item[DIRECTIVE] === "replace" && Object.keys(item).length === 1;

function keysOf(items: readonly JsonObject[], field: string): readonly string[] | undefined {
  const keys =
    field === "ports" ? PORT_KEYS.filter((key) => items.some((item) => Object.hasOwn(item, key))) : KEYS[field];
  return keys === undefined || keys.length === 0 ? undefined : keys;
}

/** Ports with the same number and different protocols are two ports; the default is TCP. */
const isSame = (one: JsonObject, other: JsonObject, keys: readonly string[]): boolean =>
  keys.every((key) => one[key] === other[key]) && (one["protocol"] ?? "TCP") === (other["protocol"] ?? "TCP");

function withoutDirective({ [DIRECTIVE]: _, ...rest }: JsonObject): JsonObject {
  return strategicMerge({}, rest);
}
