import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { JsonObject } from "../src/core/model/json.ts";
import type { BenchContext } from "./bench-context.ts";
import { benchPieces } from "./gateway-pieces.ts";
import { benchReload } from "./gateway-reload.ts";
import {
  createRig,
  type MeasuredProxy,
  missingTools,
  type NginxBackend,
  type Rig,
  runWrk,
  startBackend,
  startNginxProxy,
  startPrevail,
  type WrkResult,
} from "./gateway-rig.ts";
import { gatewayObjects } from "./gateway-routes.ts";
import { median } from "./measure.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const ROUNDS = 5;
const SECONDS = 3;
const CONNECTIONS = 32;

/** The embedded gateway: the real program beside nginx, each on one core, measured in turns. */
export async function bench(context: BenchContext): Promise<void> {
  const missing = missingTools();
  if (missing !== undefined) throw new Error(missing);
  const built = spawnSync(process.execPath, ["scripts/build.mjs", "--if-changed"], { cwd: root, stdio: "inherit" });
  if (built.status !== 0) throw new Error("the program does not build");
  const rig = createRig();
  try {
    const backend = await startBackend(rig, "backend", 200);
    await benchProxying(context, rig, backend);
    await benchRoutes(context, rig, backend);
    await benchBudget(context, rig);
    await benchPieces(context, rig, backend);
  } finally {
    await rig.close();
  }
  await benchReload(context);
}

const RETRY: JsonObject = { codes: [502, 503], attempts: 3, backoff: "100ms" };

async function benchProxying(context: BenchContext, rig: Rig, backend: NginxBackend): Promise<void> {
  const name = "plain proxying, 1 KB";
  const nginx = await startNginxProxy(rig, backend.port);
  const prevail = await startPrevail(rig, "plain", [
    ...gatewayObjects({ routes: 1, backendPort: backend.port }),
    ...gatewayObjects({ routes: 1, backendPort: backend.port, prefix: "retried", retry: RETRY }).slice(2),
  ]);
  const results = await inTurns(rig, {
    nginx: { proxy: nginx, host: "route-0.example" },
    plain: { proxy: prevail, host: "route-0.example" },
    retried: { proxy: prevail, host: "retried-0.example" },
  });
  const rate = (which: string): number => median(results[which]?.map((one) => one.requestsPerSecond) ?? []);
  context.report({ case: name, metric: "nginx", value: rate("nginx"), unit: "requests/s" });
  context.report({ case: name, metric: "prevail", value: rate("plain"), unit: "requests/s" });
  const ratio = rate("plain") / rate("nginx");
  context.report({ case: name, metric: "prevail / nginx", value: ratio, unit: "x", bar: 0.35, ok: ratio >= 0.35 });
  // Processor time depends least on the load of the machine: on a core of its own, it limits the requests that a proxy can serve.
  const time = (which: string): number => median(results[which]?.map((one) => one.processorUs) ?? []);
  context.report({ case: name, metric: "processor time of nginx for a request", value: time("nginx"), unit: "µs" });
  context.report({ case: name, metric: "processor time of prevail for a request", value: time("plain"), unit: "µs" });
  context.report({ case: name, metric: "the one / the other", value: time("nginx") / time("plain"), unit: "x" });
  const retried = rate("retried") / rate("plain");
  const metric = "with retries configured / without";
  context.report({ case: name, metric, value: retried, unit: "x", bar: 0.95, ok: retried >= 0.95 });
  const ofTime = time("plain") / time("retried");
  context.report({ case: name, metric: `${metric}, by processor time`, value: ofTime, unit: "x" });
}

async function benchRoutes(context: BenchContext, rig: Rig, backend: NginxBackend): Promise<void> {
  const [few, many] = [10, 10_000];
  const proxies = {
    few: await startPrevail(rig, "few", gatewayObjects({ routes: few, backendPort: backend.port })),
    many: await startPrevail(rig, "many", gatewayObjects({ routes: many, backendPort: backend.port })),
  };
  const results = await inTurns(
    rig,
    {
      few: { proxy: proxies.few, host: `route-${few - 1}.example`, path: `/path-${few - 1}/x` },
      many: { proxy: proxies.many, host: `route-${many - 1}.example`, path: `/path-${many - 1}/x` },
    },
    // One request at a time: this measures latency, not throughput.
    1,
  );
  const latency = (which: string): number => median(results[which]?.map(({ medianMs }) => medianMs) ?? []);
  const name = "latency by number of routes";
  context.report({ case: name, metric: "10 routes", value: latency("few"), unit: "ms" });
  context.report({ case: name, metric: "10,000 routes", value: latency("many"), unit: "ms" });
  context.report({
    case: name,
    metric: "10,000 / 10 routes",
    value: latency("many") / latency("few"),
    unit: "x",
    bar: 1.2,
  });
}

async function benchBudget(context: BenchContext, rig: Rig): Promise<void> {
  const failing = await startBackend(rig, "failing", 503);
  const budget = { percent: 20, interval: "10s", minRetryRate: { count: 1, interval: "1s" } };
  const retry: JsonObject = { codes: [503], attempts: 3, backoff: "5ms", budget };
  const { port } = await startPrevail(rig, "failing", gatewayObjects({ routes: 1, backendPort: failing.port, retry }));
  const before = await failing.requests();
  const { requests } = await runWrk(rig, {
    port,
    host: "route-0.example",
    path: "/path-0",
    seconds: SECONDS,
    connections: CONNECTIONS,
  });
  const upstream = (await failing.requests()) - before - 1;
  const name = "all of the backend fails, budget 20 %";
  context.report({ case: name, metric: "requests", value: requests, unit: "" });
  // Requests whose response wrk did not wait for at its end went upstream too: a few dozen at most.
  context.report({
    case: name,
    metric: "upstream / downstream",
    value: upstream / (requests + CONNECTIONS),
    unit: "x",
    bar: 1.2,
  });
}

interface Question {
  readonly proxy: MeasuredProxy;
  readonly host: string;
  readonly path?: string;
}

interface Turn extends WrkResult {
  /** The processor time of the proxy for one request. */
  readonly processorUs: number;
}

/** Measures every target in every round, so that a busy moment of the machine affects all of them. The first round warms up and is not counted. */
async function inTurns(
  rig: Rig,
  targets: Readonly<Record<string, Question>>,
  connections = CONNECTIONS,
): Promise<Readonly<Record<string, readonly Turn[]>>> {
  const results: Readonly<Record<string, Turn[]>> = Object.fromEntries(Object.keys(targets).map((name) => [name, []]));
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [name, { proxy, host, path = "/path-0" }] of Object.entries(targets)) {
      const before = proxy.processorMs();
      const result = await runWrk(rig, { port: proxy.port, host, path, seconds: SECONDS, connections });
      const processorUs = (1000 * (proxy.processorMs() - before)) / result.requests;
      if (result.failed > 0) throw new Error(`${result.failed} of ${result.requests} requests to ${name} failed`);
      if (round > 0) results[name]?.push({ ...result, processorUs });
    }
  }
  return results;
}
