import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { findEnvoy } from "../support/gateway/envoy.ts";

const path = (name: string): string => fileURLToPath(new URL(`../../${name}`, import.meta.url));

const filesIn = (folder: string): ReadonlyMap<string, string> =>
  new Map(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
      .map((file) => [relative(folder, file), readFileSync(file, "utf8")]),
  );

test.skipIf(findEnvoy() === undefined)("src/xds/gen matches the descriptors in the Envoy binary", () => {
  const folder = mkdtempSync(join(tmpdir(), "prevail-gen-"));
  try {
    const { status, stderr } = spawnSync(process.execPath, [path("scripts/generate-xds-types.mjs"), folder], {
      encoding: "utf8",
      timeout: 60_000,
    });
    expect(stderr, "run `node scripts/generate-xds-types.mjs`").toContain("generate-xds-types: wrote");
    expect(status).toBe(0);
    expect(filesIn(folder), "run `node scripts/generate-xds-types.mjs`").toEqual(filesIn(path("src/xds/gen")));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
