/** docs/rules.md, the comments that it is generated from, and the names of the specification tests that it links to. */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const script = fileURLToPath(new URL("../scripts/generate-rules.mjs", import.meta.url));
const specifications = fileURLToPath(new URL("./spec", import.meta.url));
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

/** The document that the files of each folder of test/spec cite first. */
const documents: Readonly<Record<string, string>> = {
  "gateway-api": "Gateway API",
  "gep-713": "GEP-713",
  "gep-713-experimental": "GEP-713 experimental",
  kubernetes: "Kubernetes",
  "policy-attachment-reference": "Policy attachment reference",
  "rfc-0009": "RFC 9",
};

/** Words as in names of files: `HTTPRouteSpec.hostnames` has four. */
const wordsOf = (text: string): readonly string[] =>
  text
    .replaceAll("&", " and ")
    .replaceAll(/([a-z0-9])([A-Z])|([A-Z])(?=[A-Z][a-z]{2})/g, "$1$3 $2")
    .toLowerCase()
    .match(/[a-z0-9]+/g) ?? [];

/** True if the words are among the others in this order. */
function isPartOf(words: readonly string[], others: readonly string[]): boolean {
  const [word, ...rest] = words;
  if (word === undefined) return true;
  const at = others.indexOf(word);
  return at !== -1 && isPartOf(rest, others.slice(at + 1));
}

describe("a file of test/spec", () => {
  const files = readdirSync(specifications, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".test.ts"))
    .map(({ parentPath, name }) => {
      const path = join(parentPath, name);
      const text = readFileSync(path, "utf8");
      const [, first = ""] = /^\/\*\*\s+(?:\* )?(.+?)(?: \*\/)?$/m.exec(text) ?? [];
      const [, document, heading, part = ""] = /^([^"]+), "(.+?)"(?:: (.+))?$/.exec(first) ?? [];
      const folder = relative(specifications, dirname(path));
      return {
        path: relative(specifications, path),
        folder,
        name: basename(name, ".test.ts"),
        text,
        document,
        heading,
        part,
      };
    });

  test("cites a heading of the document of its folder in its first line", () => {
    expect(files.length).toBeGreaterThan(80);
    const others = files.filter(({ folder, document }) => document === undefined || document !== documents[folder]);
    expect(others.map(({ path }) => path)).toEqual([]);
  });

  test("is named after its heading and what follows it in the first line", () => {
    const others = files.filter(
      ({ name, heading = "", part }) => !isPartOf(wordsOf(name), wordsOf(`${heading} ${part}`)),
    );
    expect(others.map(({ path, heading, part }) => `${path}: ${heading} ${part}`)).toEqual([]);
  });

  test("has a heading of its own, or a name that begins with that of the main file of the heading", () => {
    const others = files.filter(({ folder, heading = "", name, part }) => {
      const same = files.filter((one) => one.folder === folder && one.heading?.toLowerCase() === heading.toLowerCase());
      if (same.length === 1) return false;
      const main = same.reduce((a, b) => (a.name.length <= b.name.length ? a : b)).name;
      return name !== main && (!name.startsWith(`${main}-`) || part === "");
    });
    expect(others.map(({ path, heading }) => `${path}: ${heading}`)).toEqual([]);
  });

  test("compares with values that are written by hand, not with golden files", () => {
    expect(files.filter(({ text }) => /golden/i.test(text)).map(({ path }) => path)).toEqual([]);
  });
});
