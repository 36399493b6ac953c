import { isJsonList, type Json, type JsonObject } from "../model/json.ts";
import { valueAtKeys } from "../model/json-pointer.ts";

/** A dotted path, parsed once. */
export interface KeyPath {
  readonly text: string;
  readonly read: (object: JsonObject) => Json | undefined;
}

export function keyPath(text: string): KeyPath {
  const keys = text.split(".");
  return { text, read: (object) => valueAtKeys(object, keys) };
}

const NO_ITEMS: readonly Json[] = [];

/** The references at a path: the items of a list, or the single value. */
export function itemsAt(object: JsonObject, path: KeyPath): readonly Json[] {
  const found = path.read(object);
  if (isJsonList(found)) return found;
  return found === undefined || found === null ? NO_ITEMS : [found];
}
