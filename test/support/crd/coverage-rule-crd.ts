/** The CRD of CoverageRule, from the same table that the parser checks against. */

import { isJsonObject, type JsonObject } from "../../../src/core/model/json.ts";
import { coverageRuleSchema } from "../../../src/core/model/schema/coverage-rule-schema.ts";
import { type CrdKind, column } from "./crd-document.ts";
import { objectSchema } from "./policy-definition-crd.ts";

/** As long as a condition of a policy may be. */
const MAX_CONDITION = 4096;

function withLongCondition(schema: JsonObject): JsonObject {
  const properties = schema["properties"];
  const condition = isJsonObject(properties) ? properties["condition"] : undefined;
  if (!isJsonObject(properties) || !isJsonObject(condition)) throw new Error("a CoverageRule has a condition");
  return { ...schema, properties: { ...properties, condition: { ...condition, maxLength: MAX_CONDITION } } };
}

export const coverageRuleCrd: CrdKind = {
  kind: "CoverageRule",
  plural: "coveragerules",
  shortNames: [],
  scope: "Cluster",
  labels: {},
  description: "What must hold of the effective policy of every target that the rule is about.",
  columns: [column("Condition", ".spec.condition"), column("Severity", ".spec.severity")],
  spec: {
    description: "docs/findings.md has an example, under 'In coverage'.",
    ...withLongCondition(objectSchema(coverageRuleSchema)),
  },
};
