// Compiles TypeScript and copies the other files the code reads at run time (YAML) next to the output.
//   node scripts/build.mjs [dist|bench] [--if-changed]
// The output is made aside and moved into place when it is whole, so a failed build leaves the last good one.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const cache = join(root, ".cache");
const targets = {
  dist: {
    project: "tsconfig.build.json",
    out: "dist",
    sources: ["src"],
    assetsTo: "",
    programs: ["prevail", "kubectl-prevail", "kubectl-complete-prevail", "demo", "files-worker"],
  },
  bench: { project: "tsconfig.bench.json", out: ".cache/bench", sources: ["src", "bench"], assetsTo: "src" },
};

/** Modules that are loaded together: what every command needs, then what commands about objects need. */
const LOADED_TOGETHER = {
  start: ["serve/process/start.js"],
  objects: [
    "sources/load-source.js",
    "cli/explain/command.js",
    "cli/target/find-targets.js",
    "cli/target/check-scope.js",
  ],
};

const args = process.argv.slice(2);
const name = args.find((arg) => !arg.startsWith("--")) ?? "dist";
const target = targets[name];
if (target === undefined) {
  console.error(`build: unknown target "${name}"; there are ${Object.keys(targets).join(", ")}`);
  process.exit(2);
}

const out = join(root, target.out);
const stampPath = join(cache, `${name}.stamp`);
const wanted = fingerprint(target);
const upToDate = existsSync(out) && existsSync(stampPath) && readFileSync(stampPath, "utf8") === wanted;
if (!(args.includes("--if-changed") && upToDate)) await build();

async function build() {
  const started = Date.now();
  const fresh = join(cache, `${name}-${process.pid}`);
  console.error(`build: compiling to ${target.out} …`);
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
  const result = spawnSync(process.execPath, [tsc, "-p", target.project, "--outDir", fresh], {
    cwd: root,
    stdio: ["ignore", 2, 2],
  });
  if (result.status !== 0) {
    rmSync(fresh, { recursive: true, force: true });
    console.error(`build: failed (tsc -p ${target.project}); the errors are above`);
    process.exit(1);
  }
  for (const asset of filesUnder("src").filter(isAsset)) {
    cpSync(join(root, asset), join(fresh, target.assetsTo, relative("src", asset)));
  }
  if (target.programs !== undefined) await bundle(fresh, target.programs);
  mkdirSync(dirname(out), { recursive: true });
  rmSync(out, { recursive: true, force: true });
  renameSync(fresh, out);
  writeFileSync(stampPath, wanted);
  console.error(`build: done in ${((Date.now() - started) / 1000).toFixed(1)} s`);
}

/**
 * Bundles the programs with their packages: few files start faster than many. What only some commands need stays in files of its own, which are loaded when
 * they are needed. Programs are CommonJS, which Node 20 starts about a tenth faster than ES modules. The library keeps its modules; modules that only programs
 * use are removed.
 */
async function bundle(fresh, programs) {
  const { rolldown } = await import("rolldown");
  const bin = join(fresh, "bin");
  const bundled = await rolldown({
    input: Object.fromEntries(programs.map((name) => [name, join(bin, `${name}.js`)])),
    platform: "node",
    cwd: fresh,
    logLevel: "warn",
    // Loading the file of a program runs it, so nothing that programs share may be in one.
    preserveEntrySignatures: "strict",
    // Merging small files would make `explain` load all of Envoy's types for one function of the bundler that is among them.
    experimental: { chunkOptimization: false },
  });
  const aside = join(fresh, "bundle");
  const { output } = await bundled.write({
    dir: aside,
    format: "cjs",
    // A third less to read and compile. Names of functions and classes stay, for stack traces.
    minify: { compress: true, mangle: { toplevel: false }, codegen: { removeWhitespace: true } },
    entryFileNames: "[name].js",
    chunkFileNames: "[name]-[hash].js",
    codeSplitting: { groups: groups(fresh) },
  });
  await bundled.close();
  for (const { fileName } of output) escapeToAscii(join(aside, fileName));
  // For the test of what a command loads.
  const modules = output.map(({ fileName, moduleIds = [] }) => [fileName, moduleIds.map((id) => relative(fresh, id))]);
  writeFileSync(join(cache, "program-modules.json"), JSON.stringify(Object.fromEntries(modules)));
  writeFileSync(join(aside, "package.json"), '{ "type": "commonjs" }\n');
  for (const program of programs) chmodSync(join(aside, `${program}.js`), 0o755);
  const packages = new Set(
    output
      .flatMap((chunk) => chunk.moduleIds ?? [])
      .flatMap((id) => /\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1] ?? []),
  );
  writeFileSync(join(aside, "THIRD-PARTY-LICENSES.txt"), [...packages].sort().map(licenseOf).join("\n"));
  for (const folder of ["bin", "cli", "controller", "gateway", "serve", "sources", "xds"])
    rmSync(join(fresh, folder), { recursive: true, force: true });
  renameSync(aside, bin);
}

/** Puts modules that are loaded together into one file: each file takes about 0.2 ms to load. What several lists need goes to the first. */
function groups(fresh) {
  let files;
  const fileOf = (id, graph) => {
    if (files === undefined) {
      files = new Map();
      const add = (module, file) => {
        if (files.has(module)) return;
        files.set(module, file);
        for (const imported of graph.getModuleInfo(module)?.importedIds ?? []) add(imported, file);
      };
      for (const [file, entries] of Object.entries(LOADED_TOGETHER))
        for (const entry of entries) add(join(fresh, entry), file);
    }
    return files.get(id);
  };
  return Object.keys(LOADED_TOGETHER).map((name, index) => ({
    debugName: name,
    name: (id, graph) => (fileOf(id, graph) === name ? name : undefined),
    priority: Object.keys(LOADED_TOGETHER).length - index,
  }));
}

/** Escapes what is not ASCII. V8 keeps a file with one such character as UTF-16, which takes longer to read and compile. */
function escapeToAscii(path) {
  const escaped = (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`;
  writeFileSync(path, readFileSync(path, "utf8").replace(/[^\0-\x7f]/g, escaped));
}

/** The licence of a bundled package, to be passed on with it. */
function licenseOf(name) {
  const folder = join(root, "node_modules", name);
  const { version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  const text = file === undefined ? "" : `\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
  return `${"=".repeat(100)}\n${name} ${version} (${license})\n${"=".repeat(100)}\n${text}`;
}

/** By content, not by time stamp: a checkout touches files without changing them. */
function fingerprint({ project, sources }) {
  const hash = createHash("sha256");
  const configuration = [project, "tsconfig.base.json", "package-lock.json", "scripts/build.mjs"];
  for (const path of [...configuration, ...sources.flatMap(filesUnder).filter(isInput)]) {
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(root, path)))
      .update("\0");
  }
  return hash.digest("hex");
}

function isInput(path) {
  return !path.endsWith(".test.ts") && !path.includes("/testdata/");
}

function isAsset(path) {
  return isInput(path) && !/\.(ts|tsx|md)$/.test(path);
}

function filesUnder(folder) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .sort();
}
