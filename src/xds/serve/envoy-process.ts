/** An Envoy of our own, on this machine: started, watched, and ended with us. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { bootstrapJson } from "../bootstrap-json.ts";
import type { Bootstrap } from "../gen/envoy/config/bootstrap/v3/bootstrap_pb.ts";
import { type EnvoyAccess, parseAccessLine } from "./parse-access-line.ts";

export interface EnvoyProcessOptions {
  /** The binary. */
  readonly path: string;
  readonly bootstrap: Bootstrap;
  /** Worker threads; undefined: as many as there are processors. */
  readonly concurrency?: number;
  /** Whatever it logs, line by line. */
  readonly onLine: (line: string) => void;
  /** Of its access log; what is none of it goes to `onLine`. */
  readonly onAccess?: ((access: EnvoyAccess) => void) | undefined;
  /** It ended, and not because of us. It is started again after a while. */
  readonly onExit: (reason: string) => void;
}

export interface EnvoyProcess {
  /** Lets requests end for that long at most. */
  readonly close: (drainMs: number) => Promise<void>;
}

const RESTART_MS = 1000;

/** How long lines of the access log are held back: somebody is watching. */
const FLUSH_MS = "100";

/** Its timers must not fire early, or retries would: see docs/envoy.md. */
const ENVIRONMENT = { EVENT_PRECISE_TIMER: "1" };

export async function startEnvoyProcess(options: EnvoyProcessOptions): Promise<EnvoyProcess> {
  const folder = await mkdtemp(join(tmpdir(), "prevail-envoy-"));
  const file = join(folder, "bootstrap.json");
  await writeFile(file, JSON.stringify(bootstrapJson(options.bootstrap)), { mode: 0o600 });
  let child: ChildProcess | undefined;
  let restart: NodeJS.Timeout | undefined;
  let isClosing = false;
  const start = (): void => {
    child = launch(options, file, (reason) => {
      child = undefined;
      if (isClosing) return;
      options.onExit(reason);
      restart = setTimeout(start, RESTART_MS);
    });
  };
  start();
  return {
    close: async (drainMs) => {
      isClosing = true;
      clearTimeout(restart);
      if (child !== undefined) await end(child, drainMs);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function readLines(stream: Readable, onLine: (line: string) => void): void {
  let rest = "";
  stream.setEncoding("utf8");
  stream.on("data", (text: string) => {
    const lines = `${rest}${text}`.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line !== "") onLine(line);
  });
  stream.on("end", () => {
    if (rest !== "") onLine(rest);
  });
}

function launch(
  { path, concurrency, onLine, onAccess }: EnvoyProcessOptions,
  file: string,
  onEnd: (reason: string) => void,
): ChildProcess {
  const workers = concurrency === undefined ? [] : ["--concurrency", String(concurrency)];
  // Several may run on one machine.
  const args = ["-c", file, "-l", "warn", "--use-dynamic-base-id", "--file-flush-interval-msec", FLUSH_MS, ...workers];
  const child = spawn(path, args, { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...ENVIRONMENT } });
  readLines(child.stderr, onLine);
  readLines(child.stdout, (line) => {
    const access = onAccess === undefined ? undefined : parseAccessLine(line);
    if (access === undefined) onLine(line);
    else onAccess?.(access);
  });
  let isOver = false;
  const over = (reason: string): void => {
    if (isOver) return;
    isOver = true;
    onEnd(reason);
  };
  child.on("error", (error) => over(`${path} cannot be started: ${error.message}`));
  child.on("exit", (code, signal) => over(`Envoy ended (${signal ?? `exit code ${code ?? 0}`})`));
  return child;
}

/** Envoy closes idle connections at once when asked to, and others when their requests are over. */
async function end(child: ChildProcess, drainMs: number): Promise<void> {
  const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  child.kill("SIGTERM");
  const patience = setTimeout(() => child.kill("SIGKILL"), drainMs);
  await gone;
  clearTimeout(patience);
}
