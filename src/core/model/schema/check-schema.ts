import { isJsonList, isJsonObject, type Json, type JsonObject, ownValue } from "../json.ts";
import { found } from "./check-shape.ts";

/** A value that the API server would refuse by the schema of its CRD. */
export interface SchemaProblem {
  readonly field: string;
  readonly message: string;
}

export type SchemaCheck = (value: Json, field: string) => readonly SchemaProblem[];

/** Schemas are input too: one that is deeper or larger than any real one is read up to these bounds. */
const MAX_DEPTH = 48;
const MAX_NODES = 50_000;
const MOST = 20;

type Word = "string" | "integer" | "number" | "boolean" | "array" | "object";

interface SchemaNode {
  readonly type: Word | "int-or-string" | undefined;
  readonly values: readonly Json[] | undefined;
  readonly minimum: number;
  readonly maximum: number;
  readonly required: readonly string[];
  readonly properties: ReadonlyMap<string, SchemaNode>;
  /** Of a list's items, or of a map's values. */
  readonly items: SchemaNode | undefined;
}

/** Types, closed sets of words, bounds of numbers and required fields; what else a schema can say is for the API server. */
export function compileSchemaCheck(schema: JsonObject): SchemaCheck {
  const node = compile(schema, 0, { nodes: MAX_NODES });
  return (value, field) => {
    const problems: SchemaProblem[] = [];
    check(node, value, field, problems);
    return problems;
  };
}

const WORDS: readonly Word[] = ["string", "integer", "number", "boolean", "array", "object"];

function compile(schema: JsonObject, depth: number, budget: { nodes: number }): SchemaNode {
  budget.nodes--;
  const inner = (value: Json | undefined): SchemaNode | undefined =>
    isJsonObject(value) && depth < MAX_DEPTH && budget.nodes > 0 ? compile(value, depth + 1, budget) : undefined;
  const properties = new Map<string, SchemaNode>();
  const named = ownValue(schema, "properties");
  for (const [name, value] of Object.entries(isJsonObject(named) ? named : {})) {
    const node = inner(value);
    if (node !== undefined) properties.set(name, node);
  }
  const word = ownValue(schema, "type");
  const [minimum, maximum] = [ownValue(schema, "minimum"), ownValue(schema, "maximum")];
  const [values, required] = [ownValue(schema, "enum"), ownValue(schema, "required")];
  return {
    type:
      ownValue(schema, "x-kubernetes-int-or-string") === true ? "int-or-string" : WORDS.find((known) => known === word),
    values: isJsonList(values) ? values : undefined,
    minimum: typeof minimum === "number" ? minimum : Number.NEGATIVE_INFINITY,
    maximum: typeof maximum === "number" ? maximum : Number.POSITIVE_INFINITY,
    required: isJsonList(required) ? required.filter((name) => typeof name === "string") : [],
    properties,
    items: inner(ownValue(schema, "items")) ?? inner(ownValue(schema, "additionalProperties")),
  };
}

function check(node: SchemaNode, value: Json, field: string, problems: SchemaProblem[]): void {
  if (problems.length >= MOST) return;
  const wanted = refusal(node, value);
  if (wanted !== undefined) {
    problems.push({ field, message: `${field} is ${found(value)}; allowed: ${wanted}.` });
    return;
  }
  if (isJsonList(value)) {
    const { items } = node;
    if (items !== undefined) value.forEach((item, at) => check(items, item, `${field}[${at}]`, problems));
  } else if (isJsonObject(value)) {
    checkObject(node, value, field, problems);
  }
}

function checkObject(node: SchemaNode, value: JsonObject, field: string, problems: SchemaProblem[]): void {
  for (const key of Object.keys(value)) {
    const schema = node.properties.get(key) ?? node.items;
    const own = value[key] ?? null;
    // The API server drops a null where none is allowed, so it is as good as absent.
    if (schema !== undefined && own !== null) check(schema, own, `${field}.${key}`, problems);
  }
  for (const key of node.required) {
    if ((ownValue(value, key) ?? null) === null && problems.length < MOST)
      problems.push({ field: `${field}.${key}`, message: `${field}.${key} is missing: it is required.` });
  }
}

/** What would be right instead, or undefined if the value itself is. */
function refusal({ type, values, minimum, maximum }: SchemaNode, value: Json): string | undefined {
  if (type !== undefined && !hasType(type, value)) return TYPES[type];
  if (values !== undefined && !values.includes(value)) return values.map((one) => found(one)).join(", ");
  if (typeof value !== "number" || (value >= minimum && value <= maximum)) return undefined;
  if (maximum === Number.POSITIVE_INFINITY) return `at least ${minimum}`;
  return minimum === Number.NEGATIVE_INFINITY ? `at most ${maximum}` : `${minimum} to ${maximum}`;
}

const TYPES: Readonly<Record<Word | "int-or-string", string>> = {
  string: "a string",
  integer: "a whole number",
  number: "a number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  "int-or-string": "a whole number or a string",
};

function hasType(type: Word | "int-or-string", value: Json): boolean {
  switch (type) {
    case "string":
    case "number":
    case "boolean":
      return typeof value === type;
    case "integer":
      return Number.isInteger(value);
    case "array":
      return isJsonList(value);
    case "object":
      return isJsonObject(value);
    case "int-or-string":
      return typeof value === "string" || Number.isInteger(value);
  }
}
