import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { lineAt, scanSource } from "../support/source/scan-source.ts";

/** All imports of a source except types of the core and files of its own folder, one line each. */
function findLoans(source: string): readonly string[] {
  const { code } = scanSource(source);
  const statements = [
    ...code.matchAll(/(?<![\w$.])(?:import|export(?=\s*(?:type\s*)?[{*]))\b(?<type>\s+type\b)?[^;"']*["']/g),
  ];
  return statements.flatMap((match) => {
    const start = match.index + match[0].length;
    const module = source.slice(start, code.indexOf(source[start - 1] ?? "", start));
    const isOwn = module.startsWith("./");
    const isType = match.groups?.["type"] !== undefined && module.startsWith("../../src/core/");
    return isOwn || isType ? [] : [`${lineAt(source, match.index)}: ${module}`];
  });
}

test("the oracle imports only types of the engine, and nothing else outside its folder", () => {
  const folder = fileURLToPath(new URL(".", import.meta.url));
  const files = readdirSync(folder).filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"));
  expect(files).toContain("oracle.ts");
  const loans = files.flatMap((name) =>
    findLoans(readFileSync(`${folder}${name}`, "utf8")).map((loan) => `${name}:${loan}`),
  );
  expect(loans).toEqual([]);
});

test.each([
  ['import { jsonEqual } from "../../src/core/model/json.ts";', ["1: ../../src/core/model/json.ts"]],
  ['import { type Json, jsonEqual } from "../../src/core/model/json.ts";', ["1: ../../src/core/model/json.ts"]],
  ['\nexport { jsonEqual } from "../../src/core/model/json.ts";', ["2: ../../src/core/model/json.ts"]],
  ['const json = await import("../../src/core/model/json.ts");', ["1: ../../src/core/model/json.ts"]],
  ['import type { Evaluation } from "../../src/index.ts";', ["1: ../../src/index.ts"]],
  ['import { isEqual } from "lodash";', ["1: lodash"]],
  ['import type { Json } from "../../src/core/model/json.ts";\nimport { field } from "./json-value.ts";', []],
])("%s", (source, loans) => {
  expect(findLoans(source)).toEqual(loans);
});
