import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const script = fileURLToPath(new URL("../scripts/mutants.mjs", import.meta.url));
const mutants = (...args: readonly string[]) => spawnSync(process.execPath, [script, ...args], { encoding: "utf8" });

test("every row of the mutant table quotes existing code, and there are at least thirty", () => {
  const { stdout, stderr } = mutants("--list");
  expect(stderr).toBe("");
  expect(stdout.trim().split("\n").length).toBeGreaterThanOrEqual(30);
});

test("an unknown mutant name is an error", () => {
  const { status, stderr } = mutants("no such mistake");
  expect(status).toBe(2);
  expect(stderr).toContain("no such mistake");
});
