/** Programs for the gateway's bench: nginx as a backend and as the proxy to compare with, wrk, and the real program. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { JsonObject } from "../src/core/model/json.ts";
import { findFreePorts } from "../test/support/gateway/find-free-ports.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** The proxy under test has one core for itself; client and backend share the other. */
export const PROXY_CORE = 0;
export const OTHER_CORE = 1;

export interface Rig {
  readonly folder: string;
  readonly start: (core: number, command: string, args: readonly string[]) => ChildProcess;
  readonly close: () => Promise<void>;
}

/** A text names what is missing on this machine. */
export function missingTools(): string | undefined {
  const { status, stderr } = spawnSync(
    process.execPath,
    ["scripts/provision-programs.mjs", "wrk", "nginx", "taskset"],
    {
      cwd: root,
      encoding: "utf8",
    },
  );
  return status === 0 ? undefined : `the bench of the gateway needs ${stderr.trim()}`;
}

export function createRig(): Rig {
  const folder = mkdtempSync(join(tmpdir(), "prevail-bench-"));
  const children = new Set<ChildProcess>();
  return {
    folder,
    start: (core, command, args) => {
      const child = spawn("taskset", ["-c", String(core), command, ...args], {
        cwd: root,
        stdio: "ignore",
      });
      children.add(child);
      child.once("exit", () => children.delete(child));
      return child;
    },
    close: async () => {
      const ends = [...children].map((child) => new Promise((resolve) => child.once("exit", resolve)));
      for (const child of children) child.kill("SIGTERM");
      await Promise.all(ends);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Waits until a server listens at a port. */
async function untilOpen(port: number): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (Date.now() < deadline) {
    try {
      await fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(2000) });
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  throw new Error(`no server listens at port ${port}`);
}

const nginxFrame = (folder: string, http: string): string => `
daemon off; worker_processes 1; pid ${folder}/nginx.pid; error_log ${folder}/error.log crit;
events { worker_connections 4096; }
http {
  access_log off; keepalive_requests 100000000; keepalive_timeout 300s;
  client_body_temp_path ${folder}; proxy_temp_path ${folder}; fastcgi_temp_path ${folder}; uwsgi_temp_path ${folder}; scgi_temp_path ${folder};
  ${http}
}
`;

async function startNginx(rig: Rig, name: string, core: number, port: number, http: string): Promise<ChildProcess> {
  const folder = join(rig.folder, name);
  mkdirSync(folder);
  const config = join(folder, "nginx.conf");
  writeFileSync(config, nginxFrame(folder, http));
  const child = rig.start(core, "nginx", ["-p", folder, "-c", config, "-e", join(folder, "error.log")]);
  await untilOpen(port);
  return child;
}

export interface MeasuredProxy {
  readonly port: number;
  /** The processor time of the process and the processes that it started, in milliseconds. */
  readonly processorMs: () => number;
}

function processorMs({ pid = 0 }: ChildProcess): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
  let ticks = 0;
  for (const one of [String(pid), ...children.filter((child) => child !== "")]) {
    // The name, in brackets, may contain anything; numbers follow it. A tick is 10 ms.
    const numbers = readFileSync(`/proc/${one}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
    ticks += Number(numbers[11]) + Number(numbers[12]);
  }
  return 10 * ticks;
}

export interface NginxBackend {
  readonly port: number;
  /** The number of requests that the backend has received. */
  readonly requests: () => Promise<number>;
}

/** Responds with that status and one kilobyte. */
export async function startBackend(rig: Rig, name: string, status: number): Promise<NginxBackend> {
  const [port = 0, statusPort = 0] = await findFreePorts(2);
  const body = "x".repeat(1024);
  await startNginx(
    rig,
    name,
    OTHER_CORE,
    port,
    `server { listen 127.0.0.1:${port} backlog=4096; location / { return ${status} "${body}"; } }
     server { listen 127.0.0.1:${statusPort}; location / { stub_status; } }`,
  );
  const requests = async (): Promise<number> => {
    const text = await (await fetch(`http://127.0.0.1:${statusPort}/`)).text();
    // "server accepts handled requests" and below it three numbers; this request is one of them.
    return Number(/(\d+)\s*\nReading/.exec(text)?.[1] ?? Number.NaN);
  };
  return { port, requests };
}

/** Starts the proxy to compare with. It keeps connections open and changes nothing. */
export async function startNginxProxy(rig: Rig, backendPort: number): Promise<MeasuredProxy> {
  const [port = 0] = await findFreePorts(1);
  const child = await startNginx(
    rig,
    "proxy",
    PROXY_CORE,
    port,
    `upstream backend { server 127.0.0.1:${backendPort}; keepalive 256; keepalive_requests 100000000; }
     server {
       listen 127.0.0.1:${port} backlog=4096;
       location / {
         proxy_pass http://backend; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_set_header Host $host;
         proxy_set_header X-Forwarded-For $remote_addr;
       }
     }`,
  );
  return { port, processorMs: () => processorMs(child) };
}

/** Starts the real program on files. */
export async function startPrevail(rig: Rig, name: string, objects: readonly JsonObject[]): Promise<MeasuredProxy> {
  const [port = 0] = await findFreePorts(1);
  const file = join(rig.folder, `${name}.json`);
  writeFileSync(file, JSON.stringify({ apiVersion: "v1", kind: "List", items: objects }));
  const quiet = ["--access-log", "off", "--admin-port", "off", "--no-watch", "--drain", "100ms"];
  const child = rig.start(PROXY_CORE, process.execPath, [
    "dist/bin/prevail.js",
    "run",
    "-f",
    file,
    "--map-port",
    `80:${port}`,
    ...quiet,
  ]);
  await untilOpen(port);
  return { port, processorMs: () => processorMs(child) };
}

export interface WrkResult {
  readonly requestsPerSecond: number;
  readonly medianMs: number;
  readonly requests: number;
  readonly failed: number;
}

/** `isFailing`: responses with an error status are expected. */
export async function runWrk(
  rig: Rig,
  {
    port,
    host,
    path,
    seconds,
    connections,
  }: { port: number; host: string; path: string; seconds: number; connections: number },
): Promise<WrkResult> {
  const url = `http://127.0.0.1:${port}${path}`;
  const args = ["-t1", `-c${connections}`, `-d${seconds}s`, "--latency", "-H", `Host: ${host}`, url];
  const child = spawn("taskset", ["-c", String(OTHER_CORE), "wrk", ...args], {
    cwd: rig.folder,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  child.stdout.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  const code = await new Promise((resolve) => child.once("exit", resolve));
  if (code !== 0) throw new Error(`wrk exited with ${String(code)}: ${text}`);
  return parseWrk(text);
}

function parseWrk(text: string): WrkResult {
  const number = (pattern: RegExp): number => Number(pattern.exec(text)?.[1] ?? 0);
  const [, value = "NaN", unit = "ms"] = /50%\s+([\d.]+)(us|ms|s)/.exec(text) ?? [];
  const scale = { us: 0.001, ms: 1, s: 1000 }[unit] ?? Number.NaN;
  return {
    requestsPerSecond: number(/Requests\/sec:\s+([\d.]+)/),
    medianMs: Number(value) * scale,
    requests: number(/(\d+) requests in/),
    failed: number(/Non-2xx or 3xx responses: (\d+)/),
  };
}
