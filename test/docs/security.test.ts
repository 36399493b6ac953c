/** docs/security.md names, for each hazard, the tests that show what prevents it. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { expect, test } from "vitest";

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
const rows = rowsOf("Hazards");

/** True for a file of tests, and for a folder that contains one. */
function hasTests(path: string): boolean {
  if (!existsSync(path)) return false;
  if (statSync(path).isFile()) return path.endsWith(".test.ts");
  return readdirSync(path).some((name) => name.endsWith(".test.ts"));
}

test("there are hazards", () => {
  expect(rows.length).toBeGreaterThan(20);
});

test.each(rows)("%s: its tests are there", (_hazard, _prevention, tests) => {
  const paths = (tests ?? "").match(/\b(?:src|test)\/[\w./-]*\w/g) ?? [];
  expect(paths.length).toBeGreaterThan(0);
  expect(paths.filter((path) => !hasTests(path))).toEqual([]);
});
