import { isJsonList, isJsonObject, type Json, type JsonObject, ownValue } from "../../json.ts";
import { listCheck } from "./check-list.ts";
import type { Check, CheckNode } from "./check-node.ts";
import { ruleChecks } from "./check-rules.ts";
import { valueChecks } from "./check-value.ts";

/** As in `compileSchema`. */
const MAX_DEPTH = 48;
const MAX_NODES = 50_000;

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
  const fields = Object.entries(isJsonObject(properties) ? properties : {}).flatMap(([key, value]) => {
    const node = inner(value);
    return node === undefined ? [] : [{ key, node }];
  });
  const items = inner(ownValue(schema, "items")) ?? inner(ownValue(schema, "additionalProperties"));
  const checks: readonly Check[] = [...valueChecks(schema, origin), ...listCheck(schema), ...ruleChecks(schema)];
  const isEmpty = fields.length === 0 && items === undefined && checks.length === 0;
  const node = isEmpty ? undefined : { checks, fields, items, mapKeys: mapKeysOf(schema) };
  if (origin === "BuiltIn") known.set(schema, node);
  return node;
}

/** The keys by which items of a list are the same item before and after a change. */
function mapKeysOf(schema: JsonObject): readonly string[] | undefined {
  const keys = ownValue(schema, "x-kubernetes-list-map-keys");
  if (ownValue(schema, "x-kubernetes-list-type") !== "map" || !isJsonList(keys)) return undefined;
  return keys.filter((key) => typeof key === "string");
}
