#!/usr/bin/env node
// Runs prevail from this checkout, for pre-commit hooks and CI jobs: builds it first if it has not been built.
//   node scripts/prevail.mjs ARGUMENT…
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const program = join(root, "dist", "bin", "prevail.js");

if (!existsSync(program)) {
  for (const script of ["setup.mjs", "build.mjs"]) {
    // Standard output is for what prevail prints.
    const { status } = spawnSync(process.execPath, [join(root, "scripts", script)], { cwd: root, stdio: [0, 2, 2] });
    if (status !== 0) process.exit(status ?? 1);
  }
}
const { status, signal } = spawnSync(process.execPath, [program, ...process.argv.slice(2)], { stdio: "inherit" });
if (signal !== null) process.kill(process.pid, signal);
process.exitCode = status ?? 1;
