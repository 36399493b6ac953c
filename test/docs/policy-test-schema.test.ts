import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { parseDocuments } from "../../src/adapters/files/parse-documents.ts";
import { policyTestSchema } from "../../src/core/model/schema/own-kinds/policy-test-schema.ts";
import { schemaViolations } from "../support/cli/validate-schema.ts";
import { jsonSchemaOf } from "../support/crd/json-schema-of.ts";
import { expectGolden } from "../support/golden.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

test("docs/schemas/policy-test.json is generated from the schema that the parser uses", () => {
  const schema = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "PolicyTest",
    description: "Requests, and what must happen to them. 'prevail test' runs it.",
    type: "object",
    required: ["apiVersion", "kind", "metadata", "spec"],
    additionalProperties: false,
    properties: {
      apiVersion: { const: "prevail.dev/v1alpha1" },
      kind: { const: "PolicyTest" },
      metadata: { type: "object", required: ["name"], properties: { name: { type: "string" } } },
      spec: jsonSchemaOf(policyTestSchema),
    },
  };
  expectGolden(`${root}docs/schemas/policy-test.json`, `${JSON.stringify(schema, undefined, 2)}\n`);
});

describe("tests of ours are valid", () => {
  test.each(["examples/bakery/tests/requests.yaml", "docs/guide/orders-once.yaml"])("%s", (path) => {
    const { documents } = parseDocuments(readFileSync(`${root}${path}`, "utf8"), path);
    expect(documents.length).toBeGreaterThan(0);
    for (const { value } of documents) expect(schemaViolations("policy-test.json", value)).toEqual([]);
  });

  test("a misspelt field is not", () => {
    const value = {
      apiVersion: "prevail.dev/v1alpha1",
      kind: "PolicyTest",
      metadata: { name: "x" },
      spec: { cases: [{ name: "a", request: { host: "b" }, expect: { rout: "c" } }] },
    };
    expect(schemaViolations("policy-test.json", value)).toHaveLength(1);
  });
});
