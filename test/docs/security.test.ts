/** docs/security.md names tests: for each hazard, for what users may do, and for what a compromised tenant could reach. */
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

const text = readFileSync("docs/security.md", "utf8");
const section = (title: string): string => text.split(`\n## ${title}\n`)[1]?.split("\n## ")[0] ?? "";
const rowsOf = (title: string): readonly (readonly string[])[] =>
  section(title)
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .slice(2)
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );

interface Cited {
  readonly file: string;
  readonly name: string;
}

/** `file "name", "name"; file "name"`; what else the text has is in `rest`. */
function parseCitation(cell: string): { readonly cited: readonly Cited[]; readonly rest: string } {
  const cited: Cited[] = [];
  const rest = cell.replace(
    /((?:src|test)\/[\w./-]+\.test\.ts)((?:,? "[^"]+")+)/g,
    (_, file: string, names: string) => {
      for (const [, name = ""] of names.matchAll(/"([^"]+)"/g)) cited.push({ file, name });
      return "";
    },
  );
  return { cited, rest: rest.replace(/[;\s]/g, "") };
}

const sources = new Map<string, string>();
/** The source of a test file, with `…` for what differs between the tests of a table. */
function sourceOf(file: string): string {
  let source = sources.get(file);
  if (source === undefined) {
    source = existsSync(file) ? readFileSync(file, "utf8").replaceAll(/\$\{[^}]*\}|%[sdijo]/g, "…") : "";
    sources.set(file, source);
  }
  return source;
}

/** True if a test, a group of tests or a row of a table has the name. */
function isThere({ file, name }: Cited): boolean {
  const parts = name.split("…").map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`[([]\\s*(["\`])${parts.join("[^\\n]*?")}\\1\\s*,`).test(sourceOf(file));
}

const titles = ["What users may do", "What a compromised tenant could reach", "Hazards"] as const;

describe.each(titles)("%s", (title) => {
  const rows = rowsOf(title);

  test("has a table", () => {
    expect(rows.length).toBeGreaterThan(title === "Hazards" ? 30 : 3);
  });

  test.each(rows.map((cells) => [cells[0], cells.at(-1) ?? ""]))("%s: its tests are there", (_, cell) => {
    const { cited, rest } = parseCitation(cell);
    expect(rest).toBe("");
    expect(cited.length).toBeGreaterThan(0);
    expect(cited.filter((one) => !isThere(one))).toEqual([]);
  });
});

test("what the text cites is there", () => {
  const { cited } = parseCitation(text);
  expect(cited.length).toBeGreaterThan(60);
  expect(cited.filter((one) => !isThere(one))).toEqual([]);
});

test.each<[string, Cited, boolean]>([
  ["a test", { file: "test/docs/security.test.ts", name: "has a table" }, true],
  ["a group with a name from a table", { file: "test/docs/security.test.ts", name: "…: its tests are there" }, true],
  ["a row of a table", { file: "test/docs/security.test.ts", name: "a row of a table" }, true],
  ["the beginning of a name", { file: "test/docs/security.test.ts", name: "what the text …" }, true],
  ["a part of a name", { file: "test/docs/security.test.ts", name: "the text cites" }, false],
  ["another file", { file: "test/docs/pages.test.ts", name: "has a table" }, false],
  ["no file", { file: "test/docs/absent.test.ts", name: "has a table" }, false],
])("it finds %s", (_, cited, isFound) => {
  expect(isThere(cited)).toBe(isFound);
});
