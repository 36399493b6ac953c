/** A local Envoy process: started, restarted after a crash, and stopped with this process. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { bootstrapJson } from "../../bootstrap-json.ts";
import type { Bootstrap } from "../../gen/envoy/config/bootstrap/v3/bootstrap_pb.ts";
import { type EnvoyAccess, parseAccessLine } from "./parse-access-line.ts";

export interface EnvoyProcessOptions {
  /** The path of the Envoy binary. */
  readonly path: string;
  readonly bootstrap: Bootstrap;
  /** Worker threads. Undefined: one per processor. */
  readonly concurrency?: number;
  /** Receives its log, line by line. */
  readonly onLine: (line: string) => void;
  /** Receives its access log. Other lines go to `onLine`. */
  readonly onAccess?: ((access: EnvoyAccess) => void) | undefined;
  /** Called when it ended unexpectedly. It is started again after a delay. */
  readonly onExit: (reason: string) => void;
}

export interface EnvoyProcess {
  /** Stops the process; requests have at most this long to finish. */
  readonly close: (drainMs: number) => Promise<void>;
}

const RESTART_MS = 1000;

/** The flush interval of the access log. Short, because users watch it. */
const FLUSH_MS = "100";

/** Timers must not fire early, or retries would start too early (docs/envoy.md). */
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
  // Several Envoys may run on one machine.
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

/** Makes Envoy close idle connections now, and others after their requests. */
async function end(child: ChildProcess, drainMs: number): Promise<void> {
  const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  child.kill("SIGTERM");
  const patience = setTimeout(() => child.kill("SIGKILL"), drainMs);
  await gone;
  clearTimeout(patience);
}
