/**
 * The cost of Prevail's configuration for requests, compared with configurations written by hand for the same routes. The
 * proxies are measured in many short turns, each with a core for itself: the rate, and the processor time of Envoy's one
 * worker, which depends less on the load of the machine. One configuration runs twice, so that a reader sees how far to
 * trust the figures.
 */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import type { VirtualHostConfig } from "../src/core/dataplane/gateway-config.ts";
import { bootstrapJson } from "../src/xds/bootstrap-json.ts";
import type { AccessLogging } from "../src/xds/compile/compile-access-log.ts";
import { compileBootstrap } from "../src/xds/compile/compile-bootstrap.ts";
import type { RouteShape } from "../src/xds/compile/routes/route-shape.ts";
import { startControlPlane } from "../src/xds/serve/control-plane.ts";
import { type RunningEnvoy, startEnvoy } from "../test/support/gateway/envoy.ts";
import { NO_KEYS } from "../test/support/gateway/envoy-plane.ts";
import { findFreePorts } from "../test/support/gateway/find-free-ports.ts";
import type { BenchContext, Measurement } from "./bench-context.ts";
import { createRig, missingTools, OTHER_CORE, PROXY_CORE, startBackend } from "./gateway-rig.ts";
import { type HandWritten, handWrittenBootstrap } from "./hand-written-envoy.ts";
import { median } from "./measure.ts";
import { openClient, type SteadyClient } from "./steady-client.ts";
import { configOf, host, options, WILDCARD } from "./xds-config.ts";

const ROUTES = 30;
const TURNS = 150;
const WARM_UP = 5;
const REQUESTS = 300;
const CONNECTIONS = 16;
const LEAST = 0.97;
const ASKED = "host-7.example";

interface Proxy {
  readonly envoy: RunningEnvoy;
  readonly client: SteadyClient;
}

/** The figures of one turn. */
interface Cost {
  readonly requestsPerSecond: number;
  readonly processorUs: number;
}

