import type { Json } from "./json.ts";

/** `Array.isArray`, without the `any` that its own type guard brings in. */
export function isJsonList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}
