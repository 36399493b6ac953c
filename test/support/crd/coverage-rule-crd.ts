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
  description: "A condition that the effective policy of every target of the rule must meet.",
  columns: [column("Enforce", ".spec.enforce"), column("Condition", ".spec.condition")],
  spec: {
    description: "docs/findings.md has an example, under 'In coverage'.",
    ...crdSchemaOf(coverageRuleSchema),
  },
};
