import { isJsonObject, type Json, type JsonObject } from "../json.ts";
import { NO_LIMIT } from "./compile-schema.ts";
import { isScalar, type JsonLimits, measureUnread } from "./measure-json.ts";
import type { CompiledSchema, Property } from "./schema.ts";

/** Limits of fields that the schema does not list: every walk over an object must end. The depth is that of files. */
export const UNKNOWN_LIMITS: JsonLimits = { maxDepth: 256, maxValues: 1_000_000 };

/** True if a value has no problems. Builds no paths and allocates nothing. `schemaProblems` must agree with it. */
export function fitsSchema(schema: CompiledSchema, value: Json): boolean {
  switch (schema.type) {
    case "string":
      return isAllowedText(schema, value);
    case "object":
      return isJsonObject(value) && fitsProperties(schema, value);
    case "array":
      return Array.isArray(value) && fitsItems(schema, value);
    case "map":
      return isJsonObject(value) && fitsValues(schema, value);
    case "shorthand":
      return typeof value === "string" ? value !== "" : isJsonObject(value) && fitsProperties(schema, value);
    case "integer":
    case "number":
    case "boolean":
    case "integer or string":
    case "any":
      return isAllowedScalar(schema, value);
  }
}

/** True if a scalar, or a value that is not walked, is allowed. */
export function isAllowedScalar(schema: CompiledSchema, value: Json): boolean {
  return hasScalarType(schema, value) && isListed(schema, value);
}

function hasScalarType(schema: CompiledSchema, value: Json): boolean {
  switch (schema.type) {
    case "integer":
      return Number.isSafeInteger(value) && isWithin(schema, value);
    case "number":
      return typeof value === "number" && isWithin(schema, value);
    case "boolean":
      return typeof value === "boolean";
    case "integer or string":
      return typeof value === "string" || Number.isInteger(value);
    case "any":
      return true;
    case "string":
      return isAllowedText(schema, value);
    case "object":
    case "array":
    case "map":
    case "shorthand":
      return false;
  }
}

function isAllowedText(schema: CompiledSchema, value: Json): boolean {
  if (typeof value !== "string" || !isListed(schema, value)) return false;
  const { min, max, pattern } = schema;
  const { length } = value;
  // Kubernetes counts characters. A string has at least half as many of them as UTF-16 code units.
  if (length < min || (length < 2 * min && countCharacters(value) < min)) return false;
  if (length > max && (length > 2 * max || countCharacters(value) > max)) return false;
  return pattern === undefined || pattern.test(value);
}

/** A character outside the Basic Multilingual Plane is two code units. */
function countCharacters(value: string): number {
  let count = 0;
  for (const _ of value) count++;
  return count;
}

const isWithin = ({ min, max }: CompiledSchema, value: Json): boolean =>
  typeof value === "number" && (value >= min || min === -NO_LIMIT) && (value <= max || max === NO_LIMIT);

/** `includes`, which costs more than a loop for a few words. */
function isListed({ enum: values }: CompiledSchema, value: Json): boolean {
  if (values === undefined) return true;
  for (let i = 0; i < values.length; i++) if (values[i] === value) return true;
  return false;
}

/** Walks the keys of the value, of which there are several times fewer than properties of the schema. */
function fitsProperties({ properties, requiredCount, isClosed, min, max }: CompiledSchema, value: JsonObject): boolean {
  let requiredSeen = 0;
  let next = 0;
  for (const key in value) {
    const own = value[key];
    if (own === undefined || own === null) continue;
    // Keys mostly come in the order of the schema.
    const index = findProperty(properties, key, next);
    if (index === -1) {
      if (isClosed) return false;
      if (typeof own === "object" ? measureUnread(own, UNKNOWN_LIMITS) !== "ok" : !isScalar(own)) return false;
      continue;
    }
    next = index + 1;
    const { schema, isRequired } = properties[index] as Property;
    if (schema.type === "string" ? !isAllowedText(schema, own) : !fitsSchema(schema, own)) return false;
    if (isRequired) requiredSeen++;
  }
  return requiredSeen === requiredCount && ((min === 0 && max === NO_LIMIT) || hasCount(value, min, max));
}

function hasCount(value: JsonObject, min: number, max: number): boolean {
  const count = Object.keys(value).length;
  return count >= min && count <= max;
}

/** The index of a property, searched from an index on; -1 if there is none. */
export function findProperty(properties: readonly Property[], key: string, from: number): number {
  for (let at = from; at < properties.length; at++) if ((properties[at] as Property).key === key) return at;
  for (let at = 0; at < from; at++) if ((properties[at] as Property).key === key) return at;
  return -1;
}

function fitsItems({ items, min, max }: CompiledSchema, value: readonly Json[]): boolean {
  if (value.length < min || value.length > max) return false;
  if (items === undefined) return measureUnread(value, UNKNOWN_LIMITS) === "ok";
  const isObject = items.type === "object";
  for (let i = 0; i < value.length; i++) {
    const item = value[i] ?? null;
    if (isObject ? !(isJsonObject(item) && fitsProperties(items, item)) : !fitsItem(items, item)) return false;
  }
  return true;
}

const fitsItem = (schema: CompiledSchema, item: Json): boolean =>
  (item === null && schema.nullable) || fitsSchema(schema, item);

function fitsValues({ items, min, max }: CompiledSchema, value: JsonObject): boolean {
  if (items === undefined) {
    if (measureUnread(value, UNKNOWN_LIMITS) !== "ok") return false;
  } else {
    for (const key of Object.keys(value)) {
      const own = value[key] ?? null;
      if (own !== null && !fitsSchema(items, own)) return false;
    }
  }
  return (min === 0 && max === NO_LIMIT) || hasCount(value, min, max);
}
