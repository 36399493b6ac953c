/**
 * Measures the controller with one Envoy, inside the rig: `node scripts/rig.mjs bench/gateways-rig.ts CONTROLLER-CHILD ROUTES PARTS`. Prints each figure as
 * a line of JSON.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { createObject } from "../src/adapters/cluster/client/object-requests.ts";
import { findRigParts } from "../test/support/rig/find-rig-parts.ts";
import { startRig } from "../test/support/rig/start-rig.ts";
import type { Measurement } from "./bench-context.ts";
import { measureBurst, measureDeletion } from "./gateways-burst.ts";
import { GatewayCluster } from "./gateways-cluster.ts";
import { quantile } from "./measure.ts";
import { SMALL_HEAP_MB } from "./measured-controller.ts";

const MB = 1024 * 1024;
/** The peer's numbers of samples. */
const [SAMPLES, SAMPLES_AMONG_MANY] = [100, 50];
const FEW = 10;
const BURST = 1000;
/** First 200 against the time from a creation to its event in a watch. */
const FIRST_BAR = 4;
/** Between samples, so that each finds an idle controller. */
const REST_MS = 100;

const report = (measurement: Measurement): void => console.log(JSON.stringify(measurement));

/** `parts`: few, burst, many, heap. */
async function main(childProgram: string, routes: number, parts: ReadonlySet<string>): Promise<void> {
  const rigParts = findRigParts();
  const cluster = await GatewayCluster.start(await startRig(rigParts), rigParts, childProgram);
  await cluster.createRoutes("few", FEW);
  await cluster.untilServed("few", FEW);
  if (parts.has("few")) await measureFirst(cluster, `${FEW} routes`, SAMPLES, FIRST_BAR);
  if (parts.has("burst")) await measureBurst(cluster, BURST, report);
  if (parts.has("many")) await measureAmongMany(cluster, parts.has("burst"));
  if (parts.has("burst")) await measureDeletion(cluster, BURST, report);
  if (parts.has("heap")) await measureHeap(cluster, routes);
  const code = await cluster.controller.end();
  const metric = `exit code after all of it with ${SMALL_HEAP_MB} MB of heap`;
  report({ case: [...parts].join(", "), metric, value: code ?? 1, unit: "", bar: 0 });
}

/** `areThere`: the routes of the burst are those that a route is one of. */
async function measureAmongMany(cluster: GatewayCluster, areThere: boolean): Promise<void> {
  if (!areThere) {
    await cluster.createRoutes("others", BURST);
    await cluster.untilServed("others", BURST);
    await cluster.untilAccepted("others", BURST);
  }
  await measureFirst(cluster, `${(BURST + FEW).toLocaleString("en")} routes`, SAMPLES_AMONG_MANY, FIRST_BAR);
}

async function measureHeap(cluster: GatewayCluster, routes: number): Promise<void> {
  await cluster.createRoutes("many", routes - FEW);
  await cluster.untilAccepted("many", routes - FEW);
  const { heap } = await cluster.controller.ask();
  const name = `${routes.toLocaleString("en")} routes`;
  report({ case: name, metric: "heap of the controller after a collection", value: heap / MB, unit: "MB", bar: 120 });
  await measureFirst(cluster, name, SAMPLES_AMONG_MANY, undefined);
}

/** From the request that creates a route to the first 200, beside the time from such a request to its event in a watch, in turns. */
async function measureFirst(
  cluster: GatewayCluster,
  name: string,
  samples: number,
  bar: number | undefined,
): Promise<void> {
  const [watched, served, accepted]: number[][] = [[], [], []];
  for (let index = 0; index < samples; index++) {
    const floor = `floor-${index}`;
    const floorMs = performance.now();
    const seen = cluster.routes.until(floor, () => true);
    await createObject(cluster.client, cluster.routes.resource, cluster.foreignRoute(floor));
    watched?.push((await seen) - floorMs);
    await sleep(REST_MS);
    const own = `sample-${index}`;
    const beganMs = performance.now();
    const isAccepted = cluster.untilAcceptedAt(own);
    const created = createObject(cluster.client, cluster.routes.resource, cluster.route(own));
    served?.push((await cluster.untilFirst200(own)) - beganMs);
    accepted?.push((await isAccepted) - beganMs);
    await created;
    await cluster.deleteRoute(own);
    await cluster.deleteRoute(floor);
    await sleep(REST_MS);
  }
  const p = (values: readonly number[] | undefined, part: number): number => quantile(values ?? [], part);
  const ratio = p(served, 0.5) / p(watched, 0.5);
  report({ case: name, metric: "HTTPRoute created → seen by a watch, p50", value: p(watched, 0.5), unit: "ms" });
  report({ case: name, metric: "HTTPRoute created → first 200, p50", value: p(served, 0.5), unit: "ms" });
  report({ case: name, metric: "HTTPRoute created → first 200, p90", value: p(served, 0.9), unit: "ms" });
  report({
    case: name,
    metric: "first 200 / seen by a watch, p50",
    value: ratio,
    unit: "×",
    ...(bar === undefined ? {} : { bar }),
  });
  report({ case: name, metric: "HTTPRoute created → Accepted, p50", value: p(accepted, 0.5), unit: "ms" });
  report({ case: name, metric: "HTTPRoute created → Accepted, p90", value: p(accepted, 0.9), unit: "ms" });
}

const [childProgram = "", routes = "5000", parts = ""] = process.argv.slice(2);
process.exit(
  await main(childProgram, Number(routes), new Set(parts.split(","))).then(
    () => 0,
    (error: unknown) => {
      console.error(error);
      return 1;
    },
  ),
);
