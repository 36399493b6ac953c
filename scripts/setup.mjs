// Installs the dependencies when they are missing or out of date, and otherwise does nothing, in milliseconds.
// Plain Node without dependencies: it is what runs first in a fresh clone.
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
  fail(`Node ${oldestNode.join(".")} or newer is needed; this is Node ${process.versions.node}.`);
}

/** Everything an installation depends on: native packages differ by platform, and npm picks by the Node major. */
function stamp() {
  const lock = readFileSync(join(root, "package-lock.json"));
  const digest = createHash("sha256").update(lock).digest("hex");
  const [major] = process.versions.node.split(".");
  return `${digest} node${major} ${process.platform}-${process.arch}\n`;
}

function install() {
  const started = Date.now();
  console.error("setup: installing dependencies (npm ci) …");
  const [command, ...args] = npm();
  const result = spawnSync(command, [...args, "ci", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    // An inherited NODE_ENV=production would leave out the tools that everything here needs.
    env: { ...process.env, NODE_ENV: "" },
  });
  if (result.error) fail(`npm could not be started: ${result.error.message}`);
  if (result.status !== 0) {
    process.stderr.write(result.stdout + result.stderr);
    fail("`npm ci` failed; its output is above. Is the npm registry reachable, and does package-lock.json match?");
  }
  writeFileSync(stampPath, wanted);
  console.error(`setup: done in ${((Date.now() - started) / 1000).toFixed(1)} s`);
}

/** The npm that started this script, if one did, so that a second version does not take part. */
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
