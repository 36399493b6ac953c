import type { Json } from "../../core/model/json.ts";

/** `Array.isArray`, but it keeps the type of the items where the array is read-only. */
export function isJsonList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}
