/** The mistakes that the API server refuses in the schemas of a CustomResourceDefinition. */
import { isJsonList, isJsonObject, type Json, type JsonObject, objectAt, ownValue } from "../json.ts";
import { didYouMean } from "../words/did-you-mean.ts";
import { formatValue } from "../words/format-value.ts";
import { objects } from "./read-fields.ts";
import { MAX_PROBLEMS, pathTo, type SchemaProblem } from "./schema-problems.ts";

/** The bounds of `compileSchema`: a deeper or larger schema is read up to these bounds. */
const MAX_DEPTH = 48;
const MAX_NODES = 50_000;

const TYPES: readonly string[] = ["array", "boolean", "integer", "number", "object", "string"];

/** The type of each key of a schema that is not a schema itself. */
const KEYS: ReadonlyMap<string, KeyType> = new Map<string, KeyType>([
  ...keys("a string", "type title description format pattern $schema id x-kubernetes-list-type x-kubernetes-map-type"),
  ...keys("true or false", "nullable uniqueItems exclusiveMinimum exclusiveMaximum x-kubernetes-int-or-string"),
  ...keys("true or false", "x-kubernetes-preserve-unknown-fields x-kubernetes-embedded-resource"),
  ...keys("a whole number", "minLength maxLength minItems maxItems minProperties maxProperties"),
  ...keys("a number", "minimum maximum multipleOf"),
  ...keys("a list of strings", "required x-kubernetes-list-map-keys"),
  ...keys("a list", "enum allOf anyOf oneOf x-kubernetes-validations"),
  ...keys("an object", "properties patternProperties items not"),
]);

/** The type of each key of a rule in `x-kubernetes-validations`. */
const RULE_KEYS: ReadonlyMap<string, KeyType> = new Map<string, KeyType>([
  ...keys("a string", "rule message messageExpression reason fieldPath"),
  ...keys("true or false", "optionalOldSelf"),
]);

/** Values of keys with few values. */
const WORDS: ReadonlyMap<string, readonly string[]> = new Map([
  ["type", TYPES],
  ["x-kubernetes-list-type", ["atomic", "set", "map"]],
  ["x-kubernetes-map-type", ["atomic", "granular"]],
]);

type KeyType =
  | "a string"
  | "true or false"
  | "a whole number"
  | "a number"
  | "a list of strings"
  | "a list"
  | "an object";

function keys(type: KeyType, names: string): readonly (readonly [string, KeyType])[] {
  return names.split(" ").map((name) => [name, type]);
}

/**
 * Structural schemas
 *
 * The schema of a CRD says the type of each field, the items of each list, and either the fields or the values of an object. Rules are
 * objects with an expression. The API server refuses a CRD with another schema, so no object can be judged by it.
 * Kubernetes, "Specifying a structural schema"
 */
export function crdProblems(crd: JsonObject): readonly SchemaProblem[] {
  const walk: Walk = { problems: [], nodes: MAX_NODES };
  objects(objectAt(crd, "spec"), "versions").forEach((version, index) => {
    const root = ownValue(objectAt(version, "schema"), "openAPIV3Schema");
    if (isJsonObject(root)) checkSchema(root, `spec.versions[${index}].schema.openAPIV3Schema`, 0, "Root", walk);
  });
  return walk.problems;
}

interface Walk {
  readonly problems: SchemaProblem[];
  nodes: number;
}

/** `Part`: a part of an alternative, which adds conditions to a schema and says no type. */
type Role = "Root" | "Value" | "Part";

function checkSchema(schema: JsonObject, field: string, depth: number, role: Role, walk: Walk): void {
  if (depth > MAX_DEPTH || walk.nodes-- <= 0 || walk.problems.length >= MAX_PROBLEMS) return;
  checkKeys(schema, KEYS, field, walk);
  if (role !== "Part") checkStructure(schema, field, role, walk);
  checkRules(schema, field, walk);
  const inner = (value: Json | undefined, at: string, own: Role): void => {
    if (isJsonObject(value)) checkSchema(value, at, depth + 1, own, walk);
    else if (value !== undefined) report(walk, "type", at, `${at} is ${formatValue(value)}; allowed: a schema`);
  };
  const below: Role = role === "Part" ? "Part" : "Value";
  const properties = ownValue(schema, "properties");
  if (isJsonObject(properties))
    for (const name of Object.keys(properties)) inner(properties[name], pathTo(`${field}.properties`, name), below);
  if (isJsonObject(ownValue(schema, "items"))) inner(schema["items"], `${field}.items`, below);
  const values = ownValue(schema, "additionalProperties");
  if (typeof values !== "boolean") inner(values, `${field}.additionalProperties`, below);
  if (isJsonObject(ownValue(schema, "not"))) inner(schema["not"], `${field}.not`, "Part");
  for (const key of ["allOf", "anyOf", "oneOf"]) {
    const parts = ownValue(schema, key);
    if (!isJsonList(parts)) continue;
    for (const [index, part] of parts.entries()) inner(part, `${field}.${key}[${index}]`, "Part");
  }
}

