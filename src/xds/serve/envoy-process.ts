/** An Envoy of our own, on this machine: started, watched, and ended with us. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bootstrapJson } from "../bootstrap-json.ts";
import type { Bootstrap } from "../gen/envoy/config/bootstrap/v3/bootstrap_pb.ts";

export interface EnvoyProcessOptions {
  /** The binary. */
  readonly path: string;
  readonly bootstrap: Bootstrap;
  /** Worker threads; undefined: as many as there are processors. */
  readonly concurrency?: number;
  /** Whatever it writes, line by line. */
  readonly onLine: (line: string) => void;
  /** It ended, and not because of us. It is started again after a while. */
  readonly onExit: (reason: string) => void;
}

export interface EnvoyProcess {
  /** Lets requests end for that long at most. */
  readonly close: (drainMs: number) => Promise<void>;
}

const RESTART_MS = 1000;

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

function launch(
  { path, concurrency, onLine }: EnvoyProcessOptions,
  file: string,
  onEnd: (reason: string) => void,
): ChildProcess {
  const workers = concurrency === undefined ? [] : ["--concurrency", String(concurrency)];
  // Several may run on one machine.
  const args = ["-c", file, "-l", "warn", "--use-dynamic-base-id", ...workers];
  const child = spawn(path, args, { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...ENVIRONMENT } });
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8");
    stream.on("data", (text: string) => {
      for (const line of text.split("\n")) if (line !== "") onLine(line);
    });
  }
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
