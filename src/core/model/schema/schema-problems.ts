import { isJsonList, isJsonObject, type Json, type JsonObject } from "../json.ts";
import { didYouMean } from "../words/did-you-mean.ts";
import { formatValue } from "../words/format-value.ts";
import { NO_LIMIT } from "./compile-schema.ts";
import { findProperty, fitsSchema, isAllowedScalar, UNKNOWN_LIMITS } from "./fits-schema.ts";
import { formatExpected } from "./format-expected.ts";
import { measureUnread } from "./measure-json.ts";
import type { CompiledSchema } from "./schema.ts";

/**
 * A field that the API server would refuse.
 * - `missing`: a required field is absent. `null` counts as absent.
 * - `empty`: an empty string or list where at least one character or item is required.
 * - `type`: a value of another type. `value`: a value that is not allowed. `unknown field`: a field that the schema does not list.
 * - `rule`: a CEL rule of the schema is broken.
 */
export interface SchemaProblem {
  readonly problem: "missing" | "empty" | "type" | "value" | "unknown field" | "rule";
  readonly field: string;
  /** Names the field, what was found and what is allowed. Ends without a full stop. */
  readonly message: string;
}

const NONE: readonly SchemaProblem[] = [];
export const MAX_PROBLEMS = 50;
/** Tenants choose keys, so longer ones are clipped. */
const MAX_KEY = 64;

/** Every field of a value, found at `field`, that does not fit the schema; at most 50. */
export function schemaProblems(schema: CompiledSchema, value: Json, field = ""): readonly SchemaProblem[] {
  if (fitsSchema(schema, value)) return NONE;
  const problems: SchemaProblem[] = [];
  collect(schema, value, field, problems);
  return problems;
}

function collect(schema: CompiledSchema, value: Json, field: string, problems: SchemaProblem[]): void {
  if (problems.length >= MAX_PROBLEMS) return;
  switch (schema.type) {
    case "object":
      if (isJsonObject(value)) return collectProperties(schema, value, field, problems);
      break;
    case "array":
      if (isJsonList(value)) return collectItems(schema, value, field, problems);
      break;
    case "map":
      if (isJsonObject(value)) return collectValues(schema, value, field, problems);
      break;
    case "shorthand":
      if (isJsonObject(value)) return collectProperties(schema, value, field, problems);
      if (typeof value === "string" && value !== "") return;
      break;
    case "string":
    case "integer":
    case "number":
    case "boolean":
    case "integer or string":
    case "any":
      if (isAllowedScalar(schema, value)) return;
  }
  problems.push(refusal(schema, value, field));
}

function refusal(schema: CompiledSchema, value: Json, field: string): SchemaProblem {
  const hint = typeof value === "string" ? didYouMean(value, schema.words) : "";
  const message = `${field} is ${formatValue(value)}; allowed: ${formatExpected(schema)}${hint}`;
  return { problem: kindOfRefusal(schema, value), field, message };
}

function kindOfRefusal({ type, min }: CompiledSchema, value: Json): SchemaProblem["problem"] {
  if (value === "" && type === "string" && min > 0) return "empty";
  const isOfType =
    type === "string"
      ? typeof value === "string"
      : (type === "integer" || type === "number") && typeof value === "number";
  return isOfType || type === "any" ? "value" : "type";
}

function collectProperties(schema: CompiledSchema, value: JsonObject, field: string, problems: SchemaProblem[]): void {
  const { properties, isClosed } = schema;
  for (const { key, schema: own, isRequired } of properties) {
    const path = pathTo(field, key);
    const inner = Object.hasOwn(value, key) ? (value[key] ?? null) : null;
    if (inner !== null) collect(own, inner, path, problems);
    else if (isRequired)
      problems.push({ problem: "missing", field: path, message: `${path} is missing; give ${formatExpected(own)}` });
  }
  for (const key of Object.keys(value)) {
    if (findProperty(properties, key, 0) !== -1) continue;
    const path = pathTo(field, key);
    if (!isClosed) collectUnknown(value[key] ?? null, path, problems);
    else if ((value[key] ?? null) !== null) problems.push(unknownField(schema, key, field, path));
  }
  checkCount(schema, Object.keys(value).length, field, problems);
}

function unknownField({ properties }: CompiledSchema, key: string, field: string, path: string): SchemaProblem {
  const names = properties.map((property) => property.key);
  const message = `${path} is not a field; ${field} has ${names.join(", ")}${didYouMean(key, names)}`;
  return { problem: "unknown field", field: path, message };
}

function collectUnknown(value: Json, field: string, problems: SchemaProblem[]): void {
  if (problems.length >= MAX_PROBLEMS) return;
  const { maxDepth, maxValues } = UNKNOWN_LIMITS;
  const measure = measureUnread(value, UNKNOWN_LIMITS);
  if (measure === "ok") return;
  const messages = {
    "too deep": `${field} is nested deeper than ${maxDepth} levels; allowed: at most ${maxDepth}`,
    "too large": `${field} has more than ${maxValues} values; allowed: at most ${maxValues}`,
    "not JSON": `${field} has a value that JSON cannot represent (a big integer, a symbol, a function); allowed: JSON`,
  };
  problems.push({ problem: "value", field, message: messages[measure] });
}

/** `spec.rules`, `metadata.labels["example.com/team"]`. */
export function pathTo(field: string, key: string): string {
  if (!/^[\w-]+$/.test(key) || key.length > MAX_KEY) return `${field}[${formatValue(key)}]`;
  return field === "" ? key : `${field}.${key}`;
}

function collectItems(schema: CompiledSchema, value: readonly Json[], field: string, problems: SchemaProblem[]): void {
  const { items } = schema;
  if (!checkCount(schema, value.length, field, problems)) return;
  if (items === undefined) return collectUnknown(value, field, problems);
  for (let index = 0; index < value.length && problems.length < MAX_PROBLEMS; index++) {
    const item = value[index] ?? null;
    if (item !== null || !items.nullable) collect(items, item, `${field}[${index}]`, problems);
  }
}

function collectValues(schema: CompiledSchema, value: JsonObject, field: string, problems: SchemaProblem[]): void {
  const { items } = schema;
  checkCount(schema, Object.keys(value).length, field, problems);
  if (items === undefined) return collectUnknown(value, field, problems);
  for (const key of Object.keys(value)) {
    const own = value[key] ?? null;
    if (own !== null) collect(items, own, pathTo(field, key), problems);
  }
}

/** False, and a problem, if a list or an object has too few or too many entries. */
function checkCount(schema: CompiledSchema, count: number, field: string, problems: SchemaProblem[]): boolean {
  const { type, min, max } = schema;
  if (count >= min && (count <= max || max === NO_LIMIT)) return true;
  const [noun, entry] = type === "array" ? ["a list", "item"] : ["an object", "field"];
  const found = `${noun} of ${count} ${entry}${count === 1 ? "" : "s"}`;
  const message = `${field} is ${found}; allowed: ${formatExpected(schema)}`;
  problems.push({ problem: count === 0 ? "empty" : "value", field, message });
  return false;
}
