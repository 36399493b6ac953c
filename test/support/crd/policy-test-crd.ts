/** The CRD of PolicyTest, generated from the table that the parser uses. Nothing reads PolicyTests in a cluster; with the CRD a folder that has some can be applied. */

import { policyTestSchema } from "../../../src/core/model/schema/own-kinds/policy-test-schema.ts";
import type { CrdKind } from "./crd-document.ts";
import { crdSchemaOf } from "./policy-definition-crd.ts";

export const policyTestCrd: CrdKind = {
  kind: "PolicyTest",
  plural: "policytests",
  shortNames: [],
  scope: "Cluster",
  labels: {},
  description: "Requests, and what must happen to them. 'prevail test' runs it on files; a cluster only stores it.",
  columns: [],
  spec: {
    description: "docs/ci.md has an example.",
    ...crdSchemaOf(policyTestSchema),
  },
};
