// Compiles the benches and runs bench/run.ts with the garbage collector exposed and a large heap.
import { spawnSync } from "node:child_process";
import { totalmem } from "node:os";
import { fileURLToPath } from "node:url";

const script = (path) => fileURLToPath(new URL(path, import.meta.url));
const heapMb = Math.floor((totalmem() / 1024 / 1024) * 0.75);

const built = spawnSync(process.execPath, [script("build.mjs"), "bench", "--if-changed"], { stdio: "inherit" });
if (built.status !== 0) process.exit(1);

const flags = ["--expose-gc", `--max-old-space-size=${heapMb}`];
const run = [...flags, script("../.cache/bench/bench/run.js"), ...process.argv.slice(2)];
process.exitCode = spawnSync(process.execPath, run, { stdio: "inherit" }).status ?? 1;
