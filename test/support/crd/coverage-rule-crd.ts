/** The CRD of CoverageRule, generated from the table that the parser uses. */

import { coverageRuleSchema } from "../../../src/core/model/schema/coverage-rule-schema.ts";
import { type CrdKind, column } from "./crd-document.ts";
import { crdSchemaOf } from "./policy-definition-crd.ts";

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
    ...crdSchemaOf(coverageRuleSchema),
  },
};
