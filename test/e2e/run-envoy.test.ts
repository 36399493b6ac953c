/** `prevail run --dataplane envoy` and `prevail xds serve`: the real program with real Envoys. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { findEnvoy, type RunningEnvoy, startEnvoy } from "../support/gateway/envoy.ts";
import { findFreePorts } from "../support/gateway/find-free-ports.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "prevail-run-envoy-"));
const envoyPath = findEnvoy();

beforeAll(() => {
  execFileSync(process.execPath, ["scripts/build.mjs", "--if-changed"], { cwd: root, stdio: "ignore" });
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  out: string;
  err: string;
}

const children: ChildProcess[] = [];
const envoys: RunningEnvoy[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  for (const envoy of envoys.splice(0)) await envoy.close();
});

function start(args: readonly string[]): Running {
  const child = spawn(process.execPath, ["dist/bin/prevail.js", ...args], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
  });
  children.push(child);
  const running: Running = { child, ended: new Promise((resolve) => child.once("exit", resolve)), out: "", err: "" };
  child.stdout.on("data", (chunk: Buffer) => {
    running.out += chunk.toString();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    running.err += chunk.toString();
  });
  return running;
}

function copyBakery(name: string): string {
  const files = join(folder, name);
  cpSync(join(root, "examples", "bakery"), files, { recursive: true });
  return files;
}

const until = (check: () => void | Promise<void>): Promise<void> =>
  vi.waitFor(check, { timeout: 25_000, interval: 50 });

const ask = (port: number, demo = "200"): Promise<number | undefined> =>
  new Promise((resolve) => {
    const headers = { host: "baker.bakery.example", "x-demo": demo };
    const one = request(
      { host: "127.0.0.1", port, path: "/menu", agent: false, headers, timeout: 10_000 },
      (response) => {
        response.resume();
        response.on("end", () => resolve(response.statusCode));
      },
    );
    one.on("error", () => resolve(undefined));
    one.end();
  });

const mapped = (http: number, https: number, other: number): readonly string[] =>
  [`8080:${http}`, `8443:${https}`, `9090:${other}`].flatMap((pair) => ["--map-port", pair]);

const hasOpenssl = /^OpenSSL [3-9]/.test(spawnSync("openssl", ["version"], { encoding: "utf8" }).stdout ?? "");

const opensslCommands = (): string =>
  /```sh\n(openssl [^`]+)```/.exec(readFileSync(join(root, "docs", "envoy.md"), "utf8"))?.[1] ?? "exit 1";

describe.skipIf(envoyPath === undefined)("prevail with Envoy", () => {
  test("run: serves, retries, follows the files, and stops", async () => {
    const [http = 0, https = 0, other = 0, admin = 0] = await findFreePorts(4);
    const files = copyBakery("run");
    const args = [
      "run",
      "--dataplane",
      "envoy",
      "--envoy",
      envoyPath ?? "",
      "-f",
      files,
      "--backend-demo",
      "--drain",
      "1s",
      "--admin-port",
      String(admin),
    ];
    const running = start([...args, ...mapped(http, https, other)]);
    await until(async () => expect(await ask(http), running.err).toBe(200));
    // The policies of the bakery retry a 503.
    expect(await ask(http, "503,200")).toBe(200);
    await until(() =>
      expect(running.out).toMatch(
        /^\S+Z 127\.0\.0\.1 "GET baker\.bakery\.example\/menu HTTP\/1\.1" 200 \d+B \d+ms HTTPRoute bakery\/baker#menu → Service bakery\/baker(?:-next)?:8080, 2 attempts$/m,
      ),
    );
    const metrics = await (await fetch(`http://127.0.0.1:${admin}/metrics`)).text();
    const labels = 'gateway="infra/prod",route_kind="HTTPRoute",route="bakery/baker",rule="menu"';
    expect(metrics).toContain(`prevail_requests_total{${labels},code="200"}`);
    expect((await fetch(`http://127.0.0.1:${admin}/readyz`)).status).toBe(200);
    const bakery = join(files, "bakery.yaml");
    writeFileSync(bakery, readFileSync(bakery, "utf8").replaceAll("baker.bakery.example", "moved.bakery.example"));
    await until(async () => expect(await ask(http)).toBe(404));
    running.child.kill("SIGTERM");
    expect(await running.ended).toBe(0);
    expect(await ask(http)).toBe(undefined);
  }, 90_000);

  test("xds serve: an Envoy that was started with its bootstrap serves, and status lists it", async () => {
    const [http = 0, https = 0, other = 0, xds = 0, state = 0, admin = 0] = await findFreePorts(6);
    const words = ["-f", copyBakery("serve"), "--listen", `127.0.0.1:${xds}`, "--status-port", String(state)];
    const running = start(["xds", "serve", "--bind", "127.0.0.1", ...words, ...mapped(http, https, other)]);
    await until(() => expect(running.err).toContain("Envoys are served at"));
    const prevail = (...args: readonly string[]): string =>
      execFileSync(process.execPath, ["dist/bin/prevail.js", ...args], {
        cwd: root,
        encoding: "utf8",
        timeout: 20_000,
      });
    const server = ["--server", `127.0.0.1:${xds}`, "--admin-port", String(admin), "--node", "till"];
    const bootstrap: unknown = JSON.parse(prevail("xds", "bootstrap", "infra/prod", ...server, "-o", "json"));
    envoys.push(await startEnvoy(envoyPath ?? "", bootstrap, admin));
    await until(() => expect(prevail("xds", "status", "--status-port", String(state))).toContain("up to date"));
    // There are no processes behind the Services of the example.
    expect(await ask(http)).toBe(503);
    const page = async (path: string): Promise<string> => (await fetch(`http://127.0.0.1:${state}${path}`)).text();
    expect(await page("/readyz")).toBe("serving configuration 1\n");
    expect(await page("/healthz")).toBe("ok\n");
    const metrics = await page("/metrics");
    expect(metrics).toContain('prevail_xds_envoys_settled{gateway="infra/prod"} 1\n');
    expect(metrics).toMatch(/^prevail_xds_resources_sent_total\{type="Listener"\} [1-9]/m);
    expect(metrics).toMatch(/^prevail_xds_acknowledgements_total\{type="Cluster",result="ack"\} [1-9]/m);
    expect(metrics).toContain("prevail_config_generation 1\n");
    running.child.kill("SIGTERM");
    expect(await running.ended).toBe(0);
  }, 90_000);

  test.skipIf(!hasOpenssl)(
    "xds serve: with the certificates of docs/envoy.md a node gets its Gateway and no other",
    async () => {
      const [http = 0, https = 0, other = 0, xds = 0, state = 0] = await findFreePorts(5);
      const admins = await findFreePorts(2);
      const keys = mkdtempSync(join(folder, "keys-"));
      execFileSync("sh", ["-e"], { cwd: keys, input: opensslCommands(), stdio: ["pipe", "ignore", "pipe"] });
      const tls = (name: string): readonly string[] =>
        ["--cert", `${name}.crt`, "--key", `${name}.key`, "--ca", "ca.crt"].map((word) =>
          word.startsWith("--") ? word : join(keys, word),
        );
      const words = ["-f", copyBakery("fleet"), "--listen", `127.0.0.1:${xds}`, "--status-port", String(state)];
      const ports = ["--bind", "127.0.0.1", ...mapped(http, https, other)];
      const running = start(["xds", "serve", ...tls("server"), ...words, ...ports]);
      await until(() => expect(running.err).toContain("Envoys are served at"));
      const startNode = async (gateway: string, admin: number, isReady: boolean): Promise<void> => {
        const server = ["--server", `127.0.0.1:${xds}`, "--server-name", "xds.example", "--node", "node-7"];
        const args = [
          "xds",
          "bootstrap",
          gateway,
          ...server,
          ...tls("node"),
          "--admin-port",
          String(admin),
          "-o",
          "json",
        ];
        const options = { cwd: root, encoding: "utf8", timeout: 20_000 } as const;
        const bootstrap: unknown = JSON.parse(
          execFileSync(process.execPath, ["dist/bin/prevail.js", ...args], options),
        );
        envoys.push(await startEnvoy(envoyPath ?? "", bootstrap, admin, { isReady }));
      };
      const page = async (path: string): Promise<string> => (await fetch(`http://127.0.0.1:${state}${path}`)).text();
      await startNode("infra/prod", admins[0] ?? 0, true);
      await until(async () => expect(await page("/metrics")).toContain('envoys_settled{gateway="infra/prod"} 1\n'));
      await startNode("infra/staging", admins[1] ?? 0, false);
      await until(() => expect(running.err).toContain("turned away: the certificate is not for Gateway infra/staging"));
      expect(await page("/readyz")).toBe("serving configuration 1\n");
      expect(await page("/metrics")).toMatch(/^prevail_xds_rejected_streams_total\{cause="certificate"\} [1-9]/m);
      running.child.kill("SIGTERM");
      expect(await running.ended).toBe(0);
    },
    90_000,
  );

  test("run: a missing Envoy is reported", async () => {
    const running = start(["run", "--envoy", "/nowhere/envoy", "-f", "examples/bakery"]);
    expect(await running.ended).toBe(1);
    expect(running.err).toContain("/nowhere/envoy cannot be run");
  });
});
