import { isJsonObject } from "../core/model/json.ts";
import type { MatchRegex } from "../core/model/regex.ts";

/** The matcher for patterns of CRDs, if there is a CRD among the values. It takes long to load, and most input has none. */
export async function loadRegexFor(values: readonly unknown[]): Promise<{ readonly matchRegex?: MatchRegex }> {
  const isCrd = (value: unknown): boolean => isJsonObject(value) && value["kind"] === "CustomResourceDefinition";
  if (!values.some(isCrd)) return {};
  const { createRegex } = await import("../adapters/regex/create-regex.ts");
  return { matchRegex: createRegex({ maxPatterns: 256 }) };
}
