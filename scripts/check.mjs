// Runs every static check, also after a failure, and prints the time of each.
//   npm run check [-- STEP…]
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const steps = [
  { name: "types-core", what: "src/core without Node or DOM types", run: ["tsc", "-p", "tsconfig.core.json"] },
  { name: "types-build", what: "published sources", run: ["tsc", "-p", "tsconfig.build.json", "--noEmit"] },
  { name: "types", what: "sources, tests and benches", run: ["tsc", "-p", "tsconfig.json"] },
  {
    name: "biome",
    what: "format, import order, lint",
    run: ["biome", "check", "--error-on-warnings", "--diagnostic-level=warn"],
  },
  { name: "oxlint", what: "lint with types", run: ["oxlint"] },
  { name: "knip", what: "dead code, unlisted packages", run: ["knip", "--no-progress", "--no-config-hints"] },
  {
    name: "architecture",
    what: "imports between layers, file names, exports",
    run: ["vitest", "run", "--reporter=dot", "test/architecture.test.ts"],
  },
  {
    name: "docs",
    what: "words, rows of mutants, generated pages",
    run: [
      "vitest",
      "run",
      "--reporter=dot",
      "test/docs/words",
      "test/rules",
      "test/mutants",
      "test/definition-reference",
    ],
  },
];

const names = process.argv.slice(2);
const unknown = names.filter((name) => !steps.some((step) => step.name === name));
if (unknown.length > 0) {
  console.error(`check: unknown step ${unknown.join(", ")}; steps are ${steps.map((step) => step.name).join(", ")}`);
  process.exit(2);
}

const run = steps.filter(({ name }) => names.length === 0 || names.includes(name));
const failed = [];
for (const step of run) {
  const [tool, ...args] = step.run;
  const started = Date.now();
  if (process.stdout.isTTY) process.stdout.write(`running ${step.name} …\r`);
  const result = spawnSync(join(root, "node_modules", ".bin", tool), args, {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    maxBuffer: 256 * 1024 * 1024,
    env: { ...process.env, ...(process.stdout.isTTY ? { FORCE_COLOR: "1" } : { NO_COLOR: "1" }) },
  });
  const seconds = `${((Date.now() - started) / 1000).toFixed(1)} s`;
  const passed = result.status === 0;
  console.log(`${passed ? "ok    " : "FAILED"}  ${step.name.padEnd(12)}  ${seconds.padStart(6)}  ${step.what}`);
  if (passed) continue;
  failed.push(step.name);
  const output = result.error ? `${tool} could not be started: ${result.error.message}` : result.stdout + result.stderr;
  console.log(`${output.trimEnd().replaceAll(/^/gm, "  | ")}\n  command: npx ${step.run.join(" ")}\n`);
}

if (failed.length > 0) {
  console.log(`check: ${failed.length} of ${run.length} steps failed: ${failed.join(", ")}`);
  process.exitCode = 1;
} else {
  console.log(`check: all ${run.length} steps passed`);
}
