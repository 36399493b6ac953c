/** Many routes at once, against as many creations and bare status writes of a client that does nothing else. */
import { setTimeout as sleep } from "node:timers/promises";
import { getObject, updateStatus } from "../src/adapters/cluster/client/object-requests.ts";
import type { JsonObject } from "../src/core/model/json.ts";
import type { Measurement } from "./bench-context.ts";
import { atOnce, type GatewayCluster } from "./gateways-cluster.ts";

type Report = (measurement: Measurement) => void;

/** Everything that is still written is written by then. */
const SETTLE_MS = 3000;

/** `burst`: these routes stay. */
export async function measureBurst(cluster: GatewayCluster, count: number, report: Report): Promise<void> {
  const name = `${count.toLocaleString("en")} routes at once`;
  const floorMs = await measureFloor(cluster, count);
  await sleep(SETTLE_MS);
  const { audit } = cluster.rig;
  audit.mark();
  const beganMs = performance.now();
  const accepted = cluster.untilAccepted("burst", count).then(() => performance.now() - beganMs);
  await cluster.createRoutes("burst", count);
  const createdMs = performance.now() - beganMs;
  const served = cluster.untilServed("burst", count).then(() => performance.now() - beganMs);
  const [acceptedMs, servedMs] = [await accepted, await served];
  await sleep(SETTLE_MS);
  report({ case: name, metric: "created and as many bare status writes", value: floorMs, unit: "ms" });
  report({ case: name, metric: "created", value: createdMs, unit: "ms" });
  report({ case: name, metric: "all Accepted", value: acceptedMs, unit: "ms" });
  report({ case: name, metric: "all served", value: servedMs, unit: "ms" });
  const ratio = Math.max(acceptedMs, servedMs) / floorMs;
  report({ case: name, metric: "all Accepted and served / bare writes", value: ratio, unit: "×", bar: 1.5 });
  reportWrites(cluster, name, report);
}

/** Measures the floor: the same number of routes behind the Gateway of another controller, each with one status write. They are deleted afterwards. */
async function measureFloor(cluster: GatewayCluster, count: number): Promise<number> {
  const { client, routes } = cluster;
  const beganMs = performance.now();
  await cluster.createRoutes("bare", count, (name) => cluster.foreignRoute(name));
  let ms = performance.now() - beganMs;
  const objects: (JsonObject | undefined)[] = [];
  await atOnce(count, async (index) => {
    objects[index] = await getObject(client, routes.resource, { namespace: "default", name: `bare-${index}` });
  });
  const againMs = performance.now();
  await atOnce(count, async (index) => {
    await updateStatus(client, routes.resource, { ...objects[index], status: STATUS });
  });
  ms += performance.now() - againMs;
  await cluster.deleteRoutes("bare", count);
  return ms;
}

/** A status of the same length as that of an accepted route. */
const STATUS: JsonObject = {
  parents: [
    {
      parentRef: { group: "gateway.networking.k8s.io", kind: "Gateway", name: "foreign" },
      controllerName: "example.com/other",
      conditions: ["Accepted", "ResolvedRefs"].map((type) => ({
        type,
        status: "True",
        reason: type,
        message: "",
        observedGeneration: 1,
        lastTransitionTime: "2026-01-01T00:00:00Z",
      })),
    },
  ],
};

function reportWrites({ rig: { audit } }: GatewayCluster, name: string, report: Report): void {
  const counts = new Map<string, number>();
  let refused = 0;
  for (const { resource, name: object, code } of audit.writes()) {
    if (!resource.endsWith("/status")) continue;
    if (code >= 300) refused++;
    else counts.set(`${resource} ${object}`, (counts.get(`${resource} ${object}`) ?? 0) + 1);
  }
  const most = (resource: string): number =>
    Math.max(0, ...[...counts].filter(([key]) => key.startsWith(resource)).map(([, count]) => count));
  report({ case: name, metric: "status writes of a route, the most", value: most("httproutes"), unit: "", bar: 1 });
  report({ case: name, metric: "status writes of the Gateway", value: most("gateways"), unit: "", bar: 10 });
  report({ case: name, metric: "status writes that were refused (409)", value: refused, unit: "" });
}

/** The routes of the burst go. */
export async function measureDeletion(cluster: GatewayCluster, count: number, report: Report): Promise<void> {
  const name = `${count.toLocaleString("en")} routes deleted`;
  cluster.rig.audit.mark();
  await cluster.deleteRoutes("burst", count);
  await sleep(SETTLE_MS);
  const writes = cluster.rig.audit.writes().filter(({ resource }) => resource === "gateways/status");
  report({ case: name, metric: "status writes of the Gateway", value: writes.length, unit: "", bar: 10 });
}
