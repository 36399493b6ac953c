import { once } from "../../collections/once.ts";
import { isJsonList, isJsonObject, type Json, type JsonObject, ownValue } from "../../json.ts";
import { listCheck } from "./check-list.ts";
import type { Check, CheckNode } from "./check-node.ts";
import { ruleChecks } from "./check-rules.ts";
import { valueChecks } from "./check-value.ts";
import { allowedByFormat } from "./formats.ts";

/** The bound of `compileSchema`. */
const MAX_DEPTH = 48;
const MAX_NODES = 50_000;

/** Keys of a schema that always make checks. */
const CHECKED = "exclusiveMinimum exclusiveMaximum multipleOf allOf anyOf oneOf not x-kubernetes-validations".split(
  " ",
);

/** True if a part of a schema may have checks of its own. Most have none; the others are made for the first value. */
function hasChecks(schema: JsonObject, origin: "BuiltIn" | "Input"): boolean {
  const format = ownValue(schema, "format");
  const listType = ownValue(schema, "x-kubernetes-list-type");
  return (
    (origin === "Input" && ownValue(schema, "pattern") !== undefined) ||
    (typeof format === "string" && allowedByFormat(format) !== undefined) ||
    listType === "set" ||
    listType === "map" ||
    CHECKED.some((key) => Object.hasOwn(schema, key))
  );
}

interface Compilation {
  readonly origin: "BuiltIn" | "Input";
  readonly known: Map<JsonObject, CheckNode | undefined>;
  nodes: number;
}

/**
 * Compiles what the API server checks after defaults are filled in: CEL rules, keys of lists, formats, alternatives, and patterns
 * of a schema that comes from the input. Undefined if the schema has none of these.
 */
export function compileChecks(schema: JsonObject, origin: "BuiltIn" | "Input"): CheckNode | undefined {
  return compile(schema, 0, { origin, known: new Map(), nodes: MAX_NODES });
}

function compile(schema: JsonObject, depth: number, compilation: Compilation): CheckNode | undefined {
  if (depth > MAX_DEPTH || compilation.nodes <= 0) return undefined;
  const { origin, known } = compilation;
  if (origin === "BuiltIn" && known.has(schema)) return known.get(schema);
  compilation.nodes--;
  const inner = (value: Json | undefined): CheckNode | undefined =>
    isJsonObject(value) ? compile(value, depth + 1, compilation) : undefined;
  const properties = ownValue(schema, "properties");
  const fields: { readonly key: string; readonly node: CheckNode }[] = [];
  if (isJsonObject(properties)) {
    for (const key of Object.keys(properties)) {
      const node = inner(properties[key]);
      if (node !== undefined) fields.push({ key, node });
    }
  }
  const items = inner(ownValue(schema, "items")) ?? inner(ownValue(schema, "additionalProperties"));
  const checks = hasChecks(schema, origin) ? once(() => checksOf(schema, origin)) : noChecks;
  const isEmpty = fields.length === 0 && items === undefined && checks === noChecks;
  const node = isEmpty ? undefined : { checks, fields, items, mapKeys: mapKeysOf(schema) };
  if (origin === "BuiltIn") known.set(schema, node);
  return node;
}

const NO_CHECKS: readonly Check[] = [];
const noChecks = (): readonly Check[] => NO_CHECKS;

function checksOf(schema: JsonObject, origin: "BuiltIn" | "Input"): readonly Check[] {
  return [...valueChecks(schema, origin), ...listCheck(schema), ...ruleChecks(schema)];
}

/** The keys by which items of a list are the same item before and after a change. */
function mapKeysOf(schema: JsonObject): readonly string[] | undefined {
  const keys = ownValue(schema, "x-kubernetes-list-map-keys");
  if (ownValue(schema, "x-kubernetes-list-type") !== "map" || !isJsonList(keys)) return undefined;
  return keys.filter((key) => typeof key === "string");
}
