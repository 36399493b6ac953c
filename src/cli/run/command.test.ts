import { describe, expect, test } from "vitest";
import { runCli } from "../../../test/support/cli/run-cli.ts";

const flat = (text: string): string => text.replaceAll(/\s+/g, " ");

/** What the program would be asked to serve; the test's own `serve` prints it. */
const settings = async (line: string): Promise<unknown> => JSON.parse((await runCli(line)).stdout);

describe("run", () => {
  test("by default: on the loopback, following the files, with an access log and an admin port", async () => {
    expect(await settings("run -f examples/bakery")).toEqual({
      paths: ["examples/bakery"],
      completeness: "Partial",
      bind: "127.0.0.1",
      portMap: [],
      adminPort: 9902,
      accessLog: "text",
      hasDebugHeaders: false,
      hasDemoBackends: false,
      isWatching: true,
      drainMs: 10_000,
      trustedHops: 0,
      dataplane: "embedded",
      heapMib: 1024,
    });
  });

  test("with Envoy, which may be named", async () => {
    expect(await settings("run -f a --dataplane envoy")).toMatchObject({ dataplane: "envoy" });
    expect(await settings("run -f a --envoy /opt/envoy")).toMatchObject({
      dataplane: "envoy",
      envoyPath: "/opt/envoy",
    });
  });

  test("with every option", async () => {
    const line =
      "run -f a -f b --bind :: --map-port 80:8000 --map-port 443:0 --admin-port off --access-log off --debug-headers --backend-demo --no-watch --drain 1m --trusted-hops 2 --default-namespace x";
    expect(await settings(line)).toMatchObject({
      paths: ["a", "b"],
      defaultNamespace: "x",
      bind: "::",
      portMap: [
        [80, 8000],
        [443, 0],
      ],
      hasDebugHeaders: true,
      hasDemoBackends: true,
      isWatching: false,
      drainMs: 60_000,
      trustedHops: 2,
    });
  });

  test.each([
    ["run", "nothing to serve: name the objects with -f"],
    ["run x -f examples/bakery", "unexpected argument 'x'"],
    ["run -f a --map-port 80", "--map-port is '80': give the listener's port and the port to open, such as 80:8080"],
    ["run -f a --map-port 80:99999", "--map-port is '80:99999'"],
    ["run -f a --admin-port none", "--admin-port is 'none': give a port number"],
    ["run -f a --envoy-heap 1g", "--envoy-heap is '1g': give a number of MiB, from 64 to 1048576"],
    ["run -f a --trusted-hops -1", "--trusted-hops is '-1': give the number of trusted proxies, up to 100"],
    ["run -f a --drain 5", "--drain is '5': give a duration"],
    ["run -f a --access-log xml", "--access-log"],
    ["run -f a --dataplane envoy --debug-headers", "--debug-headers requires the embedded gateway"],
  ])("%s", async (line, message) => {
    const { code, stdout, stderr } = await runCli(line);
    expect([code, stdout]).toEqual([64, ""]);
    expect(stderr.replaceAll(/\s+/g, " ")).toContain(message);
  });
});

describe("run --dry-run", () => {
  test("says what would be served, and what would not", async () => {
    const { code, stdout, stderr } = await runCli("run --dry-run -f examples/bakery --map-port 8080:80");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Gateway infra\/prod\n/);
    expect(stdout).toMatch(/^ {2}http +http:\/\/127\.0\.0\.1:80 +\*\.bakery\.example +\d rules of 1 route$/m);
    expect(stdout).toMatch(/^ {2}admin .* no route$/m);
    expect(flat(stderr)).toContain("RetryPolicy bakery/no-double-orders is not accepted: no HTTPRoute 'bakr'");
    expect(flat(stdout)).toContain(
      "3 AuthPolicies and 6 RateLimitPolicies are not carried out by the embedded gateway",
    );
  });

  test("says which of two Gateways gets a port that both need", async () => {
    const gateway = (name: string): string =>
      `{apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, metadata: {name: ${name}, namespace: infra}, spec: {gatewayClassName: house, listeners: [{name: http, port: 80, protocol: HTTP}]}}\n`;
    const files = { "two.yaml": `${gateway("a")}---\n${gateway("b")}` };
    const { stdout, stderr } = await runCli("run --dry-run -f two.yaml", { files });
    expect(stdout).toMatch(/Gateway infra\/a\n.*\n +http +http:\/\/127.0.0.1:80 /);
    expect(stdout).toMatch(/Gateway infra\/b\n.*\n +http +not open /);
    expect(stderr).toContain(
      "port 80 (listener http) of Gateway infra/b is not opened: Gateway infra/a uses the same port",
    );
  });

  test("without a Gateway: nothing", async () => {
    const service = "apiVersion: v1\nkind: Service\nmetadata: {name: a}\n";
    expect((await runCli("run --dry-run -f -", { stdin: service })).stdout).toBe(
      "There is no Gateway, so nothing is served.\n",
    );
  });
});
