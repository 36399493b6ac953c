/** Compares two versions of an object. Clusters often change fields that have no effect on policies. */
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { BOOKKEEPING } from "../../model/managed-fields.ts";

const IGNORED: ReadonlySet<string> = new Set(["status"]);
const NOTHING: ReadonlySet<string> = new Set();

/** True if both are equal apart from status, resourceVersion, managedFields and generation. */
export function hasSameMeaning(a: JsonObject, b: JsonObject): boolean {
  return (
    a === b ||
    sameKeys(a, b, IGNORED, (key) =>
      key === "metadata" ? sameMetadata(a[key] ?? null, b[key] ?? null) : jsonIdentical(a[key] ?? null, b[key] ?? null),
    )
  );
}

const sameMetadata = (a: Json, b: Json): boolean =>
  isJsonObject(a) && isJsonObject(b)
    ? sameKeys(a, b, BOOKKEEPING, (key) => jsonIdentical(a[key] ?? null, b[key] ?? null))
    : jsonIdentical(a, b);

/** True if both are equal with the same order of keys: such values give the same bytes. */
export function jsonIdentical(a: Json, b: Json): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (isJsonList(a)) {
    return isJsonList(b) && a.length === b.length && a.every((item, index) => jsonIdentical(item, b[index] ?? null));
  }
  if (isJsonList(b)) return false;
  return sameKeys(a, b, NOTHING, (key) => jsonIdentical(a[key] ?? null, b[key] ?? null));
}

/** True if both objects have the same keys in the same order, apart from those in `without`, and `isSameAt` is true for each. */
function sameKeys(
  a: JsonObject,
  b: JsonObject,
  without: ReadonlySet<string>,
  isSameAt: (key: string) => boolean,
): boolean {
  const theirs = Object.keys(b);
  let at = 0;
  for (const key of Object.keys(a)) {
    if (without.has(key)) continue;
    while (at < theirs.length && without.has(theirs[at] as string)) at++;
    if (theirs[at++] !== key || !isSameAt(key)) return false;
  }
  while (at < theirs.length && without.has(theirs[at] as string)) at++;
  return at === theirs.length;
}
