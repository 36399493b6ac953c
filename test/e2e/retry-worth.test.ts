/** What retries are worth, with both data planes: real requests through the real program, and what `explain`, `trace` and `plan` say about them. */
import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { findEnvoy } from "../support/gateway/envoy.ts";
import { findFreePorts } from "../support/gateway/find-free-ports.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const envoyPath = findEnvoy();
const folder = mkdtempSync(join(tmpdir(), "prevail-retry-worth-"));

/** Without timeouts, so that a slow machine changes no count. */
const FILES = `
apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: {name: house}
spec: {controllerName: prevail.dev/gateway}
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: prod, namespace: bakery}
spec:
  gatewayClassName: house
  listeners: [{name: http, protocol: HTTP, port: 8080}]
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: baker, namespace: bakery}
spec:
  parentRefs: [{name: prod}]
  rules: [{name: all, backendRefs: [{name: baker, port: 8080}]}]
---
apiVersion: v1
kind: Service
metadata: {name: baker, namespace: bakery}
spec: {ports: [{port: 8080}]}
---
apiVersion: prevail.dev/v1alpha1
kind: RetryPolicy
metadata: {name: friday-fix, namespace: bakery}
spec:
  targetRefs: [{group: gateway.networking.k8s.io, kind: Gateway, name: prod}]
  overrides: {retry: {codes: [503], attempts: 2, backoff: 10ms}}
`;

beforeAll(() => {
  execFileSync(process.execPath, ["scripts/build.mjs", "--if-changed"], { cwd: root, stdio: "ignore" });
  writeFileSync(join(folder, "bakery.yaml"), FILES);
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGTERM");
});

interface Ports {
  readonly http: number;
  readonly admin: number;
}

/** Serves the files with demo backends, until the admin port says that it is ready. */
async function serve(more: readonly string[]): Promise<Ports> {
  const [http = 0, admin = 0] = await findFreePorts(2);
  const args = ["run", "-f", folder, "--backend-demo", "--access-log", "off", "--no-watch", "--drain", "0s"];
  const ports = ["--admin-port", String(admin), "--map-port", `8080:${http}`];
  const child = spawn(process.execPath, ["dist/bin/prevail.js", ...args, ...ports, ...more], {
    cwd: root,
    stdio: "ignore",
  });
  children.push(child);
  const isReady = async (): Promise<void> => expect((await fetch(`http://127.0.0.1:${admin}/readyz`)).status).toBe(200);
  await vi.waitFor(isReady, { timeout: 60_000, interval: 100 });
  return { http, admin };
}

/** `demo` says what each attempt gets. */
const send = (port: number, demo: string): Promise<number | undefined> =>
  new Promise((resolve) => {
    const headers = { host: "baker.example", "x-demo": demo };
    const options = { host: "127.0.0.1", port, path: "/menu", agent: false, headers, timeout: 60_000 };
    const one = request(options, (response) => {
      response.resume();
      response.on("end", () => resolve(response.statusCode));
    });
    one.on("error", () => resolve(undefined));
    one.end();
  });

/** What a command prints, with the lines of each paragraph joined. */
const prevail = async (...args: readonly string[]): Promise<string> => {
  const program = ["dist/bin/prevail.js", ...args, "-f", folder];
  const { stdout } = await promisify(execFile)(process.execPath, program, { cwd: root });
  return stdout.replaceAll(/\s+/g, " ");
};

interface Explained {
  readonly retries: { readonly traffic: readonly { readonly requests: number }[] };
}

const DATA_PLANES: ReadonlyArray<readonly [string, readonly string[] | undefined]> = [
  ["the embedded gateway", []],
  ["Envoy", envoyPath === undefined ? undefined : ["--dataplane", "envoy", "--envoy", envoyPath]],
];

describe.each(DATA_PLANES)("%s", (_, more) => {
  test.skipIf(more === undefined)(
    "counts the requests that needed a retry, and those that succeeded only by one",
    async () => {
      const { http, admin } = await serve(more ?? []);
      const address = `127.0.0.1:${admin}`;
      await vi.waitFor(async () => expect(await send(http, "200")).toBe(200), { timeout: 60_000, interval: 100 });
      for (const demo of ["503,200", "503,200", "503,503,200"]) expect(await send(http, demo)).toBe(200);
      expect(await send(http, "503,503,503")).toBe(503);
      const traffic = async (): Promise<Explained["retries"]["traffic"]> => {
        const text = await prevail("explain", "httproute/baker#all", "--gateway-admin", address, "-o", "json");
        return (JSON.parse(text) as Explained).retries.traffic;
      };
      // Envoy writes its lines a moment later.
      const isCounted = async (): Promise<void> =>
        expect(await traffic()).toMatchObject([{ requests: 5, retried: 4, succeededByRetry: 3 }]);
      await vi.waitFor(isCounted, { timeout: 60_000, interval: 500 });
      const worth = "60 % of the 5 requests succeeded only by a retry, and 20 % failed in spite of one.";
      expect(await prevail("explain", "svc/baker", "--gateway-admin", address)).toContain(worth);
      expect(await prevail("trace", "GET", "http://baker.example:8080/menu", "--gateway-admin", address)).toContain(
        worth,
      );
      expect(await prevail("plan", "--delete", "retrypolicy/friday-fix", "--gateway-admin", address)).toMatch(
        /since counting began 60 % of the 5 requests to Service bakery\/baker:8080 succeeded only by a retry/,
      );
      const metrics = await (await fetch(`http://${address}/metrics`)).text();
      expect(metrics).toContain('rule="all",backend="bakery/baker:8080",retry="succeeded"} 3\n');
      expect(metrics).toMatch(/^prevail_requests_succeeded_by_retry_ratio\{.*\} 0\.6$/m);
    },
    180_000,
  );
});
