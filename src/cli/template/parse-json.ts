import type { Json } from "../../core/model/json.ts";

/** Parses JSON that this program wrote. */
export const parseJson = (text: string): Json => JSON.parse(text) as Json;