function checkKeys(object: JsonObject, types: ReadonlyMap<string, KeyType>, field: string, walk: Walk): void {
  for (const key of Object.keys(object)) {
    const type = types.get(key);
    const value = object[key];
    if (type === undefined || value === null || value === undefined) continue;
    const words = WORDS.get(key);
    const at = pathTo(field, key);
    if (!isOfType(type, value)) report(walk, "type", at, `${at} is ${formatValue(value)}; allowed: ${type}`);
    else if (typeof value === "string" && value !== "" && words !== undefined && !words.includes(value))
      report(
        walk,
        "value",
        at,
        `${at} is ${formatValue(value)}; allowed: ${words.join(", ")}${didYouMean(value, words)}`,
      );
  }
}

function isOfType(type: KeyType, value: Json): boolean {
  switch (type) {
    case "a string":
      return typeof value === "string";
    case "true or false":
      return typeof value === "boolean";
    case "a whole number":
      return Number.isInteger(value);
    case "a number":
      return typeof value === "number";
    case "a list":
      return isJsonList(value);
    case "a list of strings":
      return isJsonList(value) && value.every((item) => typeof item === "string");
    case "an object":
      return isJsonObject(value);
  }
}

function checkStructure(schema: JsonObject, field: string, role: Role, walk: Walk): void {
  const type = ownValue(schema, "type");
  const isOpen =
    ownValue(schema, "x-kubernetes-preserve-unknown-fields") === true ||
    ownValue(schema, "x-kubernetes-int-or-string") === true;
  const hasType = type !== undefined && type !== null && type !== "";
  const missing = (key: string, what: string): void =>
    report(walk, "missing", pathTo(field, key), `${pathTo(field, key)} is missing; ${what}`);
  if (!hasType && role === "Root") missing("type", "the schema of an object has type object");
  else if (!hasType && !isOpen) missing("type", `the schema of a value has one of ${TYPES.join(", ")}`);
  else if (role === "Root" && type !== "object" && TYPES.some((known) => known === type))
    report(walk, "value", `${field}.type`, `${field}.type is ${formatValue(type)}; allowed: object`);
  if (type === "array" && ownValue(schema, "items") === undefined)
    missing("items", "a list has a schema for its items");
  const values = ownValue(schema, "additionalProperties");
  const hasFields = isJsonObject(schema["properties"]) && Object.keys(schema["properties"]).length > 0;
  if (hasFields && values !== undefined && values !== false)
    report(
      walk,
      "value",
      `${field}.additionalProperties`,
      `${field} has both properties and additionalProperties; the API server allows one of them`,
    );
  if (ownValue(schema, "x-kubernetes-list-type") === "map" && !isJsonList(schema["x-kubernetes-list-map-keys"]))
    missing("x-kubernetes-list-map-keys", "a list of type map has keys");
  if (ownValue(schema, "$ref") !== undefined)
    report(walk, "value", `${field}.$ref`, `${field}.$ref is not allowed; write the schema out`);
}

function checkRules(schema: JsonObject, field: string, walk: Walk): void {
  const rules = ownValue(schema, "x-kubernetes-validations");
  if (!isJsonList(rules)) return;
  rules.forEach((rule, index) => {
    const at = `${field}.x-kubernetes-validations[${index}]`;
    if (!isJsonObject(rule)) {
      report(walk, "type", at, `${at} is ${formatValue(rule)}; allowed: an object with a rule`);
      return;
    }
    checkKeys(rule, RULE_KEYS, at, walk);
    const expression = ownValue(rule, "rule");
    if (expression === undefined || expression === null || expression === "")
      report(walk, "missing", `${at}.rule`, `${at}.rule is missing; a rule has an expression`);
  });
}

function report({ problems }: Walk, problem: SchemaProblem["problem"], field: string, message: string): void {
  if (problems.length < MAX_PROBLEMS) problems.push({ problem, field, message });
}
