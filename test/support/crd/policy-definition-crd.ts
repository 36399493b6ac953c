/** The CRD of PolicyDefinition, from the same table that the parser checks against. */

import { isJsonObject, type Json, type JsonObject } from "../../../src/core/model/json.ts";
import type { FieldShape, ObjectShape, Shape } from "../../../src/core/model/schema/check-shape.ts";
import { definitionSchema } from "../../../src/core/model/schema/definition-schema.ts";
import { type CrdKind, column, validation, validations } from "./crd-document.ts";

const MAX_ITEMS = 64;
const MAX_LENGTH = 1024;

function schemaOf(shape: Shape): JsonObject {
  switch (shape.type) {
    case "text":
      return { type: "string", maxLength: MAX_LENGTH, ...wordsOf(shape) };
    case "boolean":
      return { type: "boolean" };
    case "list":
      return {
        type: "array",
        items: schemaOf(shape.items),
        maxItems: MAX_ITEMS,
        "x-kubernetes-list-type": "atomic",
        ...(shape.atLeastOne === true ? { minItems: 1 } : {}),
      };
    case "map":
      return { type: "object", additionalProperties: schemaOf(shape.values), maxProperties: MAX_ITEMS };
    case "object":
      return objectSchema(shape);
    case "shorthand":
      // A word or an object: a structural schema cannot say that, so the controller checks what is inside.
      return { "x-kubernetes-preserve-unknown-fields": true };
  }
}

function wordsOf({ values, prefix, nonEmpty }: Shape & { readonly type: "text" }): JsonObject {
  if (values === undefined) return nonEmpty === true ? { minLength: 1 } : {};
  return prefix === undefined ? { enum: [...values] } : { pattern: `^(${values.join("|")}|${prefix}.+)$` };
}

export function objectSchema({ fields }: ObjectShape): JsonObject {
  const required = Object.keys(fields).filter((name) => fields[name]?.default === undefined);
  return {
    type: "object",
    properties: Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, fieldSchema(field)])),
    ...(required.length === 0 ? {} : { required }),
  };
}

const fieldSchema = ({ shape, doc, default: byDefault }: FieldShape): JsonObject => ({
  description: byDefault === undefined ? doc : `${doc} Default: ${byDefault}.`,
  ...schemaOf(shape),
});

/** CEL rules by the dotted path of what they stand beside. */
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
  description: "What a policy kind means: what it may target, where it acts, and how two policies become one.",
  columns: [column("Policy", ".spec.policies[0].kind"), column("Class", ".spec.class")],
  spec: {
    description: "docs/definitions.md has the reference.",
    ...withRules(objectSchema(definitionSchema)),
  },
};
