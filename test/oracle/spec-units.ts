/** Splits a spec into units, the smallest parts that are merged (docs/semantics.md §3). */
import type { Granularity, PolicyDefinition } from "../../src/core/model/definition.ts";
import type { Json, JsonObject } from "../../src/core/model/json.ts";
import type { Unit } from "../../src/core/model/policy.ts";
import { isMap, pointerTo } from "./json-value.ts";

export interface OracleUnit extends Unit {
  /** An empty map. A value inside the same map replaces it. */
  readonly isEmptyMap: boolean;
}

/** True if policies of the kind can be merged with this granularity. */
function supports({ merge }: PolicyDefinition, granularity: Granularity): boolean {
  if (merge.none) return false;
  if (merge.accumulate !== undefined) return granularity === "Field";
  const { values = {}, absent, fields } = merge.annotation ?? {};
  const annotated =
    merge.decidedBy === "Annotation"
      ? [...Object.values(values), absent, fields].filter((strategy) => strategy !== undefined)
      : [];
  return [
    merge.granularity.default,
    ...Object.values(merge.granularity.values),
    ...annotated.map((strategy) => strategy.granularity),
  ].includes(granularity);
}

export function unitsOf(spec: JsonObject, definition: PolicyDefinition): readonly OracleUnit[] {
  return unitsAt(spec, [], definition, false);
}

/** The units of values that objects have themselves. Maps of `atomicPaths` are one value there in every kind. */
export function ownUnitsOf(spec: JsonObject, definition: PolicyDefinition): readonly OracleUnit[] {
  return unitsAt(spec, [], definition, true);
}

function unitsAt(
  value: Json,
  path: readonly string[],
  definition: PolicyDefinition,
  isOwn: boolean,
): readonly OracleUnit[] {
  const isPatch = supports(definition, "Patch");
  // In kinds that support Patch a null is a tombstone; in other kinds it is an unset field.
  if (value === null && !isPatch) return [];
  if (!isMap(value) || isOneValue(path, definition, isOwn)) {
    return [unit(path, value, definition, { isEmptyMap: isMap(value) && Object.keys(value).length === 0 })];
  }
  // The API server drops nulls, and the map that had them stays.
  const keys = Object.keys(value).filter((key) => isPatch || value[key] !== null);
  if (keys.length > 0) return keys.flatMap((key) => unitsAt(value[key] as Json, [...path, key], definition, isOwn));
  // A rule map without rules contains no policy rules (RFC 9: "p.empty?").
  if (path.length === 0 || leadsToRules(path, definition)) return [];
  return [unit(path, {}, definition, { isEmptyMap: true })];
}

function unit(
  path: readonly string[],
  value: Json,
  definition: PolicyDefinition,
  { isEmptyMap }: { isEmptyMap: boolean },
): OracleUnit {
  const pointer = pointerTo(path);
  const length = ruleLength(path, definition);
  if (length === undefined) return { pointer, path, value, rule: pointer, isEmptyMap };
  return {
    pointer,
    path,
    value,
    rule: pointerTo(path.slice(0, length)),
    ruleName: path[length - 1] as string,
    isEmptyMap,
  };
}

/** Patterns are dotted paths, in which `*` stands for any key. */
function matches(pattern: string, path: readonly string[]): boolean {
  const steps = pattern.split(".");
  return steps.length === path.length && steps.every((step, i) => step === "*" || step === path[i]);
}

/** The length of the path to the named rule that contains this path, or is this path. */
function ruleLength(path: readonly string[], { merge }: PolicyDefinition): number | undefined {
  const lengths = path.map((_, i) => i + 1);
  return lengths.find((length) => merge.rules.some((map) => matches(map, path.slice(0, length - 1))));
}

/** A named rule is one value unless the kind also merges leaves. A map of `atomicPaths` is one value unless the kind supports Patch. */
function isOneValue(path: readonly string[], definition: PolicyDefinition, isOwn: boolean): boolean {
  const isPatch = supports(definition, "Patch");
  const isRule = ruleLength(path, definition) === path.length;
  if (isRule && !isPatch && !supports(definition, "Field")) return true;
  // The entry of an accumulated policy begins with its name.
  const inPolicy = definition.merge.accumulate === undefined ? path : path.slice(1);
  const { atomicPaths, lists = [] } = definition.merge;
  const items = lists.filter((list) => list.items === "Whole").map((list) => `${list.path}.*`);
  return (isOwn || !isPatch) && [...atomicPaths, ...items].some((pattern) => matches(pattern, inPolicy));
}

function leadsToRules(path: readonly string[], { merge }: PolicyDefinition): boolean {
  return merge.rules.some((map) => matches(map.split(".").slice(0, path.length).join("."), path));
}
