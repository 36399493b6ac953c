// Builds the parts of a Kubernetes control plane that cluster tests run, helm, and Gateway API's conformance suite, into the user's cache directory, and prints
// their paths as JSON.
//   node scripts/provision-kubernetes.mjs [PART…]
// Everything comes from the Go module proxy: kube-apiserver, kube-controller-manager and kubectl, etcd, helm, the CRDs of Gateway API, its conformance suite and
// the backend that the suite deploys. The first build takes 10 to 15 minutes on two cores; a part that exists is not built again. Two processes may run it at once: the second waits until the first has built what it needs.
// Exit code 3: this machine cannot build them. The last line of stderr has the reason; tests that need a cluster are skipped.
import { spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { DownloadRefusal, downloadCrds, version } from "./gateway-api-module.mjs";

const versions = { kubernetes: "1.36.3", etcd: "3.6.5", gatewayApi: version, helm: "3.22.0", images: "v0.1.0" };
/** The suite needs this Go. Its backend is built by the Go of its official image: built by 1.27 it does not report the server name of HTTP/2 requests. */
const goVersions = { suite: "go1.27.0", echo: "go1.26.5" };
/** The Go that Kubernetes 1.36 needs. An older go command downloads it by itself. */
const oldestGo = [1, 21];
const cache = process.env.PREVAIL_CACHE ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "prevail");
const kubernetes = join(cache, `kubernetes-${versions.kubernetes}`);
const gatewayApi = join(cache, `gateway-api-${versions.gatewayApi.slice(1)}`);
const parts = {
  etcd: join(cache, `etcd-${versions.etcd}`, "etcd"),
  apiserver: join(kubernetes, "kube-apiserver"),
  controllerManager: join(kubernetes, "kube-controller-manager"),
  kubectl: join(kubernetes, "kubectl"),
  crds: join(gatewayApi, "crds"),
  helm: join(cache, `helm-${versions.helm}`, "helm"),
  suite: join(gatewayApi, "conformance.test"),
  echo: join(gatewayApi, "echo-basic"),
};
const images = "sigs.k8s.io/gateway-api-conformance-images";
/** The command of Kubernetes that each part is. */
const commands = { apiserver: "kube-apiserver", controllerManager: "kube-controller-manager", kubectl: "kubectl" };
const builders = {
  etcd: buildEtcd,
  apiserver: buildKubernetes,
  controllerManager: buildKubernetes,
  kubectl: buildKubernetes,
  crds: copyCrds,
  helm: buildHelm,
  suite: buildSuite,
  echo: buildEcho,
};
const wanted = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(parts);
const unknown = wanted.filter((name) => !Object.hasOwn(parts, name));
if (unknown.length > 0) {
  console.error(`kubernetes: unknown part ${unknown.join(", ")}; there are ${Object.keys(parts).join(", ")}`);
  process.exit(2);
}

class Refusal extends Error {}

try {
  if (missing().length > 0) await build();
  process.stdout.write(`${JSON.stringify(parts)}\n`);
} catch (error) {
  if (!(error instanceof Refusal || error instanceof DownloadRefusal)) throw error;
  console.error(`kubernetes: not built: ${error.message}`);
  process.exitCode = 3;
}

function missing() {
  return wanted.filter((name) => !existsSync(parts[name]));
}

async function build() {
  requireGo();
  mkdirSync(cache, { recursive: true });
  const unlock = await lock(join(cache, ".kubernetes.lock"));
  if (unlock === undefined) return;
  try {
    const names = missing();
    if (names.length === 0) return;
    console.error(
      `kubernetes: building ${names.join(", ")} from the Go module proxy into ${cache} (10 to 15 minutes for all, once; PREVAIL_SKIP=cluster npm test leaves out what needs it) …`,
    );
    const started = Date.now();
    for (const name of names) if (!existsSync(parts[name])) await builders[name](parts[name], name);
    console.error(`kubernetes: built in ${((Date.now() - started) / 1000).toFixed(0)} s`);
  } finally {
    unlock();
  }
}

function requireGo() {
  const { status, stdout } = spawnSync("go", ["env", "GOVERSION"], { encoding: "utf8" });
  const found = /^go(\d+)\.(\d+)/.exec(status === 0 ? stdout : "");
  if (found === null)
    refuse("Go is missing (Debian: apt install golang; any Go from 1.21 on fetches the one that is needed)");
  const [major, minor] = [Number(found[1]), Number(found[2])];
  if (major === oldestGo[0] && minor < oldestGo[1])
    refuse(`Go ${major}.${minor} is too old: it must be ${oldestGo.join(".")} or newer`);
}

async function buildEtcd(path) {
  await inModule("etcd", async (folder) => {
    await go(folder, ["mod", "init", "prevail/etcd"]);
    await go(folder, ["mod", "edit", `-require=go.etcd.io/etcd/server/v3@v${versions.etcd}`]);
    await compile(folder, "go.etcd.io/etcd/server/v3", path, "-s -w");
  });
}

async function buildHelm(path) {
  await inModule("helm", async (folder) => {
    await go(folder, ["mod", "init", "prevail/helm"]);
    await go(folder, ["mod", "edit", `-require=helm.sh/helm/v3@v${versions.helm}`]);
    const stamp = `-X helm.sh/helm/v3/internal/version.version=v${versions.helm}`;
    await compile(folder, "helm.sh/helm/v3/cmd/helm", path, `-s -w ${stamp}`);
  });
}

/**
 * Kubernetes' own go.mod replaces its staging modules by folders of its repository. Here they are replaced by the modules as published: those
 * that are required at exactly v0.0.0.
 */
