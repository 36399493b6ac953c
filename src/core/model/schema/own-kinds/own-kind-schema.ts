/** Builds the schemas of Prevail's own kinds. Every field has a description, and an optional one says what its default is. */
import type { Schema } from "../schema.ts";

/** Bounds that keep the cost of CEL rules in the CRDs within the limits of the API server. */
const MAX_ITEMS = 64;
const MAX_LENGTH = 1024;

export const text: Schema = { type: "string", maxLength: MAX_LENGTH };
export const name: Schema = { ...text, minLength: 1 };
export const flag: Schema = { type: "boolean" };
export const count: Schema = { type: "integer", minimum: 1 };
export const choice = (words: readonly string[]): Schema => ({ ...text, enum: words });
/** `format` describes the text, for messages and reference pages. */
export const formatted = (format: string): Schema => ({ ...text, "x-prevail-format": format });
export const list = (items: Schema): Schema => ({
  type: "array",
  items,
  maxItems: MAX_ITEMS,
  "x-kubernetes-list-type": "atomic",
});
export const nonEmptyList = (items: Schema): Schema => ({ ...list(items), minItems: 1 });
export const map = (values: Schema): Schema => ({
  type: "object",
  additionalProperties: values,
  maxProperties: MAX_ITEMS,
});

export interface Field {
  readonly schema: Schema;
  readonly isRequired: boolean;
}

export const required = (schema: Schema, description: string): Field => ({
  schema: { description, ...schema },
  isRequired: true,
});
export const optional = (schema: Schema, byDefault: string, description: string): Field => ({
  schema: { description, ...schema, "x-prevail-default": byDefault },
  isRequired: false,
});

export function object(fields: Readonly<Record<string, Field>>): Schema {
  const names = Object.keys(fields).filter((field) => fields[field]?.isRequired);
  return {
    type: "object",
    properties: Object.fromEntries(Object.entries(fields).map(([field, { schema }]) => [field, schema])),
    ...(names.length === 0 ? {} : { required: names }),
  };
}

/** An object, or a string that stands for it. `format` describes the string. */
export const shorthand = (format: string, fields: Readonly<Record<string, Field>>): Schema => ({
  "x-prevail-shorthand": format,
  ...object(fields),
});
