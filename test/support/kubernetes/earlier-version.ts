/** The version before this one, built from its commit: what upgrades begin with, and rollbacks end with. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";

/** The version from which an upgrade is tested, and to which a rollback is. It is raised with each release; docs/decisions/0020-the-version-before.md */
const COMMIT = "b80db005";

export interface EarlierVersion {
  readonly chart: string;
  readonly program: string;
}

const quiet = { stdio: "pipe", maxBuffer: 256 * 1024 * 1024 } as const;

/** Undefined if the commit is not in this clone, as in a shallow one. It is built once, in `.cache`. */
export function buildEarlierVersion(): EarlierVersion | undefined {
  if (!isInHistory()) return undefined;
  const folder = resolve(".cache", `version-${COMMIT}`);
  if (!existsSync(folder)) {
    mkdirSync(".cache", { recursive: true });
    const draft = mkdtempSync(resolve(".cache", "version-"));
    try {
      execFileSync("tar", ["-x", "-C", draft], { ...quiet, input: execFileSync("git", ["archive", COMMIT], quiet) });
      symlinkSync(resolve("node_modules"), join(draft, "node_modules"));
      execFileSync(process.execPath, ["scripts/build.mjs"], { ...quiet, cwd: draft });
      renameSync(draft, folder);
    } finally {
      rmSync(draft, { recursive: true, force: true });
    }
  }
  return { chart: join(folder, "deploy/chart"), program: join(folder, "dist/bin/prevail.js") };
}

export function isInHistory(): boolean {
  try {
    execFileSync("git", ["cat-file", "-e", `${COMMIT}^{commit}`], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
