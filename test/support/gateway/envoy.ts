/** Finds or installs Envoy and runs it on the loopback until the end of the test. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Tests and benches run at the root of the project, so paths are relative to the working directory. */
const script = "scripts/provision-envoy.mjs";

let known: string | undefined | false;

/** The path of Envoy; undefined if it cannot be installed on this machine, which is an error in CI. */
export function findEnvoy(): string | undefined {
  if (known !== undefined) return known === false ? undefined : known;
  const { status, stdout, stderr } = spawnSync(process.execPath, [script], { encoding: "utf8", timeout: 600_000 });
  const reason = stderr.trim().split("\n").at(-1) ?? "";
  known = status === 0 ? stdout.trim() : false;
  if (known !== false) return known;
  if (process.env["CI"] === "true") throw new Error(`Envoy is needed in CI: ${reason}`);
  process.stderr.write(`left out, as there is no Envoy: ${reason}\n`);
  return undefined;
}

/** Why Envoy refuses the configuration; undefined if it accepts it. */
export function validateBootstrap(envoy: string, bootstrap: unknown): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), "prevail-envoy-"));
  try {
    const path = join(folder, "bootstrap.json");
    writeFileSync(path, JSON.stringify(bootstrap));
    const args = ["--mode", "validate", "-c", path, "-l", "warn"];
    const { status, stdout, stderr } = spawnSync(envoy, args, { encoding: "utf8", timeout: 60_000 });
    const output = `${stdout}${stderr}`;
    return status === 0 && !/deprecat/i.test(output) ? undefined : output;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export interface RunningEnvoy {
  readonly process: ChildProcess;
  /** The log so far. */
  readonly log: () => string;
  readonly admin: (path: string) => Promise<string>;
  readonly close: () => Promise<void>;
}

export interface StartEnvoyOptions {
  /** False: resolves at once. */
  readonly isReady?: boolean;
  /** Pins Envoy, with one thread, to this core. */
  readonly core?: number;
  /** Extensions that it has not, as in a build of Envoy with fewer: `envoy.filters.network/envoy.filters.network.tcp_proxy`. */
  readonly without?: readonly string[];
  /** Further options of the command line. */
  readonly args?: readonly string[];
}

/** Resolves when Envoy is ready. The bootstrap must have the admin port. */
export async function startEnvoy(
  envoy: string,
  bootstrap: unknown,
  adminPort: number,
  { isReady = true, core, without = [], args: more = [] }: StartEnvoyOptions = {},
): Promise<RunningEnvoy> {
  const folder = mkdtempSync(join(tmpdir(), "prevail-envoy-"));
  const path = join(folder, "bootstrap.json");
  writeFileSync(path, JSON.stringify(bootstrap));
  const args = [
    "-c",
    path,
    "-l",
    "warn",
    "--concurrency",
    core === undefined ? "2" : "1",
    "--use-dynamic-base-id",
    ...more,
  ];
  if (without.length > 0) args.push("--disable-extensions", without.join(","));
  const [program, all] =
    core === undefined ? [envoy, args] : (["taskset", ["-c", String(core), envoy, ...args]] as const);
  const child = spawn(program, all, {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, EVENT_PRECISE_TIMER: "1" },
  });
  let log = "";
  child.stdout.on("data", (text) => (log += String(text)));
  child.stderr.on("data", (text) => (log += String(text)));
  const admin = async (page: string): Promise<string> =>
    (await fetch(`http://127.0.0.1:${adminPort}${page}`, { signal: AbortSignal.timeout(5000) })).text();
  const close = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) {
      const gone = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGKILL");
      await gone;
    }
    rmSync(folder, { recursive: true, force: true });
  };
  const running: RunningEnvoy = { process: child, log: () => log, admin, close };
  if (isReady) await untilReady(running);
  return running;
}

const READY_MS = 30_000;

async function untilReady({ process: child, admin, log, close }: RunningEnvoy): Promise<void> {
  const deadline = Date.now() + READY_MS;
  for (;;) {
    const state = await admin("/ready").catch(() => "");
    if (state.trim() === "LIVE") return;
    if (child.exitCode !== null || Date.now() > deadline) {
      await close();
      throw new Error(`Envoy did not become ready (exit code ${child.exitCode}, ${state.trim()}):\n${log()}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
