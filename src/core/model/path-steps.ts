/** Paths into objects, as definitions write them: `spec.rules[].filters[type=RetryFilter].retryOn`. */
import { isJsonList, isJsonObject, type Json, ownValue } from "./json.ts";
import { escapePointer } from "./json-pointer.ts";

/** One step of a path into an object: a key, or all items of a list, or those with a field of some value. */
export type PathStep =
  | { readonly key: string }
  | { readonly items: true; readonly where?: { readonly key: string; readonly value: string } };

export function parseSteps(path: string): readonly PathStep[] {
  const steps: PathStep[] = [];
  for (const part of path.split(".")) {
    const open = part.indexOf("[");
    const key = open === -1 ? part : part.slice(0, open);
    if (key !== "") steps.push({ key });
    if (open === -1) continue;
    const [field, value] = part.slice(open + 1, part.indexOf("]")).split("=");
    steps.push(
      value === undefined || field === undefined ? { items: true } : { items: true, where: { key: field, value } },
    );
  }
  return steps;
}

/** A value, and its JSON pointer. */
export interface ValueAt {
  readonly value: Json;
  readonly pointer: string;
}

/** The values that the steps lead to. */
export function valuesAtSteps(start: Json, steps: readonly PathStep[]): readonly ValueAt[] {
  let found: readonly ValueAt[] = [{ value: start, pointer: "" }];
  for (const step of steps) {
    found = found.flatMap((one) => ("key" in step ? valueAtKey(one, step.key) : itemsAt(one, step.where)));
    if (found.length === 0) return found;
  }
  return found;
}

function valueAtKey({ value, pointer }: ValueAt, key: string): readonly ValueAt[] {
  const found = isJsonObject(value) ? (ownValue(value, key) ?? null) : null;
  return found === null ? [] : [{ value: found, pointer: `${pointer}/${escapePointer(key)}` }];
}

/** The items of a list; with `where`, those with that value. `[port=80]` matches the number as well as the text. */
export function itemsAt(
  { value, pointer }: { readonly value: Json | undefined; readonly pointer: string },
  where: { readonly key: string; readonly value: string } | undefined,
): readonly ValueAt[] {
  if (!isJsonList(value)) return [];
  const items: ValueAt[] = [];
  value.forEach((item, i) => {
    if (where === undefined || (isJsonObject(item) && isWritten(ownValue(item, where.key), where.value)))
      items.push({ value: item, pointer: `${pointer}/${i}` });
  });
  return items;
}

const isWritten = (value: Json | undefined, text: string): boolean =>
  typeof value === "string"
    ? value === text
    : (typeof value === "number" || typeof value === "boolean") && String(value) === text;
