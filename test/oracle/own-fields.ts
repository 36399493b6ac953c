/** The values that objects on a path have themselves (Policy attachment reference, "Merging into existing spec fields"; docs/semantics.md §5). */
import type { FieldMapping, PolicyDefinition } from "../../src/core/model/definition.ts";
import type { Json } from "../../src/core/model/json.ts";
import type { ObjectId } from "../../src/core/model/refs.ts";
import type { Setting } from "./fold-state.ts";
import { field, isList, isMap, mapOf, pointerTo } from "./json-value.ts";
import { type OracleUnit, ownUnitsOf } from "./spec-units.ts";
import { isOfLevel, type TargetNode } from "./target-node.ts";

/** A field of an object that a mapping names, with its own value as settings for the fold. */
export interface OwnField {
  readonly object: ObjectId;
  /** JSON pointer within the object. */
  readonly pointer: string;
  readonly mapping: FieldMapping;
  readonly own: readonly Setting[];
}

/** The values that every fold of the path begins with (mappings without list steps), the most specific first. */
export function ownValues(path: readonly TargetNode[], definition: PolicyDefinition): readonly Setting[] {
  const plain = definition.mapsTo.filter((mapping) => !hasListStep(mapping));
  return [...path]
    .reverse()
    .flatMap((node) => plain.flatMap((mapping) => findFields(mapping, node, definition).flatMap(({ own }) => own)));
}

/** The items that mappings with list steps name. There is one fold for each item, with the item's own values. */
export function ownItems(path: readonly TargetNode[], definition: PolicyDefinition): readonly OwnField[] {
  const lists = definition.mapsTo.filter(hasListStep);
  return [...path].reverse().flatMap((node) => lists.flatMap((mapping) => findFields(mapping, node, definition)));
}

/** The destination of a setting on this path: the spec, list items of objects on the path, or none. */
export function destinationOf(
  unit: Pick<OracleUnit, "path">,
  path: readonly TargetNode[],
  definition: PolicyDefinition,
): "Spec" | "Items" | "Nowhere" {
  const mapped = definition.mapsTo.filter(
    (mapping) => isAbout(unit, mapping) && path.some((node) => isOfLevel(node, mapping.to.level)),
  );
  if (mapped.length === 0) return "Spec";
  const isThere = (mapping: FieldMapping): boolean =>
    path.some((node) => findFields(mapping, node, definition).length > 0);
  if (mapped.some((mapping) => !hasListStep(mapping) && (mapping.create || isThere(mapping)))) return "Spec";
  return mapped.some((mapping) => hasListStep(mapping) && isThere(mapping)) ? "Items" : "Nowhere";
}

/** True if the unit is the mapped setting, or is above or below it. */
export function isAbout({ path }: Pick<OracleUnit, "path">, { from }: FieldMapping): boolean {
  const keys = from === "" ? [] : from.split(".");
  const length = Math.min(keys.length, path.length);
  return keys.slice(0, length).every((key, i) => key === path[i]);
}

interface PathStep {
  readonly key: string;
  /** `[]` names every item, `[type=RetryFilter]` the items with this field. */
  readonly items?: { readonly key: string; readonly value: string } | "all";
}

function parseSteps(path: string): readonly PathStep[] {
  return [...path.matchAll(/([^.[\]]+)(?:\[([^\]]*)\])?/g)].map(([, key = "", filter]) => {
    if (filter === undefined) return { key };
    const [name = "", value = ""] = filter.split("=");
    return { key, items: filter === "" ? "all" : { key: name.trim(), value: value.trim() } };
  });
}

const hasListStep = ({ to }: FieldMapping): boolean => parseSteps(to.path).some(({ items }) => items !== undefined);

function findFields(mapping: FieldMapping, node: TargetNode, definition: PolicyDefinition): readonly OwnField[] {
  if (!isOfLevel(node, mapping.to.level)) return [];
  const start = { value: node.section?.value ?? node.object.raw, path: node.section?.path ?? [] };
  return follow(start, parseSteps(mapping.to.path), mapping).map(({ value, path }) => ({
    object: node.object.id,
    pointer: pointerTo(path),
    mapping,
    own: ownSettings(value, mapping, node.object.id, definition),
  }));
}

interface Position {
  readonly value: Json | undefined;
  readonly path: readonly string[];
}

/** Follows the steps. List steps lead to existing items; with `create: false` all steps lead to existing structs. */
function follow(at: Position, [step, ...rest]: readonly PathStep[], mapping: FieldMapping): readonly Position[] {
  if (step === undefined) return [at];
  if (!isMap(at.value) && (!mapping.create || at.value !== undefined)) return [];
  const next = { value: field(at.value, step.key), path: [...at.path, step.key] };
  if (step.items === undefined) return follow(next, rest, mapping);
  if (!isList(next.value)) return [];
  return next.value.flatMap((value, i) =>
    isMap(value) && isItemNamed(value, step) ? follow({ value, path: [...next.path, String(i)] }, rest, mapping) : [],
  );
}

function isItemNamed(item: Json, { items }: PathStep): boolean {
  if (items === undefined || items === "all") return true;
  const value = field(item, items.key);
  return value !== undefined && !isMap(value) && !isList(value) && String(value) === items.value;
}

/** Gateway API's CRD of HTTPRoute, v1.7.0: `attempts` of a rule's `retry` is 1 unless it is given. No other mapped field has defaults. */
function withDefaultsOfCrd(value: Json | undefined, { to }: FieldMapping): Json | undefined {
  const isRetry = to.level.kind === "HTTPRoute" && /^(?:spec\.rules\[\]\.)?retry$/.test(to.path);
  const isRule = to.level.section === "Rule" || to.path.startsWith("spec.rules[]");
  if (!isRetry || !isRule || !isMap(value)) return value;
  return field(value, "attempts") === undefined ? { ...value, attempts: 1 } : value;
}

/** Empty lists, strings and maps count as unset; 0 and false do not. An empty struct that is the mapped field itself is there. */
function ownSettings(
  written: Json | undefined,
  mapping: FieldMapping,
  object: ObjectId,
  definition: PolicyDefinition,
): readonly Setting[] {
  const { from } = mapping;
  const value = withDefaultsOfCrd(written, mapping);
  if (value === undefined || (from === "" && !isMap(value))) return [];
  const spec = from === "" && isMap(value) ? value : mapOf([[from.split("."), value]]);
  return ownUnitsOf(spec, definition)
    .filter(({ value: own }) => own !== null && own !== "" && !(isList(own) && own.length === 0))
    .filter(({ value: own, path }) => {
      if (!isMap(own) || Object.keys(own).length > 0) return true;
      const isField = from !== "" && path.length === from.split(".").length;
      return (
        isField && ownUnitsOf(mapOf([[path, { any: 1 }]]), definition).every((unit) => unit.path.length > path.length)
      );
    })
    .map((unit) => ({ unit, policy: null, block: null, object }));
}
