/** The real Envoy, for tests: found or provisioned. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const script = fileURLToPath(new URL("../../scripts/provision-envoy.mjs", import.meta.url));

let known: string | undefined | false;

/** Undefined: this machine cannot have one, as has been said. In CI that is a failure. */
export function findEnvoy(): string | undefined {
  if (known !== undefined) return known === false ? undefined : known;
  const { status, stdout, stderr } = spawnSync(process.execPath, [script], { encoding: "utf8", timeout: 600_000 });
  const reason = stderr.trim().split("\n").at(-1) ?? "";
  known = status === 0 ? stdout.trim() : false;
  if (known !== false) return known;
  if (process.env["CI"] === "true") throw new Error(`Envoy is needed in CI: ${reason}`);
  process.stderr.write(`left out, as there is no Envoy: ${reason}\n`);
  return undefined;
}

/** What Envoy says against it; undefined: nothing. */
export function validateBootstrap(envoy: string, bootstrap: unknown): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), "prevail-envoy-"));
  try {
    const path = join(folder, "bootstrap.json");
    writeFileSync(path, JSON.stringify(bootstrap));
    const args = ["--mode", "validate", "-c", path, "-l", "warn"];
    const { status, stdout, stderr } = spawnSync(envoy, args, { encoding: "utf8", timeout: 60_000 });
    const said = `${stdout}${stderr}`;
    return status === 0 && !/deprecat/i.test(said) ? undefined : said;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
