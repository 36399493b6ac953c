// Bundles test/fuzz/run.ts and runs it.
//   node scripts/fuzz.mjs [--seconds N] [--seed N]
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const program = path("../.cache/fuzz/run.mjs");

const bundle = await rolldown({ input: path("../test/fuzz/run.ts"), platform: "node", external: ["fast-check"] });
await bundle.write({ file: program, format: "esm" });
await bundle.close();

process.exitCode = spawnSync(process.execPath, [program, ...process.argv.slice(2)], { stdio: "inherit" }).status ?? 1;
