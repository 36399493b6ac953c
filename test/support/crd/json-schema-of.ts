import type { Json, JsonObject } from "../../../src/core/model/json.ts";
import type { Schema } from "../../../src/core/model/schema/schema.ts";

/**
 * The schema of one of Prevail's own kinds as JSON Schema, for editors: fields, types and words. Bounds and patterns are left to Prevail, which says what is
 * wrong in better words.
 */
export function jsonSchemaOf(schema: Schema): JsonObject {
  const { type, properties, required, items, additionalProperties } = schema;
  const head = { ...description(schema) };
  if (schema["x-kubernetes-int-or-string"] === true) {
    const words = schema["x-prevail-words"];
    return { ...head, anyOf: [{ type: "integer" }, words === undefined ? { type: "string" } : { enum: words }] };
  }
  if (type === undefined) return head;
  return {
    ...head,
    type,
    ...(schema.enum === undefined ? {} : { enum: schema.enum }),
    ...(required === undefined ? {} : { required }),
    ...(properties === undefined ? {} : { additionalProperties: false, properties: mapValues(properties) }),
    ...(typeof additionalProperties === "object" ? { additionalProperties: jsonSchemaOf(additionalProperties) } : {}),
    ...(items === undefined ? {} : { items: jsonSchemaOf(items) }),
    ...(schema.minItems === undefined ? {} : { minItems: schema.minItems }),
  };
}

function description(schema: Schema): { readonly [key: string]: Json } {
  const byDefault = schema["x-prevail-default"];
  const format = schema["x-prevail-format"];
  const parts = [
    schema.description,
    format === undefined ? undefined : `Written as ${format}.`,
    byDefault === undefined ? undefined : `Default: ${byDefault}.`,
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? {} : { description: parts.join(" ") };
}

const mapValues = (schemas: Readonly<Record<string, Schema>>): JsonObject =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, jsonSchemaOf(schema)]));
