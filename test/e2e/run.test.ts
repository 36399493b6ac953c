import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";

/** `prevail run`, the real program, with files that change under it. */
const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "prevail-run-"));

beforeAll(() => {
  execFileSync(process.execPath, ["scripts/build.mjs", "--if-changed"], { cwd: root, stdio: "ignore" });
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Running {
  readonly child: ChildProcess;
  readonly files: string;
  readonly ended: Promise<number | null>;
  out: string;
  err: string;
}

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

/** The bakery, on ports of its own: other programs may have those that it names. */
function start(name: string, args: readonly string[] = []): Running {
  const files = join(folder, name);
  cpSync(join(root, "examples", "bakery"), files, { recursive: true });
  const child = spawn(
    process.execPath,
    ["dist/bin/prevail.js", "run", "-f", files, "--admin-port", "0", ...ports, ...args],
    { cwd: root, stdio: ["ignore", "pipe", "pipe"] },
  );
  children.push(child);
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const running: Running = { child, files, ended, out: "", err: "" };
  child.stdout.on("data", (chunk: Buffer) => {
    running.out += chunk.toString();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    running.err += chunk.toString();
  });
  return running;
}

const ports = ["8080", "8443", "9090"].flatMap((port) => ["--map-port", `${port}:0`]);

const until = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 20_000, interval: 20 });

async function portOf(running: Running, listener: string): Promise<number> {
  await until(() => expect(running.err).toContain("metrics at"));
  const line = running.err.split("\n").find((one) => one.trim().startsWith(listener)) ?? "";
  return Number(/:(\d+)/.exec(line)?.[1]);
}

interface RunResponse {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

function ask(port: number, path: string, headers: Readonly<Record<string, string>> = {}): Promise<RunResponse> {
  return new Promise((resolve, reject) => {
    const asked = request(
      {
        host: "127.0.0.1",
        port,
        path,
        agent: false,
        headers: { host: "baker.bakery.example", ...headers },
        timeout: 15_000,
      },
      (response) => {
        let body = "";
        response.on("data", (chunk: Buffer) => {
          body += chunk.toString();
        });
        response.on("end", () => resolve({ status: response.statusCode, headers: response.headers, body }));
      },
    );
    asked.on("error", reject);
    asked.end();
  });
}

describe("prevail run", () => {
  test("serves the bakery with demo backends: a retry happens, and is logged", async () => {
    const running = start("demo", ["--backend-demo", "--debug-headers"]);
    const port = await portOf(running, "http ");
    const response = await ask(port, "/menu", { "x-demo": "503,200" });
    expect(response.status).toBe(200);
    expect(JSON.parse(response.body)).toMatchObject({ attempt: 2, path: "/menu" });
    expect(response.headers["x-prevail-attempts"]).toBe("2");
    await until(() => expect(running.out).toContain("2 attempts"));
    expect(running.out).toContain("HTTPRoute bakery/baker#menu");

    const admin = Number(/metrics at http:\/\/127\.0\.0\.1:(\d+)/.exec(running.err)?.[1]);
    const metrics = await ask(admin, "/metrics");
    expect(metrics.body).toMatch(/prevail_retries_total\{.*route="bakery\/baker",rule="menu".*reason="503"\} 1/);
    expect((await ask(admin, "/readyz")).body).toContain("configuration 1");
  });

  test("follows the files, and keeps what it had when one breaks", async () => {
    const running = start("follow", ["--backend-demo"]);
    const port = await portOf(running, "http ");
    const file = join(running.files, "bakery.yaml");
    const before = readFileSync(file, "utf8");
    expect((await ask(port, "/menu")).status).toBe(200);

    writeFileSync(file, before.replaceAll("baker.bakery.example", "moved.bakery.example"));
    await until(() => expect(running.err).toContain("configuration 2 is served"));
    expect((await ask(port, "/menu")).status).toBe(404);
    expect((await ask(port, "/menu", { host: "moved.bakery.example" })).status).toBe(200);

    writeFileSync(file, "kind: [");
    await until(() => expect(running.err).toContain("configuration 2 is still served"));
    expect(running.err).toMatch(/error: .*bakery\.yaml:1/);
    expect((await ask(port, "/menu", { host: "moved.bakery.example" })).status).toBe(200);

    writeFileSync(file, before);
    await until(() => expect(running.err).toContain("configuration 3 is served"));
    expect((await ask(port, "/menu")).status).toBe(200);
  });

  test("prints policies that are not accepted, at the start and when one breaks", async () => {
    const running = start("policies", ["--backend-demo"]);
    await portOf(running, "http ");
    const printed = (): string => running.err.replaceAll(/\s+/g, " ");
    expect(printed()).toContain("RetryPolicy bakery/no-double-orders is not accepted: ");
    expect(printed()).not.toContain("friday-fix is not accepted");
    const file = join(running.files, "platform-policies.yaml");
    writeFileSync(file, readFileSync(file, "utf8").replace("attempts: 5", "attempts: five"));
    await until(() => expect(printed()).toContain("RetryPolicy infra/friday-fix is not accepted: "));
    expect(printed()).toMatch(/friday-fix is not accepted: spec\.overrides\.retry\.attempts/);
  });

  test("stops on a signal, and lets requests end", async () => {
    const running = start("stop", ["--backend-demo", "--drain", "10s"]);
    const port = await portOf(running, "http ");
    const slow = ask(port, "/menu", { "x-demo": "700ms" });
    await until(() => expect(running.err).toContain("metrics at"));
    await new Promise((resolve) => setTimeout(resolve, 150));
    running.child.kill("SIGTERM");
    expect((await slow).status).toBe(200);
    expect(await running.ended).toBe(0);
  });

  test("--access-log json is one object a line", async () => {
    const running = start("json", ["--backend-demo", "--access-log", "json"]);
    const port = await portOf(running, "http ");
    await ask(port, "/nothing-here", { host: "elsewhere.example" });
    await until(() => expect(running.out).toContain("\n"));
    expect(JSON.parse(running.out.split("\n")[0] ?? "")).toMatchObject({ status: 404, host: "elsewhere.example" });
  });

  test("a port in use is reported, with its listener, and the others are served", async () => {
    const first = start("first", ["--backend-demo"]);
    const taken = await portOf(first, "http ");
    const second = start("second", ["--map-port", `9090:${taken}`]);
    await until(() => expect(second.err).toContain("metrics at"));
    expect(second.err.replaceAll(/\s+/g, " ")).toContain(
      "note: port 9090 (listener admin) of Gateway infra/prod cannot be opened",
    );
    expect(second.err).toContain("not open");
  });

  test("nothing to serve: an error and the exit code", async () => {
    const empty = mkdtempSync(join(folder, "empty-"));
    const child = spawn(process.execPath, ["dist/bin/prevail.js", "run", "-f", empty], {
      cwd: root,
      stdio: ["ignore", "ignore", "pipe"],
    });
    children.push(child);
    let err = "";
    child.stderr.on("data", (chunk: Buffer) => {
      err += chunk.toString();
    });
    expect(await new Promise((resolve) => child.once("exit", resolve))).toBe(1);
    expect(err).toContain("error:");
    expect(err).not.toContain("    at ");
  });
});
