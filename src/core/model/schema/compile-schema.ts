import { isJsonList, isJsonObject, type Json, type JsonObject, ownValue } from "../json.ts";
import type { CompiledSchema, CompiledType, Property } from "./schema.ts";

/** Schemas may come from hostile input. One that is deeper or larger than any real one is read up to these bounds. */
const MAX_DEPTH = 48;
const MAX_NODES = 50_000;

export interface SchemaOptions {
  /** `Refused`: a field that the schema does not list is a problem, unless the schema preserves unknown fields. */
  readonly unknownFields?: "Refused";
  /** `Optional`: a required field may be absent. */
  readonly requiredFields?: "Optional";
  /** `Open`: bounds and patterns are not checked. */
  readonly bounds?: "Open";
  /**
   * `BuiltIn`: the schema ships with Prevail. Its patterns are checked (one of the input could take exponential time), and
   * parts that it shares are compiled once.
   */
  readonly origin?: "BuiltIn";
}

/**
 * Compiles a schema: types, enums, bounds, required fields and, on request, patterns. `compileChecks` compiles what needs the
 * defaults filled in first: CEL rules, keys of lists, `oneOf`.
 */
export function compileSchema(schema: JsonObject, options: SchemaOptions = {}): CompiledSchema {
  return compile(schema, 0, { options, compiled: new Map(), nodes: MAX_NODES });
}

interface Compilation {
  readonly options: SchemaOptions;
  readonly compiled: Map<JsonObject, CompiledSchema>;
  nodes: number;
}

function compile(schema: JsonObject, depth: number, compilation: Compilation): CompiledSchema {
  const known = compilation.compiled.get(schema);
  if (known !== undefined) return known;
  const compiled = compileNew(schema, depth, compilation);
  // A shared part of the input is compiled anew each time, so that the bound on nodes also bounds every later walk.
  if (compilation.options.origin === "BuiltIn") compilation.compiled.set(schema, compiled);
  return compiled;
}

function compileNew(schema: JsonObject, depth: number, compilation: Compilation): CompiledSchema {
  compilation.nodes--;
  const inner = (value: Json | undefined): CompiledSchema | undefined =>
    isJsonObject(value) && depth < MAX_DEPTH && compilation.nodes > 0
      ? compile(value, depth + 1, compilation)
      : undefined;
  const type = typeOf(schema);
  const properties = propertiesOf(schema, inner, compilation.options);
  const { options } = compilation;
  const [min, max] = boundsOf(options.bounds === "Open" ? {} : schema, type);
  const hasPattern = options.origin === "BuiltIn" && options.bounds !== "Open";
  const keepsUnknown = ownValue(schema, "x-kubernetes-preserve-unknown-fields") === true;
  const pattern = ownValue(schema, "pattern");
  const values = ownValue(schema, "enum");
  return {
    type,
    min,
    max,
    enum: isJsonList(values) ? values : undefined,
    pattern: hasPattern && typeof pattern === "string" ? new RegExp(pattern, "u") : undefined,
    properties,
    defaulted: properties.filter(({ schema: own }) => own.default !== undefined),
    requiredCount: properties.filter(({ isRequired }) => isRequired).length,
    items: inner(ownValue(schema, "items")) ?? inner(ownValue(schema, "additionalProperties")),
    isClosed: options.unknownFields === "Refused" && !keepsUnknown,
    keepsUnknown,
    nullable: ownValue(schema, "nullable") === true,
    default: ownValue(schema, "default"),
    format: textOf(ownValue(schema, "x-prevail-shorthand")) ?? textOf(ownValue(schema, "x-prevail-format")),
    words: wordsOf(ownValue(schema, "x-prevail-words") ?? values),
  };
}

const textOf = (value: Json | undefined): string | undefined => (typeof value === "string" ? value : undefined);

const wordsOf = (values: Json | undefined): readonly string[] =>
  isJsonList(values) ? values.filter((value) => typeof value === "string") : [];

const SCALARS_AND_LISTS = ["string", "integer", "number", "boolean", "array"] as const;

function typeOf(schema: JsonObject): CompiledType {
  if (ownValue(schema, "x-kubernetes-int-or-string") === true) return "integer or string";
  if (typeof ownValue(schema, "x-prevail-shorthand") === "string") return "shorthand";
  const type = ownValue(schema, "type");
  const scalar = SCALARS_AND_LISTS.find((known) => known === type);
  if (scalar !== undefined) return scalar;
  if (isMap(schema)) return "map";
  return type === "object" || isJsonObject(ownValue(schema, "properties")) ? "object" : "any";
}

function isMap(schema: JsonObject): boolean {
  const additional = ownValue(schema, "additionalProperties");
  return additional === true || isJsonObject(additional);
}

function propertiesOf(
  schema: JsonObject,
  compileInner: (value: Json | undefined) => CompiledSchema | undefined,
  { requiredFields }: SchemaOptions,
): readonly Property[] {
  const named = ownValue(schema, "properties");
  const required = requiredFields === "Optional" ? undefined : ownValue(schema, "required");
  const isListed = (key: string): boolean => isJsonList(required) && required.includes(key);
  const properties: Property[] = [];
  for (const [key, value] of Object.entries(isJsonObject(named) ? named : {})) {
    const inner = compileInner(value);
    if (inner !== undefined)
      properties.push({ key, schema: inner, isRequired: isListed(key) && inner.default === undefined });
  }
  // A required field may lack a schema of its own.
  for (const key of isJsonList(required) ? required : []) {
    if (typeof key !== "string" || properties.some((property) => property.key === key)) continue;
    const inner = compileInner({});
    if (inner !== undefined) properties.push({ key, schema: inner, isRequired: true });
  }
  return properties;
}

/** Stands for "no upper bound". A small integer, so that all bounds are numbers of one representation. */
export const NO_LIMIT: number = 2 ** 31 - 1;

function boundsOf(schema: JsonObject, type: CompiledType): readonly [min: number, max: number] {
  switch (type) {
    case "string":
      return bounds(schema, "minLength", "maxLength", 0);
    case "integer":
    case "number":
      return bounds(schema, "minimum", "maximum", -NO_LIMIT);
    case "array":
      return bounds(schema, "minItems", "maxItems", 0);
    case "object":
    case "map":
      return bounds(schema, "minProperties", "maxProperties", 0);
    case "boolean":
    case "integer or string":
    case "shorthand":
    case "any":
      return [0, NO_LIMIT];
  }
}

function bounds(schema: JsonObject, least: string, greatest: string, lowest: number): readonly [number, number] {
  const [min, max] = [ownValue(schema, least), ownValue(schema, greatest)];
  return [typeof min === "number" ? min : lowest, typeof max === "number" ? max : NO_LIMIT];
}
