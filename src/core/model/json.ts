/** Plain JSON data: what YAML documents, API objects and policy specs are made of. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

/** A JSON object: names and values. */
export interface JsonObject {
  readonly [key: string]: Json;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** `Array.isArray`, without the `any` that its own type guard brings in. */
export function isJsonList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** The object at a key of its own. Empty: there is none. */
export function objectAt(object: Json | undefined, key: string): JsonObject {
  const value = isJsonObject(object) ? ownValue(object, key) : undefined;
  return isJsonObject(value) ? value : {};
}

/** The text at a key of its own. Undefined: there is none. */
export function findTextAt(object: Json | undefined, key: string): string | undefined {
  const value = isJsonObject(object) ? ownValue(object, key) : undefined;
  return typeof value === "string" ? value : undefined;
}

/** The text at a key of its own. Empty: there is none. */
export const textAt = (object: Json | undefined, key: string): string => findTextAt(object, key) ?? "";

/** A text; another value counts as empty. */
export const textOf = (value: Json | undefined): string => (typeof value === "string" ? value : "");

/** The texts in a list. Empty if the value is not a list; other items are left out. */
export const textsIn = (list: Json | undefined): readonly string[] =>
  isJsonList(list) ? list.filter((item) => typeof item === "string") : [];

/** The objects in a list. Empty if the value is not a list; other items are left out. */
export function objectsIn(list: Json | undefined): readonly JsonObject[] {
  return isJsonList(list) ? list.filter((item) => isJsonObject(item)) : [];
}

/** Reads an own key only: `constructor` or `__proto__` in hostile input never reach a prototype. */
export function ownValue(object: JsonObject, key: string): Json | undefined {
  const value = object[key];
  // Plain data inherits functions, and a prototype under the name `__proto__`.
  if (typeof value !== "function" && key !== "__proto__") return value;
  return Object.hasOwn(object, key) ? value : undefined;
}

/** Sets a key as an own data property; `__proto__` is data like any other key. */
export function setOwn(object: { [key: string]: Json }, key: string, value: Json): void {
  if (key === "__proto__") {
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    object[key] = value;
  }
}

/** Structural equality of JSON values; the order of keys does not matter. */
export function jsonEqual(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (isJsonList(a)) return isJsonList(b) && areEqualLists(a, b);
  if (isJsonList(b)) return false;
  let keys = 0;
  for (const key in a) {
    const one = a[key];
    const other = b[key];
    // Equal values are own values: plain data never contains what it inherits.
    if (one !== other && (!Object.hasOwn(b, key) || !jsonEqual(one, other))) return false;
    keys++;
  }
  for (const _ in b) keys--;
  return keys === 0;
}

function areEqualLists(a: readonly Json[], b: readonly Json[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (!jsonEqual(a[i], b[i])) return false;
  return true;
}

/** JSON text with sorted keys: equal values give equal text, so it can serve as a key. */
export function canonicalJson(value: Json): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  const object = value as JsonObject;
  const entries = Object.keys(object)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(object[key] as Json)}`);
  return `{${entries.join(",")}}`;
}
