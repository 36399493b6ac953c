/** Plain words in comments and pages: [docs/glossary.md](../../docs/glossary.md) has the words that we use instead. */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** A pattern, and what to write instead. */
const rules: readonly (readonly [RegExp, string])[] = [
  [/\bwhoever\b/i, "name the reader: the caller, the command line, a data plane"],
  [/\b(?:nobody|somebody|anybody)\b/i, "name the subject, or write the sentence without one"],
  [/\bin vain\b/i, "refused"],
  [/\bmend(?:s|ed|ing)?\b/, "fix"],
  [/\bhangs?\b/, "is attached to, is below"],
  [/\bfares?\b/, "takes effect, is overridden"],
  [/\bbeat(?:s|en)?\b/, "overrides, replaces"],
  [/\bprevail(?:s|ed|ing)\b/, "takes effect; prevail is the name of the product only"],
  [
    /(?:^|\/\*\*|\/\/|^\s*\*) (?:Of (?!course|two |several |the )|Those |They,|The same\b|What who|Who |Whose )/,
    "a sentence with a subject",
  ],
];

/** Files and folders whose words are not revised yet. */
const unrevised: readonly string[] = [
  "bench/engine-fleet.ts",
  "bench/read-evaluation.ts",
  "docs/cli.md",
  "docs/commands/README.md",
  "docs/commands/check.md",
  "docs/commands/get.md",
  "docs/commands/graph.md",
  "docs/concepts.md",
  "docs/decisions/0004-cli.md",
  "docs/definitions.md",
  "src/cli/graph/",
  "src/cli/print/",
  "src/core/dataplane/",
  "src/core/effective/",
  "src/core/model/",
];

/** Not written for readers, or quoted from elsewhere. */
const isSkipped = (path: string): boolean =>
  unrevised.some((prefix) => path.startsWith(prefix)) ||
  /\/(?:gen|testdata|node_modules)\/|^test\/golden\/|^docs\/(?:images|schemas)\/|words\.(?:test\.ts|md)$/.test(path);

const files = ["src", "test", "bench", "scripts", "docs", "examples"]
  .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
  .filter((entry) => entry.isFile() && /\.(?:ts|mjs|md|yaml)$/.test(entry.name))
  .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join("/"))
  .concat("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md")
  .filter((path) => !isSkipped(path));

/** The lines that people read: pages whole, of code the comments. */
function linesOf(path: string): readonly (readonly [number, string])[] {
  const lines = readFileSync(join(root, path), "utf8").split("\n");
  const isText = /\.(?:md|yaml)$/.test(path);
  return lines.flatMap((line, index) =>
    isText || /^\s*(?:\/\*\*|\*|\/\/)|\s\/\/ /.test(line) ? [[index + 1, line] as const] : [],
  );
}

const violations = files.flatMap((path) =>
  linesOf(path).flatMap(([number, line]) =>
    rules.flatMap(([pattern, instead]) =>
      pattern.test(line) ? [`${path}:${number}: ${pattern.exec(line)?.[0].trim()}: write: ${instead}`] : [],
    ),
  ),
);

describe("words", () => {
  test("comments and pages are read", () => {
    expect(files.length).toBeGreaterThan(300);
  });

  test.each(["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "docs", "examples", "src", "test", "bench", "scripts"])(
    "in %s",
    (folder) => {
      const own = violations.filter((text) => text.startsWith(folder));
      expect(own, own.join("\n")).toEqual([]);
    },
  );
});
