import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { test } from "vitest";
import { parseDocuments } from "../../src/adapters/files/parse-documents.ts";
import { compileDataplane } from "../../src/core/compile.ts";
import { buildSnapshot, evaluate } from "../../src/index.ts";
import { formatConfig } from "../support/gateway/format-config.ts";
import { expectGolden } from "../support/golden.ts";

const folder = fileURLToPath(new URL("../../examples/bakery/", import.meta.url));
const golden = fileURLToPath(new URL("testdata/bakery-config.json", import.meta.url));

test("what the bakery's gateway has to do", () => {
  const documents = readdirSync(folder)
    .filter((name) => name.endsWith(".yaml"))
    .sort()
    .flatMap((name) => parseDocuments(readFileSync(join(folder, name), "utf8"), name).documents);
  const evaluation = evaluate(buildSnapshot(documents.map(({ value }) => value)));
  expectGolden(golden, formatConfig(compileDataplane(evaluation, { endpointAnnotations: "Used" })));
});
