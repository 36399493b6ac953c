/** REF, "Merging into existing spec fields": what the objects on a path say themselves (semantics §5). */
import type { FieldMapping, PolicyDefinition } from "../../src/core/model/definition.ts";
import type { Json } from "../../src/core/model/json.ts";
import type { ObjectId } from "../../src/core/model/refs.ts";
import type { Candidate } from "./fold-state.ts";
import { field, isList, isMap, mapOf, pointerTo } from "./json-value.ts";
import { type OracleUnit, splitUnits } from "./split-units.ts";
import { isOfLevel, type TargetNode } from "./target-node.ts";

/** A field of an object that a mapping leads to, with its own value as candidates for the fold. */
export interface OwnField {
  readonly object: ObjectId;
  /** JSON pointer within the object. */
  readonly pointer: string;
  readonly mapping: FieldMapping;
  readonly own: readonly Candidate[];
}

/** The values that every fold of the path begins with, the most specific first: mappings without list steps. */
export function ownValues(path: readonly TargetNode[], definition: PolicyDefinition): readonly Candidate[] {
  const plain = definition.mapsTo.filter((mapping) => !hasListStep(mapping));
  return [...path]
    .reverse()
    .flatMap((node) => plain.flatMap((mapping) => findFields(mapping, node, definition).flatMap(({ own }) => own)));
}

/** "A path with list steps is folded once for each item that exists, each with its own values." */
export function ownItems(path: readonly TargetNode[], definition: PolicyDefinition): readonly OwnField[] {
  const lists = definition.mapsTo.filter(hasListStep);
  return [...path].reverse().flatMap((node) => lists.flatMap((mapping) => findFields(mapping, node, definition)));
}

/** Where a setting goes on this path: into the spec, into items of objects on the path, or nowhere. */
export function placeOf(
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

/** Whether a unit is the setting that is mapped, or lies in it or above it. */
export function isAbout({ path }: Pick<OracleUnit, "path">, { from }: FieldMapping): boolean {
  const keys = from === "" ? [] : from.split(".");
  const length = Math.min(keys.length, path.length);
  return keys.slice(0, length).every((key, i) => key === path[i]);
}

interface PathStep {
  readonly key: string;
  /** `[]`: every item; `[type=RetryFilter]`: those with the field. */
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
  const start = { value: node.section?.value ?? node.object.raw, place: node.section?.place ?? [] };
  return follow(start, parseSteps(mapping.to.path), mapping).map(({ value, place }) => ({
    object: node.object.id,
    pointer: pointerTo(place),
    mapping,
    own: ownCandidates(value, mapping, node.object.id, definition),
  }));
}

interface Place {
  readonly value: Json | undefined;
  readonly place: readonly string[];
}

/** Where the steps lead; list steps to items that exist, and under `create: false` only into structs that exist. */
function follow(at: Place, [step, ...rest]: readonly PathStep[], mapping: FieldMapping): readonly Place[] {
  if (step === undefined) return [at];
  if (!isMap(at.value) && (!mapping.create || at.value !== undefined)) return [];
  const next = { value: field(at.value, step.key), place: [...at.place, step.key] };
  if (step.items === undefined) return follow(next, rest, mapping);
  if (!isList(next.value)) return [];
  return next.value.flatMap((value, i) =>
    isMap(value) && isItemMeant(value, step) ? follow({ value, place: [...next.place, String(i)] }, rest, mapping) : [],
  );
}

function isItemMeant(item: Json, { items }: PathStep): boolean {
  if (items === undefined || items === "all") return true;
  const value = field(item, items.key);
  return value !== undefined && !isMap(value) && !isList(value) && String(value) === items.value;
}

/** "Empty lists, strings and maps count as unset; 0 and false do not." */
function ownCandidates(
  value: Json | undefined,
  { from }: FieldMapping,
  object: ObjectId,
  definition: PolicyDefinition,
): readonly Candidate[] {
  if (value === undefined || (from === "" && !isMap(value))) return [];
  const spec = from === "" && isMap(value) ? value : mapOf([[from.split("."), value]]);
  return splitUnits(spec, definition)
    .filter(({ value: own }) => own !== null && own !== "" && !(isList(own) && own.length === 0))
    .filter(({ value: own }) => !(isMap(own) && Object.keys(own).length === 0))
    .map((unit) => ({ unit, policy: null, block: null, object }));
}
