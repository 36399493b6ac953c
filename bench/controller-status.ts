/** The status that the controller writes: how much, how soon, and what the process costs; beside bare PUTs of the same number. */
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { KubeClient } from "../src/adapters/cluster/client/kube-client.ts";
import { createObject, getObject, updateStatus } from "../src/adapters/cluster/client/object-requests.ts";
import type { AddressedResource } from "../src/adapters/cluster/client/resource.ts";
import { type JsonObject, objectAt, objectsIn } from "../src/core/model/json.ts";
import { type AuditLog, createAuditLog } from "../test/support/kubernetes/audit-log.ts";
import { clientAs } from "../test/support/kubernetes/cluster-client.ts";
import { type ControlPlane, startControlPlane } from "../test/support/kubernetes/control-plane.ts";
import { findKubernetes } from "../test/support/kubernetes/find-kubernetes.ts";
import { differingStatuses, REPORT_NAMESPACE } from "../test/support/kubernetes/report-replica.ts";
import type { BenchContext } from "./bench-context.ts";
import {
  createGateways,
  createRoutes,
  forEachAtOnce,
  namespaceOf,
  POLICIES,
  ROUTES,
  retryPolicy,
} from "./cluster-objects.ts";
import { type MeasuredController, SMALL_HEAP_MB, startMeasuredController } from "./measured-controller.ts";

const CHILD = fileURLToPath(new URL("./controller-child.js", import.meta.url));
const MB = 1024 * 1024;
const BURST = 1000;
const IDLE_MS = 60_000;
const LISTENERS = 64;
const AT_ONCE = 8;
const GROUP = "gateway.networking.k8s.io";
const GATEWAYS: AddressedResource = { group: GROUP, version: "v1", plural: "gateways" };

/** Each is measured in a cluster with all routes. */
export const STATUS_PARTS: readonly string[] = ["idle", "burst", "listeners"];

export async function benchStatus(context: BenchContext, routes: number): Promise<void> {
  const parts = await findKubernetes();
  if (parts === undefined) return;
  const audit = createAuditLog();
  const plane = await startControlPlane(parts, { frontProxy: true, flags: audit.flags });
  const client = await clientAs(plane);
  try {
    await plane.kubectl(["create", "namespace", REPORT_NAMESPACE]);
    await createGateways(client);
    await createRoutes(client, 0, routes);
    const controller = await startMeasuredController(plane.kubeconfig, CHILD);
    try {
      await untilReported(plane);
      const has = (part: string): boolean => context.parts.includes(part);
      if (has("idle")) await measureIdle(context, `status, ${routes.toLocaleString("en")} routes`, controller);
      if (has("burst")) await measureBurst(context, { plane, client, audit });
      if (has("listeners")) await measureListeners(context, { plane, client, audit });
    } finally {
      const code = await controller.end();
      const metric = `exit code after all of it with ${SMALL_HEAP_MB} MB of heap`;
      context.report({
        case: `status, ${routes.toLocaleString("en")} routes`,
        metric,
        value: code ?? 1,
        unit: "",
        bar: 0,
      });
    }
  } finally {
    client.close();
    await plane.close();
    audit.close();
  }
}

/** Resolves when every object has the right status. */
async function untilReported(plane: ControlPlane): Promise<void> {
  while ((await differingStatuses(plane)).length > 0) await sleep(200);
}

async function measureIdle(context: BenchContext, name: string, { ask }: MeasuredController): Promise<void> {
  const before = await ask();
  context.report({
    case: name,
    metric: "heap in use after a collection",
    value: before.heap / MB,
    unit: "MB",
    bar: 120,
  });
  await sleep(IDLE_MS);
  const after = await ask();
  // The two collections that the question itself causes are not idling.
  const again = await ask();
  const idleMs = after.cpuMs - before.cpuMs - (again.cpuMs - after.cpuMs);
  context.report({ case: name, metric: "processor when idle", value: (100 * idleMs) / IDLE_MS, unit: "%", bar: 1 });
}

interface Rig {
  readonly plane: ControlPlane;
  readonly client: KubeClient;
  readonly audit: AuditLog;
}

/** 1,000 more routes on one Gateway, below one policy. */
async function measureBurst(context: BenchContext, { plane, client, audit }: Rig): Promise<void> {
  const name = `status, a burst of ${BURST.toLocaleString("en")} routes under one policy`;
  const namespace = namespaceOf(0);
  const listeners = [{ name: "http", port: 80, protocol: "HTTP" }];
  await createObject(client, GATEWAYS, gatewayWith("burst", namespace, listeners));
  await createObject(client, POLICIES, onGateway("burst", namespace, "burst"));
  await createObject(client, ROUTES, routeOn("burst-first", namespace, { name: "burst" }));
  await untilReported(plane);
  const before = await policyStatuses(client);
  audit.mark();
  await forEachAtOnce(0, BURST, (index) =>
    createObject(client, ROUTES, routeOn(`burst-${index}`, namespace, { name: "burst" })).then(() => undefined),
  );
  await untilReported(plane);
  const tookMs = lastStatusMs(audit);
  const counts = statusWrites(audit);
  const most = (isMeant: (key: string) => boolean): number =>
    Math.max(0, ...[...counts].flatMap(([key, count]) => (isMeant(key) ? [count] : [])));
  const after = await policyStatuses(client);
  const isSame = (key: string): boolean => before.get(key) === after.get(key);
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const report = (metric: string, value: number, unit: string, bar?: number): void =>
    context.report({ case: name, metric, value, unit, ...(bar === undefined ? {} : { bar }) });
  report(
    "writes of a route, the most",
    most((key) => key.startsWith("httproutes")),
    "",
    1,
  );
  report(
    "writes of a Gateway, the most",
    most((key) => key.startsWith("gateways")),
    "",
    10,
  );
  const isPolicy = (key: string): boolean => key.startsWith("retrypolicies");
  report(
    "writes of a policy whose words do not change, the most",
    most((key) => isPolicy(key) && isSame(key)),
    "",
    0,
  );
  report(
    "writes of a policy whose words change, the most",
    most((key) => isPolicy(key) && !isSame(key)),
    "",
  );
  report("last route created → every status is right", tookMs, "ms");
  const floorMs = await barePuts(
    client,
    Array.from({ length: all }, (_, index) => index % BURST),
    0,
  );
  report(`${all} bare PUTs, ${AT_ONCE} at once`, floorMs, "ms");
}

