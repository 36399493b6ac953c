import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { expectGolden, writesGolden } from "./golden.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "prevail-golden-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const write = { PREVAIL_GOLDEN: "write" };
const writeInCi = { PREVAIL_GOLDEN: "write", CI: "true" };

test("equal text passes", () => {
  const path = join(folder, "out.yaml");
  writeFileSync(path, "a: 1\n");
  expectGolden(path, "a: 1\n", {});
});

test("different text fails and says how to accept it", () => {
  const path = join(folder, "out.yaml");
  writeFileSync(path, "a: 1\n");
  expect(() => expectGolden(path, "a: 2\n", {})).toThrow(/npm run golden/);
  expect(readFileSync(path, "utf8")).toBe("a: 1\n");
});

test("a missing file fails and is not written", () => {
  const path = join(folder, "out.yaml");
  expect(() => expectGolden(path, "a: 1\n", {})).toThrow(/does not exist/);
  expect(existsSync(path)).toBe(false);
});

test("golden files are refused in test/spec", () => {
  const path = fileURLToPath(new URL("../spec/out.yaml", import.meta.url));
  for (const environment of [write, {}]) {
    expect(() => expectGolden(path, "a: 1\n", environment)).toThrow(/test\/spec has no golden files/);
    expect(existsSync(path)).toBe(false);
  }
});

test("PREVAIL_GOLDEN=write writes, and makes folders", () => {
  const path = join(folder, "new", "out.yaml");
  expectGolden(path, "a: 1\n", write);
  expectGolden(path, "a: 2\n", write);
  expect(readFileSync(path, "utf8")).toBe("a: 2\n");
});

test("CI never writes", () => {
  const path = join(folder, "out.yaml");
  expect(() => expectGolden(path, "a: 1\n", writeInCi)).toThrow(/does not exist/);
  expect(existsSync(path)).toBe(false);
  expect(writesGolden({ PREVAIL_GOLDEN: "write", CI: "false" })).toBe(true);
});
