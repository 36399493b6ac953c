import type { Json } from "../../core/model/json.ts";
import { compareText } from "../../core/model/refs.ts";
import type { Option } from "../args/option.ts";
import { followPath } from "./evaluate-template.ts";
import { type Parsed, refuse } from "./json-path.ts";
import { parsePath } from "./parse-steps.ts";

export const sortByOption: Option = {
  name: "sort-by",
  value: "PATH",
  help: "the order of the items: a path in their JSON, such as .metadata.name, or in that of -o json",
};

/** Sorts items by a value in their JSON, as kubectl does: numbers by value, text with numbers in it by those, items without the value first. */
export function sortBy<T>(items: readonly T[], path: string, jsonOf: (item: T) => Json): Parsed<readonly T[]> {
  const parsed = parsePath(path);
  if (!parsed.ok) return refuse(`--sort-by: ${parsed.message}`);
  const keyed: { readonly item: T; readonly key: Json | undefined }[] = [];
  for (const item of items) {
    const found = followPath(parsed.value, jsonOf(item));
    if (!found.ok) return refuse(`--sort-by ${path}: ${found.message}`);
    keyed.push({ item, key: found.values[0] });
  }
  if (items.length > 0 && keyed.every(({ key }) => key === undefined))
    return refuse(`--sort-by ${path}: no item has that; -o json shows what they have`);
  return { ok: true, value: keyed.toSorted((a, b) => compareKeys(a.key, b.key)).map(({ item }) => item) };
}

function compareKeys(a: Json | undefined, b: Json | undefined): number {
  if (a === undefined || b === undefined) return Number(a !== undefined) - Number(b !== undefined);
  if (typeof a === "number" && typeof b === "number") return a - b;
  return compareNatural(textOf(a), textOf(b));
}

const textOf = (value: Json): string => (typeof value === "string" ? value : JSON.stringify(value));

/** Compares runs of digits by their number: `v2` is before `v10`. */
function compareNatural(a: string, b: string): number {
  const [left, right] = [a, b].map((text) => text.match(/\d+|\D+/g) ?? []);
  for (const [index, part] of (left ?? []).entries()) {
    const other = right?.[index];
    if (other === undefined) return 1;
    const isNumber = /^\d/.test(part) && /^\d/.test(other);
    const order = isNumber ? Number(part) - Number(other) || part.length - other.length : compareText(part, other);
    if (order !== 0) return order;
  }
  return (left?.length ?? 0) - (right?.length ?? 0);
}
