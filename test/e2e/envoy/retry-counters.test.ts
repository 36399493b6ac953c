/** What Envoys count about retries and send to the control plane: real Envoys, real requests, with and without a minimum backoff. */
import { request } from "node:http";
import { afterEach, describe, expect, test } from "vitest";
import { createRegex } from "../../../src/adapters/regex/create-regex.ts";
import { type ObjectId, objectId } from "../../../src/core/model/refs.ts";
import { EnvoyCounts } from "../../../src/serve/controller/envoy-counts.ts";
import { bootstrapJson } from "../../../src/xds/bootstrap-json.ts";
import { compileBootstrap } from "../../../src/xds/compile/compile-bootstrap.ts";
import { type ControlPlane, startControlPlane } from "../../../src/xds/serve/control-plane.ts";
import { dataplane, forwardTo, listener, retry, route, rule } from "../../support/gateway/dataplane-config.ts";
import { findEnvoy, type RunningEnvoy, startEnvoy } from "../../support/gateway/envoy.ts";
import { NO_KEYS } from "../../support/gateway/envoy-plane.ts";
import { findFreePorts } from "../../support/gateway/find-free-ports.ts";
import { Cleanup, startBackend } from "../../support/gateway/gateway-harness.ts";
import { NODE_7, nodeFiles, XDS_SERVER_TLS } from "../../support/gateway/node-certificates.ts";

const envoyPath = findEnvoy();
const cleanup = new Cleanup();
afterEach(() => cleanup.run());

const until = async (what: string, isSo: () => boolean): Promise<void> => {
  const deadline = Date.now() + 20_000;
  while (!isSo()) {
    if (Date.now() > deadline) expect.fail(`not so after 20 s: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};

const send = (port: number, path: string): Promise<number | undefined> =>
  new Promise((resolve) => {
    const one = request({ host: "127.0.0.1", port, path, agent: false }, (response) => {
      response.resume();
      response.on("end", () => resolve(response.statusCode));
    });
    one.on("error", () => resolve(undefined));
    one.end();
  });

/** `/a/N/2`: the rule, a number for the request, and how many of its attempts fail. */
const paths = (ruleName: string): readonly string[] => [0, 1, 1, 2, 9].map((fails, n) => `/${ruleName}/${n}/${fails}`);

interface Counted {
  readonly plane: ControlPlane;
  readonly counts: EnvoyCounts;
  readonly gateway: ObjectId;
  readonly http: number;
  readonly envoy: RunningEnvoy;
}

/** A gateway with two rules that retry twice: at once, and after a wait. */
async function start(path: string, tls: "TLS" | "plain text", claims = "tenant-a/gw-a"): Promise<Counted> {
  const [http = 0, xds = 0, admin = 0] = await findFreePorts(3);
  const attempts = new Map<string, number>();
  const backend = await startBackend(cleanup, ({ url }, response) => {
    const attempt = (attempts.get(url) ?? 0) + 1;
    attempts.set(url, attempt);
    response.statusCode = attempt <= Number(url.split("/").at(-1)) ? 503 : 200;
    response.end();
  });
  const ruleFor = (name: string, backoffMs: number | undefined) =>
    route(
      rule({ name, to: forwardTo("baker", { retry: retry({ codes: [503], attempts: 2, backoffMs }) }) }),
      `/${name}`,
    );
  const drafted = dataplane(
    [{ port: http, listeners: [listener({ "*": [ruleFor("fast", undefined), ruleFor("slow", 5)] })] }],
    { baker: [backend.port] },
  );
  const [draft] = drafted.gateways;
  if (draft === undefined) throw new Error("there is a gateway");
  // The Gateway that the certificate of the node is for.
  const own = { ...draft, gateway: { ...draft.gateway, namespace: "tenant-a", name: "gw-a" } };
  const config = { ...drafted, gateways: [own] };
  let plane: ControlPlane | undefined;
  const counts = new EnvoyCounts({
    nodes: () => plane?.nodes() ?? [],
    nowMs: () => performance.now(),
    elsewhere: () => undefined,
  });
  plane = await startControlPlane({
    address: { host: "127.0.0.1", port: xds },
    tls: tls === "TLS" ? XDS_SERVER_TLS : undefined,
    onEvent: () => {},
    onCounts: (message) => counts.receive(message),
    compile: {
      bind: (_, port) => ({ host: "127.0.0.1", port }),
      slackMs: 1,
      systemAuthorities: "/none",
      matchRegex: createRegex(),
      accessLog: "Counters",
    },
  });
  const started = plane;
  cleanup.add(() => started.close());
  plane.replace(config, NO_KEYS);
  counts.use(config);
  const bootstrap = compileBootstrap({
    nodeId: "node-7",
    gateway: "tenant-a/gw-a",
    server: { host: "127.0.0.1", port: xds },
    tls: tls === "TLS" ? nodeFiles(cleanup, NODE_7) : undefined,
    adminPort: admin,
  });
  const { stats_sinks: sinks, ...others } = bootstrapJson(bootstrap);
  const claimed: unknown = JSON.parse(JSON.stringify(sinks).replaceAll('"tenant-a/gw-a"', JSON.stringify(claims)));
  const envoy = await startEnvoy(path, { ...others, stats_sinks: claimed, stats_flush_interval: "0.5s" }, admin);
  cleanup.add(() => envoy.close());
  return { plane, counts, gateway: objectId(own.gateway), http, envoy };
}

describe.skipIf(envoyPath === undefined)("counters of real Envoys", () => {
  test.each(["plain text", "TLS"] as const)(
    "over %s: each request counts once, and waits are not attempts",
    async (tls) => {
      const { counts, gateway, http } = await start(envoyPath ?? "", tls);
      await until("the Envoy serves", () => counts.knowledge([gateway]).counted.has(gateway));
      for (const name of ["fast", "slow"]) {
        const statuses = await Promise.all(paths(name).map((one) => send(http, one)));
        expect(statuses).toEqual([200, 200, 200, 200, 503]);
      }
      const counted = (): readonly (readonly [string, number, number, number])[] =>
        counts
          .knowledge([gateway])
          .report.counts.map((one) => [one.route.name, one.requests, one.retried, one.succeededByRetry] as const);
      await until("all requests are counted", () => counted().reduce((sum, [, requests]) => sum + requests, 0) >= 10);
      expect(counted()).toEqual([
        ["fast", 5, 4, 3],
        ["slow", 5, 4, 3],
      ]);
      expect(counts.knowledge([gateway]).gaps).toEqual(new Map());
    },
  );

  test.each(["plain text", "TLS"] as const)(
    "over %s: the stream on the same connection decides whose counters they are, not their labels",
    async (tls) => {
      const { counts, gateway, http } = await start(envoyPath ?? "", tls, "tenant-b/gw-b");
      await until("the Envoy serves", () => counts.knowledge([gateway]).counted.has(gateway));
      for (const one of paths("fast")) await send(http, one);
      await until("all requests are counted", () => counts.knowledge([gateway]).report.counts[0]?.requests === 5);
    },
  );

  test("what is not counted is a gap: no Envoy, and one that sends nothing", async () => {
    const { counts, gateway, envoy, plane } = await start(envoyPath ?? "", "plain text");
    await until("the Envoy counts", () => counts.knowledge([gateway]).counted.has(gateway));
    await envoy.close();
    await until("the Envoy is gone", () => plane.nodes().length === 0);
    const { counted, gaps } = counts.knowledge([gateway]);
    expect(counted.size).toBe(0);
    expect(gaps.get(gateway)).toContain("no Envoy is connected");
  });
});
