import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";

type Environment = Readonly<Record<string, string | undefined>>;

/** True if golden files are to be rewritten: on request (`npm run golden`), and never in CI. */
export function writesGolden(environment: Environment): boolean {
  return environment["PREVAIL_GOLDEN"] === "write" && !isCi(environment);
}

function isCi({ CI }: Environment): boolean {
  return CI !== undefined && CI !== "" && CI !== "0" && CI !== "false";
}

/** Compares `actual` with the golden file at `path`; a difference fails the test with a line diff. */
export function expectGolden(path: string, actual: string, environment: Environment = process.env): void {
  if (isSpecification(path))
    throw new Error(`${path}: test/spec has no golden files; write the expected values by hand`);
  const expected = findText(path);
  if (writesGolden(environment)) {
    if (expected === actual) return;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, actual);
    return;
  }
  if (expected === undefined) {
    expect.fail(`golden file ${path} does not exist; run \`npm run golden\` to write it, then review it`);
  }
  expect(actual, `differs from ${path}; if that is intended, run \`npm run golden\` and review the diff`).toBe(
    expected,
  );
}

const SPECIFICATIONS = fileURLToPath(new URL("../spec", import.meta.url));

const isSpecification = (path: string): boolean => !relative(SPECIFICATIONS, resolve(path)).startsWith("..");

function findText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
