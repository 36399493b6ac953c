import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const path = (name: string): string => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const script = "scripts/generate-gateway-api-schemas.mjs";

test("src/core/model/schema/gen is what the CRDs of Gateway API give", ({ skip }) => {
  const folder = mkdtempSync(join(tmpdir(), "prevail-gen-"));
  try {
    const file = join(folder, "gateway-api-schemas.ts");
    const { status, stderr } = spawnSync(process.execPath, [path(script), file], {
      encoding: "utf8",
      timeout: 300_000,
    });
    const reason = stderr.trim().split("\n").at(-1) ?? "";
    if (status === 3 && process.env["CI"] !== "true") {
      process.stderr.write(`skipped: ${reason}\n`);
      skip(reason);
    }
    expect(status, reason).toBe(0);
    const expected = readFileSync(path("src/core/model/schema/gen/gateway-api-schemas.ts"), "utf8");
    expect(readFileSync(file, "utf8"), `run \`node ${script}\``).toBe(expected);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}, 300_000);
