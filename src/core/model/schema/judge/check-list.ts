import { canonicalJson, isJsonList, type Json, type JsonObject, ownValue } from "../../json.ts";
import { formatValue } from "../../words/format-value.ts";
import { type Check, formatPath, keyOf } from "./check-node.ts";

/**
 * Lists of type set and map
 *
 * The items of a list of type `set` differ; the items of a list of type `map` differ in the values of its keys.
 * Kubernetes, "Merge strategy"
 */
export function listCheck(schema: JsonObject): readonly Check[] {
  const [type, listed] = [ownValue(schema, "x-kubernetes-list-type"), ownValue(schema, "x-kubernetes-list-map-keys")];
  const keys = isJsonList(listed) ? listed.filter((key) => typeof key === "string") : [];
  if (type === "set") return [uniqueItems(canonicalJson, (item) => formatValue(item))];
  if (type !== "map" || keys.length === 0) return [];
  const format = (item: Json): string =>
    `the same ${keys.join(", ")}: ${(JSON.parse(keyOf(item, keys)) as Json[]).map(formatValue).join(", ")}`;
  return [uniqueItems((item) => keyOf(item, keys), format)];
}

function uniqueItems(keyOfItem: (item: Json) => string, format: (item: Json) => string): Check {
  return (value, { path, problems }) => {
    if (!isJsonList(value) || value.length < 2) return;
    const seen = new Map<string, number>();
    value.forEach((item, index) => {
      const key = keyOfItem(item);
      const first = seen.get(key);
      if (first === undefined) {
        seen.set(key, index);
        return;
      }
      const field = formatPath([...path, index]);
      const message = `${field} repeats ${formatPath([...path, first])} (${format(item)}); the items of this list must differ. Remove one`;
      problems.push({ problem: "value", field, message });
    });
  };
}
