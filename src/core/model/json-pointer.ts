/** JSON pointers (RFC 6901), and values inside JSON data. Only own keys are read: hostile input never reaches a prototype. */
import { isJsonObject, type Json, ownValue } from "./json.ts";

export function valueAtKeys(value: Json, keys: readonly string[]): Json | undefined {
  let found: Json | undefined = value;
  for (const key of keys) {
    if (!isJsonObject(found)) return undefined;
    found = ownValue(found, key);
  }
  return found;
}

/** Undefined for a pointer into a list: lists are one value here. */
export function valueAtPointer(value: Json, pointer: string): Json | undefined {
  const tokens = pointer.split("/").slice(1);
  return valueAtKeys(value, tokens.map(unescapePointer));
}

/** The key that a pointer spells. */
export const unescapePointer = (token: string): string =>
  token.includes("~") ? token.replaceAll("~1", "/").replaceAll("~0", "~") : token;

/** A key as a pointer spells it. */
export const escapePointer = (key: string): string =>
  key.includes("~") || key.includes("/") ? key.replaceAll("~", "~0").replaceAll("/", "~1") : key;

const SLASH = 47;

/** True if a pointer leads to something inside the value at the other one. */
export const liesBelow = (pointer: string, other: string): boolean =>
  pointer.length > other.length && pointer.charCodeAt(other.length) === SLASH && pointer.startsWith(other);

/** The pointers that a pointer lies below, nearest first, without the empty one. */
export function* pointersAbove(pointer: string): Iterable<string> {
  for (let end = pointer.lastIndexOf("/"); end > 0; end = pointer.lastIndexOf("/", end - 1))
    yield pointer.slice(0, end);
}
