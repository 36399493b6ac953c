/** Lists that are merged item by item. In the spec proper they are maps, so that each item is a setting with a source of its own. */
import type { MergedList } from "./definition.ts";
import { isJsonList, isJsonObject, type Json, type JsonObject, ownValue, setOwn } from "./json.ts";
import { escapePointer, unescapePointer } from "./json-pointer.ts";

/**
 * Lists that merge
 *
 * A list is one value, unless a definition says that its items are merged: those with the same value of a field are one setting, or the items
 * of all policies are joined. In the effective policy such a list is a map of its items. The key of an item is the value of its field; an
 * item without one, and an item of a list that is joined, has the name of its policy and its index as a key.
 * GEP-713, "Atomicity of merging specs"
 *
 * `entry`: the name of the policy. Returns one key for each item.
 */
function itemKeys(items: readonly Json[], { by }: MergedList, entry: string): readonly string[] {
  const keys = new Set<string>();
  return items.map((item, index) => {
    const value = by === undefined || !isJsonObject(item) ? undefined : ownValue(item, by);
    const key = typeof value === "object" || value === undefined ? undefined : String(value);
    if (key === undefined || key === "" || keys.has(key)) return `${entry}[${index}]`;
    keys.add(key);
    return key;
  });
}

/** The spec proper, with a map of its items instead of each list that is merged. */
export const listsAsMaps = (spec: JsonObject, lists: readonly MergedList[], entry: string): JsonObject =>
  lists.reduce((all, list) => withMap(all, list.path.split("."), list, entry), spec);

function withMap(object: JsonObject, [key, ...rest]: readonly string[], list: MergedList, entry: string): JsonObject {
  if (key === undefined) return object;
  const copy: { [key: string]: Json } = { ...object };
  for (const name of key === "*" ? Object.keys(object) : [key]) {
    const value = ownValue(object, name);
    if (rest.length > 0) {
      if (isJsonObject(value)) setOwn(copy, name, withMap(value, rest, list, entry));
    } else if (isJsonList(value)) setOwn(copy, name, mapOf(value, itemKeys(value, list, entry)));
  }
  return copy;
}

function mapOf(items: readonly Json[], keys: readonly string[]): JsonObject {
  const map: { [key: string]: Json } = {};
  items.forEach((item, index) => {
    setOwn(map, keys[index] ?? "", item);
  });
  return map;
}

/** The pointer of a setting as the policy has it: with the index of an item instead of its key. `written`: the block of the policy. */
export function writtenPointer(
  written: Json | undefined,
  lists: readonly MergedList[],
  entry: string,
  pointer: string,
): string {
  const tokens = pointer.split("/").slice(1);
  let value = written;
  const path: string[] = [];
  const found = tokens.map((token) => {
    const key = unescapePointer(token);
    const isHere = ({ path: listed }: MergedList): boolean => isSamePath(listed.split("."), path);
    const list = isJsonList(value) ? lists.find(isHere) : undefined;
    const index = isJsonList(value) && list !== undefined ? itemKeys(value, list, entry).indexOf(key) : -1;
    value = isJsonList(value) ? value[index] : isJsonObject(value) ? ownValue(value, key) : undefined;
    path.push(key);
    return index === -1 ? token : escapePointer(String(index));
  });
  return found.map((token) => `/${token}`).join("");
}

const isSamePath = (pattern: readonly string[], path: readonly string[]): boolean =>
  pattern.length === path.length && pattern.every((key, at) => key === "*" || key === path[at]);
