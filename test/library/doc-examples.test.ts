/**
 * Every exported type has a doc comment. Every exported function, and every type whose values users make, has an `@example`, and the examples
 * compile and run. `npm run golden` rewrites testdata/doc-examples.ts.
 */
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

/** The doc comments of exported declarations of a name. */
function commentsOf(name: string): readonly string[] {
  const declared = `export (?:async )?(?:function|const|interface|type|class) ${name}\\b`;
  const pattern = new RegExp(`/\\*\\*((?:(?!\\*/)[^])*)\\*/\\n${declared}`);
  return sources.flatMap((text) => pattern.exec(text)?.[1] ?? []);
}

const commentOf = (name: string): string | undefined => commentsOf(name).find((text) => text.includes("@example"));

const exampleOf = (comment: string): string =>
  (/@example\n \* ```ts\n([\s\S]*?) \* ```/.exec(comment)?.[1] ?? "").replaceAll(/^ \* ?/gm, "  ");

const functions = [library, dataplane, files].flatMap((entry) => Object.keys(entry)).sort();

/** The names of the types that an entry exports. */
function typesOf(entry: string): readonly string[] {
  const text = readFileSync(join(root, "src", entry), "utf8");
  const lists = [...text.matchAll(/^export (type )?\{([^}]*)\}/gm)].flatMap(([, isType, list = ""]) =>
    list
      .split(",")
      .map((name) => name.trim())
      .filter((name) => name !== "" && (isType !== undefined || name.startsWith("type ")))
      .map((name) => name.replace("type ", "")),
  );
  return [...lists, ...[...text.matchAll(/^export interface (\w+)/gm)].map(([, name = ""]) => name)];
}

const types = ["index.ts", "dataplane.ts", "files.ts"].flatMap(typesOf).sort();

/** Types whose values users make, beside those with a name in Options, Limits or Filter. */
const MADE_BY_USERS = new Set([
  "CaveatQuestion",
  "Change",
  "Completeness",
  "CustomStrategies",
  "CustomStrategy",
  "EvaluateCondition",
  "FileSystem",
  "TargetRef",
  "TracedRequest",
  "WantedSetting",
]);
const made = types.filter((name) => MADE_BY_USERS.has(name) || /(?:Options|Limits|Filter)$/.test(name));

const names = [...functions, ...made];

test.each(types)("the type %s has a doc comment", (name) => {
  expect(commentsOf(name)).not.toEqual([]);
});

describe("examples in doc comments", () => {
  test.each(functions)("%s has one", (name) => {
    expect(exampleOf(commentOf(name) ?? ""), name).toMatch(new RegExp(`\\b${name}\\(`));
  });

  test.each(made)("%s has one", (name) => {
    expect(exampleOf(commentOf(name) ?? ""), name).toMatch(new RegExp(`: (?:readonly )?${name}\\b`));
  });

  test("are the ones that run below", () => {
    expect(made.length).toBeGreaterThan(20);
    const examples = names.map(
      (name) =>
        `\nexport async function ${functionName(name)}(): Promise<void> {\n${exampleOf(commentOf(name) ?? "")}}\n`,
    );
    expectGolden(join(root, "test/library/testdata/doc-examples.ts"), `${HEADER}${examples.join("")}`);
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

const functionName = (name: string): string => `${name.charAt(0).toLowerCase()}${name.slice(1)}Example`;

const importsOf = (entry: string): string =>
  typesOf(entry)
    .filter((name) => made.includes(name))
    .sort()
    .map((name) => `  type ${name},\n`)
    .join("");

const HEADER = `/** The examples of the doc comments, each as a function. Generated: npm run golden. */
import {
${importsOf("dataplane.ts")}  compileDataplane,
  updateDataplane,
} from "../../../src/dataplane.ts";
import {
${importsOf("files.ts")}  loadFiles,
  nodeFileSystem,
  parseDocuments,
} from "../../../src/files.ts";
import {
${importsOf("index.ts")}  affected,
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
