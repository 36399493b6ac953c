/** `--gateway-admin` of `explain`, `trace` and `plan`, with a real admin port. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runCli } from "../../../test/support/cli/run-cli.ts";
import { type AdminServer, startAdminServer } from "../../adapters/admin/admin-server.ts";
import type { ObjectRef } from "../../core/model/refs.ts";
import { retryReportJson } from "../../core/retry/parse-retry-report.ts";
import type { TrafficCounts } from "../../core/retry/retry-counts.ts";

const GROUP = "gateway.networking.k8s.io";
const ref = (group: string, kind: string, namespace: string, name: string): ObjectRef => ({
  group,
  kind,
  namespace,
  name,
});
const baker = (rule: string, requests: number, retried: number, succeededByRetry: number): TrafficCounts => ({
  gateway: ref(GROUP, "Gateway", "infra", "prod"),
  route: ref(GROUP, "HTTPRoute", "bakery", "baker"),
  rule,
  backend: ref("", "Service", "bakery", "baker"),
  port: 8080,
  requests,
  retried,
  succeededByRetry,
});

let uncounted = 0;
let admin: AdminServer;
beforeAll(async () => {
  admin = await startAdminServer({
    host: "127.0.0.1",
    port: 0,
    metrics: () => "",
    readiness: () => ({ isReady: true, reason: "" }),
    states: {
      "/retries": () =>
        retryReportJson({
          windowMs: 3_600_000,
          counts: [baker("menu", 1000, 200, 180), baker("order", 200, 0, 0)],
          uncounted,
        }),
    },
  });
});
afterAll(() => admin.close());

const run = async (line: string): Promise<string> => {
  const { stdout, stderr } = await runCli(`${line} --gateway-admin :${admin.port} -f examples/bakery`);
  return stderr + stdout;
};
/** Joins lines that were wrapped: a continuation is indented two more than its paragraph, which no other line of this section is. */
const unwrapped = (text: string): string => text.replaceAll(/\n(?: {4}| {6})(?=[^ H])/g, " ");
const section = (text: string): string =>
  /^What retries are worth[\s\S]*?(?=\n\n|$(?![\s\S]))/m.exec(unwrapped(text))?.[0].trim() ?? "";

describe("explain", () => {
  test.each([
    [
      "httproute/baker",
      `What retries are worth
  In the last hour 15 % of the 1200 requests succeeded only by a retry, and 2 % failed in spite of one.
    HTTPRoute bakery/baker#menu → Service bakery/baker:8080: 18 % of the 1000 requests succeeded only by a retry, and 2 % failed in spite of one
    HTTPRoute bakery/baker#order → Service bakery/baker:8080: none of the 200 requests needed a retry`,
    ],
    ["httproute/baker#order", "What retries are worth\n  In the last hour none of the 200 requests needed a retry."],
    ["svc/baker-next", "What retries are worth\n  No request was counted in the last hour."],
    ["namespace/bakery", ""],
    ["gtw/prod#https", ""],
  ])("%s", async (target, expected) => expect(section(await run(`explain ${target}`))).toBe(expected));

  test.each([
    ["gtw/prod", 1200],
    ["svc/baker", 1200],
    ["svc/baker#web", 1200],
  ])("%s: all its requests", async (target, requests) => {
    const { retries } = JSON.parse(await run(`explain ${target} -o json`)) as {
      readonly retries: { readonly windowSeconds: number; readonly traffic: readonly TrafficCounts[] };
    };
    expect(retries.windowSeconds).toBe(3600);
    expect(retries.traffic.reduce((sum, one) => sum + one.requests, 0)).toBe(requests);
  });
});

test("trace: the counts of the rule that the request takes", async () => {
  expect(section(await run("trace GET http://baker.bakery.example:8080/menu"))).toBe(
    "What retries are worth\n  In the last hour 18 % of the 1000 requests succeeded only by a retry, and 2 % failed in spite of one.",
  );
});

describe("plan", () => {
  test("deleting the policy that makes retries: how many requests succeeded only by one", async () => {
    const text = await run("plan --delete retrypolicy/friday-fix");
    expect(section(text)).toBe(
      "What retries are worth where they change\n  In the last hour 15 % of the 1200 requests to Service bakery/baker:8080 succeeded only by a retry, and 2 % failed in spite of one.",
    );
    const markdown = await run("plan --delete retrypolicy/friday-fix -o markdown");
    expect(markdown).toContain("15 % of the 1200 requests to Service bakery/baker:8080 succeeded only by a retry");
    expect(JSON.parse(await run("plan --delete retrypolicy/friday-fix -o json"))).toMatchObject({
      retries: {
        windowSeconds: 3600,
        backends: [{ backend: { name: "baker", port: 8080 }, requests: 1200, retried: 200, succeededByRetry: 180 }],
      },
    });
  });

  test("a change that leaves retries as they are says nothing about them", async () => {
    expect(section(await run("plan --delete authpolicy/baker-keys"))).toBe("");
  });
});

describe("absent counters are a caveat, never a zero", () => {
  test("a gateway that does not answer", async () => {
    const { stdout, code } = await runCli(
      "explain httproute/baker --gateway-admin 127.0.0.1:1 --fail-on caveat -f examples/bakery",
    );
    expect(unwrapped(stdout)).toContain("what retries are worth is not known: no gateway responds at 127.0.0.1:1.");
    expect(section(stdout)).toBe("");
    expect(code).toBe(1);
  });

  test("a server that is not a gateway", async () => {
    const other = await startAdminServer({
      host: "127.0.0.1",
      port: 0,
      metrics: () => "",
      readiness: () => ({ isReady: true, reason: "" }),
      states: { "/retries": () => ({ nodes: [] }) },
    });
    const { stdout } = await runCli(`explain httproute/baker --gateway-admin :${other.port} -f examples/bakery`);
    await other.close();
    expect(unwrapped(stdout)).toContain("is not of a gateway of this program");
    expect(section(stdout)).toBe("");
  });

  test("a gateway that counted only some of its requests", async () => {
    uncounted = 7;
    const text = await run("explain httproute/baker");
    uncounted = 0;
    expect(unwrapped(text)).toContain("7 requests of a gateway were not counted");
  });

  test("what is not an address is refused", async () => {
    const { stderr, code } = await runCli("explain httproute/baker --gateway-admin here -f examples/bakery");
    expect(stderr).toContain("--gateway-admin here is not an address: use HOST:PORT, or :PORT for this machine");
    expect(code).toBe(64);
  });
});
