import { isJsonList, isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import { valueAt } from "./value-at.ts";

/** A dotted path, ready to follow. */
export interface KeyPath {
  readonly text: string;
  readonly read: (object: JsonObject) => Json | undefined;
}

/**
 * The paths of the built-in tables, spelled out: a key that the compiler can see is read several times faster than one
 * that it cannot. None is a name of Object.prototype, so these are own reads.
 */
const SPELLED: ReadonlyMap<string, KeyPath["read"]> = new Map<string, KeyPath["read"]>([
  ["backendRefs", (rule) => rule["backendRefs"]],
  ["spec.parentRefs", ({ spec }) => (isJsonObject(spec) ? spec["parentRefs"] : undefined)],
  ["spec.rules", ({ spec }) => (isJsonObject(spec) ? spec["rules"] : undefined)],
]);

export function keyPath(text: string): KeyPath {
  const keys = text.split(".");
  return { text, read: SPELLED.get(text) ?? ((object) => valueAt(object, keys)) };
}

const NO_ITEMS: readonly Json[] = [];

/** The references at a path: the items of a list, or the one thing that stands there. */
export function itemsAt(object: JsonObject, path: KeyPath): readonly Json[] {
  const found = path.read(object);
  if (isJsonList(found)) return found;
  return found === undefined || found === null ? NO_ITEMS : [found];
}
