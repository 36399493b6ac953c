import { blockNamesOf } from "../../block-names.ts";
import type { Granularity, MergeRules } from "../../definition.ts";
import { isJsonObject, type JsonObject, ownValue } from "../../json.ts";
import { valueAtKeys } from "../../json-pointer.ts";

/**
 * An empty policy
 *
 * Under the strategy None all of the spec is one value, which may be empty. In other kinds the definition decides whether a policy that
 * sets and removes nothing keeps out higher defaults. Returns the granularity that such a policy selects, in a block or beside them.
 * GEP-713, "Basic merge strategies"
 */
export function granularityOfEmpty(spec: JsonObject, merge: MergeRules): Granularity | undefined {
  const { none, empty, granularity } = merge;
  if (!none && empty === "GivesWay") return undefined;
  if (none) return granularity.default;
  const blocks = blockNamesOf(merge).map((key) => ownValue(spec, key));
  for (const block of [...blocks, spec]) {
    const word = isJsonObject(block) ? valueAtKeys(block, granularity.field.split(".")) : undefined;
    if (typeof word === "string" && Object.hasOwn(granularity.values, word)) return granularity.values[word];
  }
  return granularity.default;
}
