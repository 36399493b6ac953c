// Installs the dependencies if they are missing or out of date. Otherwise it returns within milliseconds.
// It uses no packages: it is the first script that runs in a fresh clone.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const stampPath = join(root, "node_modules", ".prevail-setup");
const oldestNode = [20, 19];

requireNode();
const wanted = stamp();
if (findText(stampPath) !== wanted) install();

function requireNode() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const [oldestMajor, oldestMinor] = oldestNode;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return;
  fail(`Node ${oldestNode.join(".")} or newer is required; this is Node ${process.versions.node}`);
}

/** Identifies an installation. Native packages differ by platform and by major version of Node. */
function stamp() {
  const lock = readFileSync(join(root, "package-lock.json"));
  const digest = createHash("sha256").update(lock).digest("hex");
  const [major] = process.versions.node.split(".");
  return `${digest} node${major} ${process.platform}-${process.arch}\n`;
}

function install() {
  const started = Date.now();
  console.error("setup: installing dependencies with npm ci (about a minute) …");
  const [command, ...args] = npm();
  const result = spawnSync(command, [...args, "ci", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    // With an inherited NODE_ENV=production npm would not install the development tools.
    env: { ...process.env, NODE_ENV: "" },
  });
  if (result.error) fail(`npm could not be started: ${result.error.message}`);
  if (result.status !== 0) {
    process.stderr.write(result.stdout + result.stderr);
    fail(
      "`npm ci` failed, see its output above. Check that the npm registry is reachable and that package-lock.json matches package.json.",
    );
  }
  writeFileSync(stampPath, wanted);
  console.error(`setup: dependencies installed in ${((Date.now() - started) / 1000).toFixed(1)} s`);
}

/** The npm that started this script, else the one on the PATH. */
function npm() {
  const running = process.env.npm_execpath;
  return running?.endsWith(".js") ? [process.execPath, running] : ["npm"];
}

function findText(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

function fail(message) {
  console.error(`setup: ${message}`);
  process.exit(1);
}
