/** Lists that are merged item by item are read as maps of their items. */
import type { MergedList, PolicyDefinition } from "../../src/core/model/definition.ts";
import type { Json, JsonObject } from "../../src/core/model/json.ts";
import type { ClusterObject } from "./cluster-objects.ts";
import { field, isList, isMap, unique } from "./json-value.ts";

/** The block with a map instead of each such list. `strategy`: the word that selects its strategy. */
export function readLists(
  block: JsonObject,
  strategy: Json | undefined,
  { object, definition }: { readonly object: ClusterObject; readonly definition: PolicyDefinition },
): JsonObject {
  const { namespace, name, kind } = object.ref;
  const parts = [definition.policies.length > 1 ? kind : "", namespace, name].filter((part) => part !== "");
  const lists = (definition.merge.lists ?? []).filter(({ except = [] }) => !except.some((one) => one === strategy));
  const read = (value: Json, path: readonly string[]): Json => {
    const list = lists.find((one) => isAt(one, path));
    if (isList(value) && list !== undefined) return mapOfItems(value, list, parts.join("/"));
    if (!isMap(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, read(inner, [...path, key])]));
  };
  const all = read(block, []);
  return isMap(all) ? all : block;
}

function isAt({ path: pattern }: MergedList, path: readonly string[]): boolean {
  const steps = pattern.split(".");
  return steps.length === path.length && steps.every((step, i) => step === "*" || step === path[i]);
}

/** An item without a value of its own in the field has the policy and its index as its name. */
function mapOfItems(items: readonly Json[], { by }: MergedList, policy: string): JsonObject {
  const values = items.map((item) => {
    const value = by === undefined ? undefined : field(item, by);
    return value === undefined || isMap(value) || isList(value) || value === "" ? undefined : `${value}`;
  });
  const firsts = unique(values).map((value) => values.indexOf(value));
  return Object.fromEntries(
    items.map((item, i) => [firsts.includes(i) && values[i] !== undefined ? values[i] : `${policy}[${i}]`, item]),
  );
}
