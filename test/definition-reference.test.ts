import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { test } from "vitest";
import { builtInDefinitions } from "../src/definitions/built-in-definitions.ts";
import { renderAttachments, renderFields, replaceSection } from "./support/crd/render-definition-reference.ts";
import { expectGolden } from "./support/golden.ts";

test("docs/definitions.md is up to date", () => {
  const path = fileURLToPath(new URL("../docs/definitions.md", import.meta.url));
  const page = readFileSync(path, "utf8");
  const withFields = replaceSection(page, "fields", renderFields());
  expectGolden(path, replaceSection(withFields, "attachments", renderAttachments(builtInDefinitions())));
});
