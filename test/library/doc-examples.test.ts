/** Every exported function has a doc comment with an `@example`, and the examples compile and run. `npm run golden` rewrites testdata/doc-examples.ts. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test, vi } from "vitest";
import * as dataplane from "../../src/dataplane.ts";
import * as files from "../../src/files.ts";
import * as library from "../../src/index.ts";
import { expectGolden } from "../support/golden.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const sources = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
  // The entry wraps functions of the same name: its comment is the one that users see.
  .sort((a, b) => Number(b === "index.ts") - Number(a === "index.ts") || (a < b ? -1 : 1))
  .map((name) => readFileSync(join(root, "src", name), "utf8"));

/** The doc comment of an exported function. */
function commentOf(name: string): string | undefined {
  const pattern = new RegExp(`/\\*\\*((?:(?!\\*/)[^])*)\\*/\\nexport (?:async )?(?:function|const) ${name}\\b`);
  return sources.map((text) => pattern.exec(text)?.[1]).find((text) => text?.includes("@example"));
}

const exampleOf = (comment: string): string =>
  (/@example\n \* ```ts\n([\s\S]*?) \* ```/.exec(comment)?.[1] ?? "").replaceAll(/^ \* ?/gm, "  ");

const names = [library, dataplane, files].flatMap((entry) => Object.keys(entry)).sort();

describe("examples in doc comments", () => {
  test.each(names)("%s has one", (name) => {
    expect(exampleOf(commentOf(name) ?? ""), name).toMatch(new RegExp(`\\b${name}\\(`));
  });

  test("are the ones that run below", () => {
    const functions = names.map(
      (name) => `\nexport async function ${name}Example(): Promise<void> {\n${exampleOf(commentOf(name) ?? "")}}\n`,
    );
    expectGolden(join(root, "test/library/testdata/doc-examples.ts"), `${HEADER}${functions.join("")}`);
  });

  test("run", async () => {
    const log = vi.spyOn(console, "log").mockImplementation(() => undefined);
    const examples = Object.values(await import("./testdata/doc-examples.ts"));
    expect(examples.length).toBe(names.length);
    for (const example of examples) {
      log.mockClear();
      await example();
      expect(log).toHaveBeenCalled();
    }
    log.mockRestore();
  });
});

const HEADER = `/** The examples of the doc comments, each as a function. Generated: npm run golden. */
import { compileDataplane, updateDataplane } from "../../../src/dataplane.ts";
import { loadFiles, nodeFileSystem, parseDocuments } from "../../../src/files.ts";
import {
  affected,
  apply,
  buildSnapshot,
  buildStatus,
  builtInDefinitions,
  caveatsFor,
  check,
  createCel,
  effectivePolicies,
  evaluate,
  explain,
  findings,
  findTargets,
  how,
  objectId,
  parseObjectId,
  parseTargetId,
  plan,
  reach,
  trace,
  traceMesh,
  vendorDefinitions,
  verdicts,
} from "../../../src/index.ts";

const loaded = await loadFiles(["examples/bakery"], nodeFileSystem(process.stdin));
const objects = loaded.documents.map(({ value }) => value);
const evaluation = evaluate(buildSnapshot(objects));
const fridayFix = { group: "prevail.dev", kind: "RetryPolicy", namespace: "infra", name: "friday-fix" };
`;
