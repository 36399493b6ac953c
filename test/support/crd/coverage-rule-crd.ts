/** The CRD of CoverageRule, generated from the table that the parser uses. */

import { coverageRuleSchema } from "../../../src/core/model/schema/own-kinds/coverage-rule-schema.ts";
import { conditions } from "./condition-schema.ts";
import { type CrdKind, column, integer, object } from "./crd-document.ts";
import { crdSchemaOf } from "./policy-definition-crd.ts";

export const coverageRuleCrd: CrdKind = {
  kind: "CoverageRule",
  plural: "coveragerules",
  shortNames: [],
  scope: "Cluster",
  labels: {},
  description: "A condition that the effective policy of every target of the rule must meet.",
  columns: [
    column("Enforce", ".spec.enforce"),
    column("Targets", ".status.targets", "integer"),
    column("Uncovered", ".status.uncovered", "integer"),
    column("Condition", ".spec.condition"),
  ],
  spec: {
    description: "docs/findings.md has an example, under 'In coverage'.",
    ...crdSchemaOf(coverageRuleSchema),
  },
  status: object("What became of the rule.", {
    targets: integer("The number of targets of the rule.", { minimum: 0 }),
    uncovered: integer("Targets that do not meet the rule.", { minimum: 0 }),
    unknown: integer("Targets at which the rule cannot be checked.", { minimum: 0 }),
    conditions: conditions("Accepted or Covered."),
  }),
};
