/** docs/rules.md, and the comments that it is generated from. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const script = fileURLToPath(new URL("../scripts/generate-rules.mjs", import.meta.url));
const run = (option: string) => spawnSync(process.execPath, [script, option], { encoding: "utf8" });

/** What the script prints as JSON. */
function read(option: string): unknown {
  return JSON.parse(run(option).stdout);
}

interface Rule {
  readonly title: string;
  readonly definition: string;
  readonly file: string;
  readonly tests: readonly string[];
}

const rules = read("--json") as readonly Rule[];

test("docs/rules.md is up to date", () => {
  const { status, stderr } = run("--check");
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
});

test("each comment in the shape of a rule is a rule of a known document", () => {
  expect(read("--unparsed")).toEqual([]);
});

test("each rule is decided in exactly one file", () => {
  const titles = rules.map(({ title }) => title.toLowerCase());
  expect(titles.filter((title, i) => titles.indexOf(title) < i)).toEqual([]);
});

test("each rule has a test that cites its heading or imports its file", () => {
  expect(rules.filter(({ tests }) => tests.length === 0).map(({ title, file }) => `${title} (${file})`)).toEqual([]);
});

test("each rule has a title and a definition in plain sentences", () => {
  const isSentence = /^[A-Z`"].*[.]$/s;
  expect(rules.filter(({ title, definition }) => title.endsWith(".") || !isSentence.test(definition))).toEqual([]);
});
