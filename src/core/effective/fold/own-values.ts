import type { LevelKind } from "../../model/definition.ts";
import { canonicalJson, isJsonObject, type Json, type JsonObject, ownValue } from "../../model/json.ts";
import { escapePointer, liesBelow } from "../../model/json-pointer.ts";
import { sameLevel } from "../../model/levels.ts";
import { itemsAt } from "../../model/path-steps.ts";
import type { Unit } from "../../model/policy.ts";
import type { ObjectId } from "../../model/refs.ts";
import { fillDefaults } from "../../model/schema/fill-defaults.ts";
import { buildSpec, isOneValue, type UnitRules, unitsOf } from "../../model/units.ts";
import type { CompiledMapping } from "../world/compile-mapping.ts";

/** A node on the path that a mapping may lead into. */
export interface MappedNode {
  readonly object: ObjectId;
  readonly level: LevelKind;
  /** The object, or the item that is the section. */
  readonly raw: JsonObject;
  /** The index of the section in its list. */
  readonly index: number | undefined;
}

/** An item of an object's field that a setting maps onto. It is folded on its own. */
export interface OwnItem {
  readonly object: ObjectId;
  readonly pointer: string;
  /** The setting, as a JSON pointer into the spec proper. */
  readonly from: string;
  readonly units: readonly Unit[];
}

/** The own values of the objects on a path, and the pointers of their fields. */
export interface OwnValues {
  /** Equal keys mean equal values at equal pointers. */
  readonly key: string;
  /** The values that are merged into the spec itself, the most specific first. */
  readonly units: readonly Unit[];
  /** The object of each of these values. */
  readonly objects: readonly ObjectId[];
  /** The existing items. Each is folded on its own. */
  readonly items: readonly OwnItem[];
  /** Pointers of settings that are not part of the spec: they map onto items alone, or onto nothing. */
  readonly notInSpec: readonly string[];
  /** Pointers of settings that map onto nothing: the objects have neither such items nor such structs. */
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
 * Where a kind maps its settings onto fields of an object, the object's own value is the most specific default: it replaces
 * every default and is overridden by every override. Empty lists, strings and maps count as unset; an empty struct at the field itself
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
  /** Where each setting maps to: the best of its mappings. */
  const goes = new Map<string, "Nowhere" | "Items" | "Spec">();
  for (const node of nodes) {
    for (const mapping of mappings) {
      if (!sameLevel(node.level, mapping.level)) continue;
      const before = goes.get(mapping.from.pointer);
      if (mapping.isList) {
        const start = node.index === undefined ? "" : `${mapping.listPointer}/${node.index}`;
        const fields = fieldsAt(node.raw, mapping, start);
        for (const { value, pointer } of fields)
          items.push({
            object: node.object,
            pointer,
            from: mapping.from.pointer,
            units: unitsAt(mapping, value, rules),
          });
        if (before !== "Spec") goes.set(mapping.from.pointer, fields.length > 0 ? "Items" : (before ?? "Nowhere"));
      } else {
        const field = findField(node.raw, mapping);
        for (const unit of unitsAt(mapping, field?.value, rules)) {
          units.push(unit);
          objects.push(node.object);
        }
        const isTaken = field !== undefined || mapping.create;
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

/** True if a unit is at, below or above the pointer of one of these settings. */
export const isAbout = (pointer: string, settings: readonly string[]): boolean =>
  settings.some((from) => from === "" || pointer === from || liesBelow(pointer, from) || liesBelow(from, pointer));

interface OwnField {
  /** Undefined: the field is not set, but the struct that would contain it exists. */
  readonly value: Json | undefined;
  readonly pointer: string;
}

/** The field that keys alone lead to, as `fieldsAt` finds it. Its pointer is not needed, and most paths have such fields only. */
function findField(
  raw: JsonObject,
  { steps, create }: CompiledMapping,
): { readonly value: Json | undefined } | undefined {
  let value: Json | undefined = raw;
  for (const step of steps) {
    if (!("key" in step)) return undefined;
    if (isJsonObject(value)) value = ownValue(value, step.key) ?? undefined;
    else if (!create || value !== undefined) return undefined;
  }
  return { value };
}

/** All fields that the steps lead to. The struct that contains the field must exist, unless it may be created. */
function fieldsAt(raw: JsonObject, { steps, create }: CompiledMapping, pointer: string): readonly OwnField[] {
  let fields: readonly OwnField[] = [{ value: raw, pointer }];
  for (const step of steps)
    fields = fields.flatMap((field): readonly OwnField[] =>
      "key" in step ? fieldOf(field, step.key, create) : itemsAt(field, step.where),
    );
  return fields;
}

function fieldOf({ value, pointer }: OwnField, key: string, create: boolean): OwnField[] {
  const isThere = isJsonObject(value);
  if (!isThere && !(create && value === undefined)) return [];
  const found = isThere ? ownValue(value, key) : undefined;
  return [{ value: found ?? undefined, pointer: `${pointer}/${escapePointer(key)}` }];
}

/**
 * The defaults of the CRD are own values
 *
 * The API server fills in the defaults of a CRD when it stores an object, so a struct of a file has them too: `retry` of an HTTPRoute
 * has `attempts: 1` unless it says otherwise. Such a value is the object's own. Returns the units of a value, at the pointer of the spec
 * that maps onto it.
 * Kubernetes, "Defaulting"
 */
function unitsAt(mapping: CompiledMapping, written: Json | undefined, rules: UnitRules): readonly Unit[] {
  if (written === undefined || written === null) return [];
  const value = mapping.schema === undefined ? written : fillDefaults(mapping.schema, written);
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
