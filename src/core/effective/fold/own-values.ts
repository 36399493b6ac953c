import type { LevelKind } from "../../model/definition.ts";
import { canonicalJson, isJsonList, isJsonObject, type Json, type JsonObject, ownValue } from "../../model/json.ts";
import { escapePointer, liesBelow } from "../../model/json-pointer.ts";
import type { Unit } from "../../model/policy.ts";
import type { ObjectId } from "../../model/refs.ts";
import { buildSpec, isOneValue, type UnitRules, unitsOf } from "../../model/units.ts";
import type { CompiledMapping } from "../world/compile-mapping.ts";

/** A node on the path that a mapping may lead into. */
export interface MappedNode {
  readonly object: ObjectId;
  readonly level: LevelKind;
  /** The object, or the item that is the section. */
  readonly raw: JsonObject;
  /** The section's place in its list. */
  readonly index: number | undefined;
}

/** A place in an object that a setting goes to, to be folded on its own. */
export interface OwnItem {
  readonly object: ObjectId;
  readonly pointer: string;
  /** The setting, as a JSON pointer into the spec proper. */
  readonly from: string;
  readonly units: readonly Unit[];
}

/** What the objects on a path say themselves, and where their fields are. */
export interface OwnValues {
  /** Equal keys: equal values in equal places. */
  readonly key: string;
  /** Merged into the spec itself; the most specific first. */
  readonly units: readonly Unit[];
  /** The object that has each of them. */
  readonly objects: readonly ObjectId[];
  /** Existing items, each to be folded on its own. */
  readonly items: readonly OwnItem[];
  /** Settings, as pointers, that are not part of the spec: they go to items alone, or nowhere. */
  readonly notInSpec: readonly string[];
  /** Those that go nowhere: neither items nor structs are there that would take them. */
  readonly nowhere: readonly string[];
}

const NONE: readonly never[] = [];
export const NO_OWN_VALUES: OwnValues = {
  key: "",
  units: NONE,
  objects: NONE,
  items: NONE,
  notInSpec: NONE,
  nowhere: NONE,
};

/**
 * Merging into existing spec fields
 *
 * Where a kind maps its settings onto fields of an object, the object's own value is the most specific default: it overrides
 * every default and is replaced by every override. Empty lists, strings and maps count as unset; an empty struct at the field itself
 * is there, and contests nothing. `nodes`: most specific first.
 * Policy attachment reference, "Merging into existing `spec` fields"
 */
export function ownValues(
  nodes: readonly MappedNode[],
  mappings: readonly CompiledMapping[],
  rules: UnitRules,
): OwnValues {
  const units: Unit[] = [];
  const objects: ObjectId[] = [];
  const items: OwnItem[] = [];
  /** By setting, where it goes at best. */
  const goes = new Map<string, "Nowhere" | "Items" | "Spec">();
  for (const node of nodes) {
    for (const mapping of mappings) {
      if (!sameLevel(node.level, mapping.level)) continue;
      const start = node.index === undefined ? "" : `${mapping.listPointer}/${node.index}`;
      const places = placesAt(node.raw, mapping, start);
      const before = goes.get(mapping.from.pointer);
      if (mapping.isList) {
        for (const { value, pointer } of places)
          items.push({
            object: node.object,
            pointer,
            from: mapping.from.pointer,
            units: unitsAt(mapping, value, rules),
          });
        if (before !== "Spec") goes.set(mapping.from.pointer, places.length > 0 ? "Items" : (before ?? "Nowhere"));
      } else {
        for (const { value } of places) {
          for (const unit of unitsAt(mapping, value, rules)) {
            units.push(unit);
            objects.push(node.object);
          }
        }
        const isTaken = places.length > 0 || mapping.create;
        goes.set(mapping.from.pointer, isTaken ? "Spec" : (before ?? "Nowhere"));
      }
    }
  }
  if (units.length === 0 && items.length === 0 && ![...goes.values()].includes("Nowhere")) return NO_OWN_VALUES;
  const notInSpec = [...goes.keys()].filter((from) => goes.get(from) !== "Spec");
  const nowhere = notInSpec.filter((from) => goes.get(from) === "Nowhere");
  return { key: keyOf(units, items, nowhere), units, objects, items, notInSpec, nowhere };
}

function keyOf(units: readonly Unit[], items: readonly OwnItem[], nowhere: readonly string[]): string {
  const values = (of: readonly Unit[]): Json => of.map(({ pointer, value }) => [pointer, value]);
  return canonicalJson([
    values(units),
    items.map(({ object, pointer, from, units: own }) => [object, pointer, from, values(own)]),
    nowhere,
  ]);
}

/** Whether a unit is about one of these settings: it, or something in it or above it. */
export const isAbout = (pointer: string, settings: readonly string[]): boolean =>
  settings.some((from) => from === "" || pointer === from || liesBelow(pointer, from) || liesBelow(from, pointer));

const sameLevel = (a: LevelKind, b: LevelKind): boolean =>
  a.kind === b.kind && a.group === b.group && a.section === b.section;

interface FieldPlace {
  /** Undefined: the field is not set, what holds it exists. */
  readonly value: Json | undefined;
  readonly pointer: string;
}

/** All places that the steps lead to. What holds the field must be there, unless it may be created. */
function placesAt(raw: JsonObject, { steps, create }: CompiledMapping, pointer: string): readonly FieldPlace[] {
  let places: FieldPlace[] = [{ value: raw, pointer }];
  for (const step of steps)
    places = places.flatMap((place) =>
      "key" in step ? keyPlace(place, step.key, create) : itemPlaces(place, step.where),
    );
  return places;
}

function keyPlace({ value, pointer }: FieldPlace, key: string, create: boolean): FieldPlace[] {
  const isThere = isJsonObject(value);
  if (!isThere && !(create && value === undefined)) return [];
  const found = isThere ? ownValue(value, key) : undefined;
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

/** The value's units, at the place in the spec that it maps from. */
function unitsAt(mapping: CompiledMapping, value: Json | undefined, rules: UnitRules): readonly Unit[] {
  if (value === undefined || value === null) return [];
  const { path } = mapping.from;
  const spec = buildSpec([{ path, value }]);
  return unitsOf(path.length === 0 && isJsonObject(value) ? value : spec, rules).filter(
    (unit) => !isUnset(unit.value) || isEmptyStanza(unit, mapping, rules),
  );
}

/**
 * An empty stanza is there
 *
 * A struct without fields is there: `retry: {}` configures the retry of connection errors (GEP-1731). It sets no field, so every
 * policy can fill it. An empty map with arbitrary keys is unset.
 * Policy attachment reference, "Merging into existing `spec` fields"
 */
const isEmptyStanza = ({ path, value }: Unit, { from }: CompiledMapping, rules: UnitRules): boolean =>
  path.length === from.path.length && isJsonObject(value) && !isOneValue(path, rules);

function isUnset(value: Json): boolean {
  if (value === null || value === "") return true;
  if (Array.isArray(value)) return value.length === 0;
  return isJsonObject(value) && Object.keys(value).length === 0;
}
