// Bundles a TypeScript program and runs it in namespaces of its own (network, mounts, processes), in which it can start a cluster with Pods.
//   node scripts/rig.mjs [--user] PROGRAM.ts [ARG…]
//   node scripts/rig.mjs [--user] --check [PART…]      builds what is missing, beside the parts of every rig also these, and starts nothing
// As another user than root it also needs user namespaces; --user: as root, too. No route leads out of the namespaces, and nothing survives: when the program ends, or this
// one, the kernel ends every process and removes every interface. The program's TMPDIR is removed too.
// The parts of the cluster are built before that, where they are missing (PREVAIL_RIG_PARTS has their paths).
// Exit code 3: a program is missing, or a part cannot be built. Exit code 4: the kernel does not let this user make such namespaces. The last line of
// stderr has the reason.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const root = fileURLToPath(new URL("..", import.meta.url));
const given = process.argv.slice(2);
const isUser = given[0] === "--user";
const namespaces = [
  ...(process.getuid?.() === 0 && !isUser ? [] : ["--user", "--map-root-user"]),
  "--net",
  "--mount",
  "--pid",
  "--fork",
  "--mount-proc",
  "--propagation=private",
];
const [program, ...args] = isUser ? given.slice(1) : given;
if (program === undefined) {
  console.error("rig: name the program to run: node scripts/rig.mjs PROGRAM.ts [ARG…]");
  process.exit(2);
}

requirePrograms();
requireNamespaces();
const parts = findParts();
if (program !== "--check") await run();

/** The paths of what runs in the rig. A script that cannot provide its part has printed why. */
function findParts() {
  const provision = (name, ...names) => {
    const options = { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] };
    const { status, stdout } = spawnSync(process.execPath, [join(root, "scripts", name), ...names], options);
    if (status !== 0) process.exit(status ?? 1);
    return stdout.trim();
  };
  const names = ["etcd", "apiserver", "controllerManager", "kubectl", "crds", "echo"];
  const more = program === "--check" ? args : program.startsWith("test/conformance/") ? ["suite"] : [];
  const kubernetes = JSON.parse(provision("provision-kubernetes.mjs", ...names, ...more));
  return { ...kubernetes, envoy: provision("provision-envoy.mjs") };
}

function requirePrograms() {
  for (const [tool, name] of Object.entries({ unshare: "util-linux", nsenter: "util-linux", ip: "iproute2" })) {
    const { error } = spawnSync(tool, ["-V"], { stdio: "ignore" });
    if (error) refuse(3, `${tool} is missing (Debian: apt install ${name})`);
  }
}

function requireNamespaces() {
  const attempt = ["sh", "-c", "ip link set lo up && ip link add rig0 type bridge && mount -t tmpfs tmpfs /run"];
  const { status, stderr } = spawnSync("unshare", [...namespaces, ...attempt], { encoding: "utf8" });
  if (status !== 0) refuse(4, `namespaces with a network bridge cannot be made here: ${stderr.trim()}`);
}

function refuse(code, reason) {
  console.error(`rig: not started: ${reason}`);
  process.exit(code);
}

async function run() {
  const bundled = await bundle();
  const folder = mkdtempSync(join(tmpdir(), "prevail-rig-"));
  // Standard input stays open while this process lives, so that the program ends when this process is killed.
  const child = spawn("unshare", [...namespaces, "--kill-child=SIGKILL", process.execPath, bundled, ...args], {
    cwd: root,
    stdio: ["pipe", "inherit", "inherit"],
    env: { ...process.env, TMPDIR: folder, PREVAIL_RIG_PARTS: JSON.stringify(parts) },
  });
  // unshare ignores SIGTERM; with it the kernel kills process 1 of the namespace, and with that all others.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill("SIGKILL"));
  const status = await new Promise((resolve) => {
    child.on("error", (error) => resolve(console.error(`rig: ${error.message}`) ?? 1));
    child.on("exit", (code, signal) => resolve(signal === null ? code : 130));
  });
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  process.exitCode = status;
}

async function bundle() {
  const file = join(root, ".cache", "rig", `${basename(program, ".ts")}-${process.pid}.mjs`);
  const made = await rolldown({
    input: join(root, program),
    platform: "node",
    external: (id) => /^(?:node:|[@a-z])/.test(id),
  });
  await made.write({ file, format: "esm", codeSplitting: false });
  await made.close();
  process.on("exit", () => rmSync(file, { force: true }));
  return file;
}
