/** The messages of a CRD's CEL rules that a value violates, evaluated with Prevail's CEL. */
import { createCel } from "../../../src/core/model/cel/create-cel.ts";
import { isJsonList, isJsonObject, type Json, type JsonObject, ownValue } from "../../../src/core/model/json.ts";

const evaluateRule = createCel();

export function failedValidations(schema: JsonObject, value: Json): readonly string[] {
  const failed: string[] = [];
  visit(schema, value, failed);
  return failed;
}

function visit(schema: JsonObject, value: Json, failed: string[]): void {
  for (const rule of listAt(schema, "x-kubernetes-validations").filter(isJsonObject)) {
    const outcome = evaluateRule(textAt(rule, "rule"), { spec: value, self: value });
    if (outcome.state !== "value") failed.push(`${outcome.state}: ${outcome.message}`);
    else if (!outcome.value) failed.push(textAt(rule, "message"));
  }
  const items = ownValue(schema, "items");
  if (isJsonList(value) && isJsonObject(items)) for (const item of value) visit(items, item, failed);
  const properties = ownValue(schema, "properties");
  if (!isJsonObject(value) || !isJsonObject(properties)) return;
  for (const [name, inner] of Object.entries(properties)) {
    const field = ownValue(value, name);
    if (field !== undefined && isJsonObject(inner)) visit(inner, field, failed);
  }
}

function listAt(object: JsonObject, key: string): readonly Json[] {
  const value = ownValue(object, key);
  return isJsonList(value) ? value : [];
}

function textAt(object: JsonObject, key: string): string {
  const value = ownValue(object, key);
  return typeof value === "string" ? value : "";
}
