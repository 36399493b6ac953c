/** The CRD of PolicyDefinition, generated from the table that the parser uses. */

import { isJsonObject, type Json, type JsonObject } from "../../../src/core/model/json.ts";
import { definitionSchema } from "../../../src/core/model/schema/own-kinds/definition-schema.ts";
import type { Schema } from "../../../src/core/model/schema/schema.ts";
import { type CrdKind, column, validation, validations } from "./crd-document.ts";

/** The schema of one of Prevail's own kinds, as its CRD has it. */
export function crdSchemaOf(schema: Schema): JsonObject {
  const { description, properties, items, additionalProperties } = schema;
  const byDefault = schema["x-prevail-default"];
  const text = byDefault === undefined ? description : `${description} Default: ${byDefault}.`;
  const head = text === undefined ? {} : { description: text };
  // A string or an object: a structural schema cannot express that, so the controller checks the value.
  if (schema["x-prevail-shorthand"] !== undefined) return { ...head, "x-kubernetes-preserve-unknown-fields": true };
  const inner: { [key: string]: Json } = {};
  for (const [key, value] of Object.entries(schema)) {
    if (key === "description" || key.startsWith("x-prevail-")) continue;
    if (key === "properties") inner[key] = mapValues(properties ?? {}, crdSchemaOf);
    else if (key === "items" && items !== undefined) inner[key] = crdSchemaOf(items);
    else if (key === "additionalProperties" && typeof additionalProperties === "object")
      inner[key] = crdSchemaOf(additionalProperties);
    else inner[key] = value;
  }
  return { ...head, ...inner };
}

const mapValues = (schemas: Readonly<Record<string, Schema>>, each: (schema: Schema) => JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, each(schema)]));

/** CEL rules by the dotted path of the field that they validate. */
const rules: Readonly<Record<string, readonly JsonObject[]>> = {
  "": [
    validation(
      "self.class != 'Direct' || !has(self.merge) || !has(self.merge.strategy) || self.merge.strategy == 'None'",
      "a Direct policy kind supports only the strategy None",
    ),
    validation(
      "self.policies.all(p, self.policies.exists_one(q, q.group == p.group && q.kind == p.kind))",
      "list each policy kind once",
    ),
  ],
  merge: [
    validation(
      "(has(self.decidedBy) && self.decidedBy == 'Annotation') == has(self.annotation)",
      "annotation goes with decidedBy: Annotation",
    ),
  ],
};

function withRules(schema: JsonObject, path = ""): JsonObject {
  const own = rules[path];
  const properties = schema["properties"];
  const inner: { [key: string]: Json } = {};
  for (const [name, value] of Object.entries(isJsonObject(properties) ? properties : {})) {
    inner[name] = isJsonObject(value) ? withRules(value, path === "" ? name : `${path}.${name}`) : value;
  }
  return {
    ...schema,
    ...(isJsonObject(properties) ? { properties: inner } : {}),
    ...(own === undefined ? {} : validations(...own)),
  };
}

export const policyDefinitionCrd: CrdKind = {
  kind: "PolicyDefinition",
  plural: "policydefinitions",
  shortNames: ["poldef"],
  scope: "Cluster",
  labels: {},
  description: "Defines a policy kind: what it may target, where it takes effect, and how two policies are merged.",
  columns: [column("Policy", ".spec.policies[0].kind"), column("Class", ".spec.class")],
  spec: {
    description: "docs/definitions.md has the reference.",
    ...withRules(crdSchemaOf(definitionSchema)),
  },
};