export async function benchThroughput(context: BenchContext, envoyPath: string): Promise<void> {
  if (missingTools() !== undefined) return;
  const rig = createRig();
  const ends: (() => void | Promise<void>)[] = [rig.close];
  try {
    spawnSync("taskset", ["-a", "-c", "-p", String(OTHER_CORE), String(process.pid)]);
    const { port: backendPort } = await startBackend(rig, "backend", 200);
    const proxies = {
      ours: await startOurs(envoyPath, backendPort, ends),
      counted: await startOurs(envoyPath, backendPort, ends, { accessLog: "Counters" }),
      scoped: await startOurs(envoyPath, backendPort, ends, { shape: "Scoped" }),
      beside: await startOurs(envoyPath, backendPort, ends, { shape: "Scoped", more: [WILDCARD] }),
      wild: await startOurs(envoyPath, backendPort, ends, {
        shape: "Scoped",
        more: [WILDCARD],
        asked: "shop.wild.example",
      }),
      byHand: await startByHand(envoyPath, backendPort, "Identity", ends),
      byHandAgain: await startByHand(envoyPath, backendPort, "Identity", ends),
      edge: await startByHand(envoyPath, backendPort, "Edge", ends),
      careless: await startByHand(envoyPath, backendPort, "None", ends),
    };
    report(context, await inTurns(proxies));
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

function report(context: BenchContext, costs: Readonly<Record<keyof Proxies, readonly Cost[]>>): void {
  const { ours, counted, scoped, beside, wild, byHand, byHandAgain, edge, careless } = costs;
  const figure = (metric: string, value: number, unit: string, bar: Pick<Measurement, "bar" | "ok"> = {}): void =>
    context.report({ case: `${ROUTES} routes with retries`, metric, value, unit, ...bar });
  figure("throughput", median(ours.map((cost) => cost.requestsPerSecond)), "ops/s");
  figure("processor time of Envoy for a request", median(ours.map((cost) => cost.processorUs)), "µs");
  for (const [what, of] of [
    ["throughput", rateRatio],
    ["processor time", timeRatio],
  ] as const) {
    const value = ratio(ours, mean(byHand, byHandAgain), of);
    figure(`${what}, against a configuration by hand`, value, "x", { bar: LEAST, ok: value >= LEAST });
    figure(`${what}, against one that forwards what clients say about themselves`, ratio(ours, edge, of), "x");
    figure(`${what}, against one that trusts every client`, ratio(ours, careless, of), "x");
    figure(`${what}, with the counters of retries, against without`, ratio(counted, ours, of), "x");
    figure(`${what}, with a scope for each host, against without`, ratio(scoped, ours, of), "x");
    figure(`${what}, with scopes and a wildcard, against with scopes`, ratio(beside, scoped, of), "x");
    figure(`${what}, of a host of the wildcard, against an exact host`, ratio(wild, beside, of), "x");
    figure(`${what}, that by hand against itself`, ratio(byHandAgain, byHand, of), "x");
  }
}

/** The ratio of two figures that should be equal, turn by turn. */
const mean = (ones: readonly Cost[], others: readonly Cost[]): readonly Cost[] =>
  ones.map((one, turn) => {
    const other = others[turn] ?? one;
    return {
      requestsPerSecond: (one.requestsPerSecond + other.requestsPerSecond) / 2,
      processorUs: (one.processorUs + other.processorUs) / 2,
    };
  });

const rateRatio = (one: Cost, other: Cost): number => one.requestsPerSecond / other.requestsPerSecond;
/** True if more is better, as with rates. */
const timeRatio = (one: Cost, other: Cost): number => other.processorUs / one.processorUs;

/** The median over all turns. The figures of one turn are measured within about a tenth of a second. */
const ratio = (ones: readonly Cost[], others: readonly Cost[], of: (one: Cost, other: Cost) => number): number =>
  median(
    ones.flatMap((one, turn) => {
      const other = others[turn];
      return other === undefined ? [] : [of(one, other)];
    }),
  );

type Name = "ours" | "counted" | "scoped" | "beside" | "wild" | "byHand" | "byHandAgain" | "edge" | "careless";
type Proxies = Readonly<Record<Name, Proxy>>;

/** Measures in a fixed order, so that each proxy always follows the same one. */
async function inTurns(proxies: Proxies): Promise<Record<keyof Proxies, Cost[]>> {
  const costs: Record<keyof Proxies, Cost[]> = {
    ours: [],
    counted: [],
    scoped: [],
    beside: [],
    wild: [],
    byHand: [],
    byHandAgain: [],
    edge: [],
    careless: [],
  };
  const order = ["ours", "counted", "byHand", "scoped", "beside", "wild", "edge", "careless", "byHandAgain"] as const;
  for (let turn = -WARM_UP; turn < TURNS; turn++) {
    for (const name of order) {
      const cost = await measureTurn(proxies[name]);
      if (turn >= 0) costs[name].push(cost);
    }
  }
  return costs;
}

/** The kernel reports the processor time of a worker only when it sleeps. */
const SETTLE_MS = 3;

async function measureTurn({ envoy, client }: Proxy): Promise<Cost> {
  const before = workerNs(envoy);
  const started = performance.now();
  await client.ask(REQUESTS);
  const seconds = (performance.now() - started) / 1000;
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  return { requestsPerSecond: REQUESTS / seconds, processorUs: (workerNs(envoy) - before) / 1000 / REQUESTS };
}

/** The processor time of the one thread that serves requests. */
function workerNs({ process: { pid } }: RunningEnvoy): number {
  const tasks = `/proc/${pid}/task`;
  for (const task of readdirSync(tasks)) {
    if (!readFileSync(`${tasks}/${task}/comm`, "utf8").startsWith("wrk:worker_0")) continue;
    return Number(readFileSync(`${tasks}/${task}/schedstat`, "utf8").split(" ")[0]);
  }
  throw new Error("the Envoy has no worker");
}

interface OursOptions {
  readonly shape?: RouteShape;
  /** Further hosts. */
  readonly more?: readonly VirtualHostConfig[];
  readonly asked?: string;
  readonly accessLog?: AccessLogging;
}

/** Sends the configuration over xDS, as in production. */
async function startOurs(
  envoyPath: string,
  backendPort: number,
  ends: (() => void | Promise<void>)[],
  { shape = "Shared", more = [], asked = ASKED, accessLog = "None" }: OursOptions = {},
): Promise<Proxy> {
  const [port = 0, adminPort = 0] = await findFreePorts(2);
  const plane = await startControlPlane({
    address: { host: "127.0.0.1", port: 0 },
    tls: undefined,
    onEvent: () => {},
    compile: { ...options(port), scopesFrom: shape === "Scoped" ? 0 : ROUTES + 2, accessLog },
  });
  ends.push(plane.close);
  const hosts = [...Array.from({ length: ROUTES }, (_, index) => host(index)), ...more];
  plane.replace(configOf(hosts, backendPort), NO_KEYS);
  const server = { host: "127.0.0.1", port: plane.port };
  const bootstrap = compileBootstrap({ nodeId: "bench", gateway: "bakery/door", server, tls: undefined, adminPort });
  return startProxy(envoyPath, bootstrapJson(bootstrap), { port, adminPort, asked }, ends);
}

async function startByHand(
  envoyPath: string,
  backendPort: number,
  care: HandWritten["care"],
  ends: (() => void | Promise<void>)[],
): Promise<Proxy> {
  const [port = 0, adminPort = 0] = await findFreePorts(2);
  const written = handWrittenBootstrap({ port, adminPort, backendPort, routes: ROUTES, care });
  return startProxy(envoyPath, written, { port, adminPort, asked: ASKED }, ends);
}

async function startProxy(
  envoyPath: string,
  bootstrap: object,
  { port, adminPort, asked }: { readonly port: number; readonly adminPort: number; readonly asked: string },
  ends: (() => void | Promise<void>)[],
): Promise<Proxy> {
  const envoy = await startEnvoy(envoyPath, bootstrap, adminPort, { core: PROXY_CORE });
  ends.push(envoy.close);
  const client = await openClient({ port, host: asked, connections: CONNECTIONS });
  ends.push(client.close);
  return { envoy, client };
}
