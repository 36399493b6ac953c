/** REF, "Merging into existing `spec` fields": what an object itself says where a policy may set its fields. */
import type { FieldMapping, KindFacts, LevelKind } from "../model/definition.ts";
import { canonicalJson, isJsonList, isJsonObject, type Json, type JsonObject, ownValue } from "../model/json.ts";
import type { Unit } from "../model/policy.ts";
import type { ObjectId } from "../model/refs.ts";
import { buildSpec, escapePointer, type UnitRules, unitsOf } from "../model/units.ts";

/** One step of a path into an object: a key, or all items of a list, or those with a field of some value. */
type PathStep =
  | { readonly key: string }
  | { readonly items: true; readonly where?: { readonly key: string; readonly value: string } };

export interface CompiledMapping {
  /** Keys in the spec proper. */
  readonly from: readonly string[];
  readonly level: LevelKind;
  readonly steps: readonly PathStep[];
  readonly create: boolean;
  /** There may be several places, each to be folded on its own. */
  readonly isList: boolean;
  /** Of the list that the level's sections are in; empty for objects. */
  readonly listPointer: string;
}

/** `spec.rules[].filters[type=RetryFilter].retryOn`, in an object or in a section of one. */
export function compileMapping(
  { from, to, create }: FieldMapping,
  facts: KindFacts | undefined,
  endsAtSection: boolean,
): CompiledMapping {
  const { level, path } = endsAtSection ? intoSection(to, facts) : to;
  const steps = parseSteps(path);
  const list = facts?.sections.find(({ section }) => section === level.section)?.path ?? "";
  return {
    from: from === "" ? [] : from.split("."),
    level,
    steps,
    create,
    isList: steps.some((step) => "items" in step),
    listPointer: list === "" ? "" : `/${list.replaceAll(".", "/")}`,
  };
}

/** `spec.rules[].retry` of a route is `retry` of a rule, where paths pass rules one by one. */
function intoSection(to: FieldMapping["to"], facts: KindFacts | undefined): FieldMapping["to"] {
  const list = facts?.sections.find(({ path }) => to.path.startsWith(`${path}[].`));
  if (list === undefined || to.level.section !== undefined) return to;
  return { level: { ...to.level, section: list.section }, path: to.path.slice(list.path.length + "[].".length) };
}

function parseSteps(path: string): readonly PathStep[] {
  const steps: PathStep[] = [];
  for (const part of path.split(".")) {
    const open = part.indexOf("[");
    const key = open === -1 ? part : part.slice(0, open);
    if (key !== "") steps.push({ key });
    if (open === -1) continue;
    const [field, value] = part.slice(open + 1, part.indexOf("]")).split("=");
    steps.push(
      value === undefined || field === undefined ? { items: true } : { items: true, where: { key: field, value } },
    );
  }
  return steps;
}

/** A node on the path that a mapping may lead into. */
export interface MappedNode {
  readonly object: ObjectId;
  readonly level: LevelKind;
  /** The object, or the item that is the section. */
  readonly raw: JsonObject;
  /** The section's place in its list. */
  readonly index: number | undefined;
}

export interface OwnItem {
  readonly object: ObjectId;
  readonly pointer: string;
  readonly units: readonly Unit[];
}

export interface OwnValues {
  /** Equal keys: equal values in equal places. */
  readonly key: string;
  /** Merged into the spec itself. */
  readonly units: readonly Unit[];
  /** The object that has them. */
  readonly object: ObjectId | undefined;
  /** Existing items, each to be folded on its own. */
  readonly items: readonly OwnItem[];
}

export const NO_OWN_VALUES: OwnValues = { key: "", units: [], object: undefined, items: [] };

export function ownValues(
  nodes: readonly MappedNode[],
  mappings: readonly CompiledMapping[],
  rules: UnitRules,
): OwnValues {
  const units: Unit[] = [];
  const items: OwnItem[] = [];
  let object: ObjectId | undefined;
  for (const mapping of mappings) {
    for (const node of nodes) {
      if (!sameLevel(node.level, mapping.level)) continue;
      const places = placesAt(
        node.raw,
        mapping.steps,
        node.index === undefined ? "" : `${mapping.listPointer}/${node.index}`,
      );
      if (mapping.isList || !mapping.create) {
        for (const { value, pointer } of places)
          items.push({ object: node.object, pointer, units: unitsAt(mapping, value, rules) });
      } else {
        const own = places.flatMap(({ value }) => unitsAt(mapping, value, rules));
        units.push(...own);
        if (own.length > 0) object = node.object;
      }
    }
  }
  if (units.length === 0 && items.length === 0) return NO_OWN_VALUES;
  const spec = units.length === 0 ? "" : canonicalJson(buildSpec(units));
  const places = items.map((item) => [item.object, item.pointer, buildSpec(item.units)] as const);
  return { key: items.length === 0 ? spec : `${spec}${canonicalJson(places)}`, units, object, items };
}

const sameLevel = (a: LevelKind, b: LevelKind): boolean =>
  a.kind === b.kind && a.group === b.group && a.section === b.section;

interface FieldPlace {
  /** Undefined: the field is not set, what holds it exists. */
  readonly value: Json | undefined;
  readonly pointer: string;
}

/** All places that the steps lead to. Only the last key may be missing. */
function placesAt(raw: JsonObject, steps: readonly PathStep[], pointer: string): readonly FieldPlace[] {
  let places: FieldPlace[] = [{ value: raw, pointer }];
  steps.forEach((step, i) => {
    const isLast = i === steps.length - 1;
    places = places.flatMap((place) =>
      "key" in step ? keyPlace(place, step.key, isLast) : itemPlaces(place, step.where),
    );
  });
  return places;
}

function keyPlace({ value, pointer }: FieldPlace, key: string, isLast: boolean): FieldPlace[] {
  if (!isJsonObject(value)) return [];
  const found = ownValue(value, key);
  if ((found === undefined || found === null) && !isLast) return [];
  return [{ value: found ?? undefined, pointer: `${pointer}/${escapePointer(key)}` }];
}

/** `[port=80]` means the number, too. */
const isWritten = (value: Json | undefined, text: string): boolean =>
  typeof value === "string"
    ? value === text
    : (typeof value === "number" || typeof value === "boolean") && String(value) === text;

function itemPlaces({ value, pointer }: FieldPlace, where: { key: string; value: string } | undefined): FieldPlace[] {
  if (!isJsonList(value)) return [];
  const places: FieldPlace[] = [];
  value.forEach((item, i) => {
    if (where === undefined || (isJsonObject(item) && isWritten(ownValue(item, where.key), where.value))) {
      places.push({ value: item, pointer: `${pointer}/${i}` });
    }
  });
  return places;
}

/** The value's units, at the place in the spec that it maps from. Empty lists, strings and maps count as unset. */
function unitsAt(mapping: CompiledMapping, value: Json | undefined, rules: UnitRules): readonly Unit[] {
  if (value === undefined || value === null || isUnset(value)) return [];
  const spec = buildSpec([{ path: mapping.from, value }]);
  return unitsOf(mapping.from.length === 0 && isJsonObject(value) ? value : spec, rules).filter(
    (unit) => !isUnset(unit.value),
  );
}

function isUnset(value: Json): boolean {
  if (value === null || value === "") return true;
  if (Array.isArray(value)) return value.length === 0;
  return isJsonObject(value) && Object.keys(value).length === 0;
}