/** The successful writes of each status: `httproutes/status route-1`. */
function statusWrites(audit: AuditLog): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { resource, name, code } of audit.writes())
    if (resource.endsWith("/status") && code < 300) {
      const key = `${resource} ${name}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  return counts;
}

/** The status of each policy, by the same keys. */
async function policyStatuses(client: KubeClient): Promise<ReadonlyMap<string, string>> {
  const { items } = await client.request({ path: "/apis/prevail.dev/v1alpha1/retrypolicies" });
  return new Map(
    objectsIn(items).map((policy) => [
      `retrypolicies/status ${nameOf(policy)}`,
      JSON.stringify(policy["status"] ?? null),
    ]),
  );
}

function nameOf(object: JsonObject): string {
  const { name } = objectAt(object, "metadata");
  return typeof name === "string" ? name : "";
}

const gatewayWith = (name: string, namespace: string, listeners: readonly JsonObject[]): JsonObject => ({
  apiVersion: `${GROUP}/v1`,
  kind: "Gateway",
  metadata: { name, namespace },
  spec: { gatewayClassName: "class", listeners },
});

const routeOn = (name: string, namespace: string, parent: JsonObject): JsonObject => ({
  apiVersion: `${GROUP}/v1`,
  kind: "HTTPRoute",
  metadata: { name, namespace },
  spec: { parentRefs: [parent], rules: [{ backendRefs: [{ name: "service-0", port: 80 }] }] },
});

const onGateway = (name: string, namespace: string, gateway: string, sectionName?: string): JsonObject => ({
  apiVersion: "prevail.dev/v1alpha1",
  kind: "RetryPolicy",
  metadata: { name, namespace },
  spec: {
    targetRefs: [
      { group: GROUP, kind: "Gateway", name: gateway, ...(sectionName === undefined ? {} : { sectionName }) },
    ],
    overrides: { retry: { attempts: 4 } },
  },
});

/** A Gateway with 64 listeners, a route and two policies for each but one. */
async function measureListeners(context: BenchContext, { plane, client, audit }: Rig): Promise<void> {
  const name = `status, ${LISTENERS} listeners with ${2 * (LISTENERS - 1)} policies`;
  const namespace = namespaceOf(0);
  const listeners = Array.from({ length: LISTENERS }, (_, index) => ({
    name: `l${index}`,
    port: 1000 + index,
    protocol: "HTTP",
  }));
  await createObject(client, GATEWAYS, gatewayWith("wide", namespace, listeners));
  for (let index = 0; index < LISTENERS; index++)
    await createObject(client, ROUTES, routeOn(`wide-${index}`, namespace, { name: "wide", sectionName: `l${index}` }));
  await untilReported(plane);
  audit.mark();
  await forEachAtOnce(1, LISTENERS, async (index) => {
    await createObject(client, POLICIES, onGateway(`listener-${index}`, namespace, "wide", `l${index}`));
    const { metadata: _, ...policy } = retryPolicy(0, "", 2);
    const targetRefs = [{ group: GROUP, kind: "HTTPRoute", name: `wide-${index}` }];
    await createObject(client, POLICIES, {
      ...policy,
      metadata: { name: `wide-${index}`, namespace },
      spec: { targetRefs, defaults: { retry: { attempts: 2 } } },
    });
  });
  await untilReported(plane);
  const tookMs = lastStatusMs(audit);
  const writes = 3 * LISTENERS - 2;
  const floorMs = await barePuts(
    client,
    Array.from({ length: writes }, (_, index) => index),
    0,
  );
  context.report({
    case: name,
    metric: "last policy created → every status is right",
    value: tookMs,
    unit: "ms",
    bar: 1000 + floorMs,
  });
  context.report({ case: name, metric: `${writes} bare PUTs, ${AT_ONCE} at once`, value: floorMs, unit: "ms" });
}

/** From the last object that was created to the last write of a status, by the audit log. */
function lastStatusMs(audit: AuditLog): number {
  const times = (isStatus: boolean): readonly number[] =>
    audit
      .writes()
      .filter(({ resource }) => resource !== "events" && resource.endsWith("/status") === isStatus)
      .map(({ completedMs }) => completedMs);
  return Math.max(0, Math.max(...times(true)) - Math.max(...times(false)));
}

/** The time of PUTs of the status of routes as they are, by a client that does nothing else. */
async function barePuts(client: KubeClient, indexes: readonly number[], from: number): Promise<number> {
  const objects = await Promise.all(
    [...new Set(indexes)].map((index) =>
      getObject(client, ROUTES, { namespace: namespaceOf(from + index), name: `route-${from + index}` }),
    ),
  );
  const began = performance.now();
  let next = 0;
  const work = async (): Promise<void> => {
    for (let at = next++; at < indexes.length; at = next++) {
      const object = objects[at % objects.length];
      if (object !== undefined) await updateStatus(client, ROUTES, object).catch(() => undefined);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return performance.now() - began;
}