async function buildKubernetes(path, name) {
  await inModule("kubernetes", async (folder) => {
    const { GoMod } = JSON.parse(
      await go(folder, ["mod", "download", "-json", `k8s.io/kubernetes@v${versions.kubernetes}`]),
    );
    const lines = readFileSync(GoMod, "utf8").split("\n");
    const staging = new Set(
      lines.flatMap((line) => /^\s*(?:require\s+)?(k8s\.io\/\S+) v0\.0\.0(?:\s|$)/.exec(line)?.[1] ?? []),
    );
    const kept = lines.filter((line) => !line.includes("=> ./staging"));
    writeFileSync(join(folder, "go.mod"), kept.join("\n").replace(/^module .*/m, "module prevail/kubernetes"));
    const published = `v0${versions.kubernetes.slice(1)}`;
    const edits = [...staging].map((module) => `-replace=${module}=${module}@${published}`);
    await go(folder, ["mod", "edit", `-require=k8s.io/kubernetes@v${versions.kubernetes}`, ...edits]);
    const [major, minor] = versions.kubernetes.split(".");
    const variable = "k8s.io/component-base/version";
    const stamp = { gitVersion: `v${versions.kubernetes}`, gitMajor: major, gitMinor: minor };
    const flags = Object.entries(stamp).map(([key, value]) => `-X ${variable}.${key}=${value}`);
    await compile(folder, `k8s.io/kubernetes/cmd/${commands[name]}`, path, `-s -w ${flags.join(" ")}`);
  });
}

/** The suite's go.mod asks for a version of the backend's module that the module proxy does not have; the version before it does. */
async function buildSuite(path) {
  await inModule("suite", async (folder) => {
    const gateway = "sigs.k8s.io/gateway-api";
    writeFileSync(
      join(folder, "go.mod"),
      [
        "module prevail/conformance",
        `go ${goVersions.suite.slice(2)}`,
        `require ${gateway} ${versions.gatewayApi}`,
        `require ${gateway}/conformance ${versions.gatewayApi}`,
        `replace ${gateway} => ${gateway} ${versions.gatewayApi}`,
        `replace ${images} => ${images} ${versions.images}`,
        "",
      ].join("\n"),
    );
    await compile(folder, `${gateway}/conformance`, path, "-s -w", ["test", "-c"], goVersions.suite);
  });
}

async function buildEcho(path) {
  await inModule("echo", async (folder) => {
    writeFileSync(
      join(folder, "go.mod"),
      `module prevail/echo\ngo ${goVersions.echo.slice(2)}\nrequire ${images} ${versions.images}\n`,
    );
    // A local Go of the same minor version is as good, and need not be downloaded.
    const { stdout } = spawnSync("go", ["env", "GOVERSION"], { cwd: cache, encoding: "utf8" });
    const isLocal = stdout.startsWith(`${goVersions.echo.replace(/\.\d+$/, "")}.`);
    await compile(folder, `${images}/echo-basic`, path, "-s -w", ["build"], isLocal ? "local" : goVersions.echo);
  });
}

/** The CRDs of both channels, each in a folder of its own. */
function copyCrds(path) {
  return inModule("gateway-api", (folder) => {
    for (const { channel, file, text } of downloadCrds()) {
      mkdirSync(join(folder, "crds", channel), { recursive: true });
      writeFileSync(join(folder, "crds", channel, file), text);
    }
    moveTo(join(folder, "crds"), path);
  });
}

async function compile(folder, main, path, flags, command = ["build"], toolchain) {
  const started = Date.now();
  const aside = join(folder, "program");
  console.error(`kubernetes: compiling ${main} …`);
  await go(folder, [...command, "-trimpath", "-ldflags", flags, "-o", aside, main], toolchain);
  chmodSync(aside, 0o755);
  moveTo(aside, path);
  console.error(`kubernetes: ${main} is built (${((Date.now() - started) / 1000).toFixed(0)} s)`);
}

/** A part is moved to its path when it is complete, so that whatever is there is whole. */
function moveTo(aside, path) {
  mkdirSync(join(path, ".."), { recursive: true });
  renameSync(aside, path);
}

async function inModule(name, make) {
  const folder = mkdtempSync(join(cache, `.${name}-`));
  try {
    await make(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs go in the folder and returns what it prints. */
function go(folder, args, toolchain) {
  return new Promise((resolve, reject) => {
    const child = spawn("go", args, {
      cwd: folder,
      env: {
        ...process.env,
        GOFLAGS: "-mod=mod -buildvcs=false",
        CGO_ENABLED: "0",
        GOWORK: "off",
        ...(toolchain === undefined ? {} : { GOTOOLCHAIN: toolchain }),
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let out = "";
    let errors = "";
    child.stdout.on("data", (chunk) => {
      out += chunk;
    });
    child.stderr.on("data", (chunk) => {
      errors = `${errors}${chunk}`.slice(-4000);
    });
    child.on("error", reject);
    child.on("close", (status) => {
      if (status === 0) return resolve(out);
      process.stderr.write(errors);
      reject(
        new Refusal(
          `\`go ${args.slice(0, 3).join(" ")} …\` failed, see its output above; check that the Go module proxy is reachable`,
        ),
      );
    });
  });
}

/** Waits until this process alone may build, or until another has built what is wanted (undefined). A lock of a process that has ended is taken over. */
async function lock(path) {
  for (let hasReported = false; missing().length > 0; hasReported = true) {
    try {
      writeFileSync(path, String(process.pid), { flag: "wx" });
      return () => rmSync(path, { force: true });
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
    }
    const owner = Number(existsSync(path) ? readFileSync(path, "utf8") : 0);
    if (owner > 0 && !isAlive(owner)) rmSync(path, { force: true });
    else if (!hasReported) console.error(`kubernetes: process ${owner} builds the parts; waiting for it …`);
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  return undefined;
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

function refuse(reason) {
  throw new Refusal(reason);
}
