import type { Json } from "../../model/json.ts";

/** Undefined for an empty text and for another value. */
export const nonEmptyText = (value: Json | undefined): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;
