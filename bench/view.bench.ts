/** The view API behind a real API server: one object, a page, and how soon a change is seen; each against what the API server itself needs. */
import { setTimeout as sleep } from "node:timers/promises";
import { discoverResources } from "../src/adapters/cluster/client/discover-resources.ts";
import type { KubeClient } from "../src/adapters/cluster/client/kube-client.ts";
import { createObject } from "../src/adapters/cluster/client/object-requests.ts";
import { watchObjects } from "../src/adapters/cluster/client/watch-objects.ts";
import type { JsonObject } from "../src/core/model/json.ts";
import { findFreePorts } from "../test/support/gateway/find-free-ports.ts";
import { clientAs } from "../test/support/kubernetes/cluster-client.ts";
import { startControlPlane } from "../test/support/kubernetes/control-plane.ts";
import { findKubernetes } from "../test/support/kubernetes/find-kubernetes.ts";
import { installViewApi, startViewProgram, untilAvailable } from "../test/support/kubernetes/view-replica.ts";
import type { BenchContext, Measurement } from "./bench-context.ts";
import { median } from "./measure.ts";

const VIEWS = "/apis/view.prevail.dev/v1alpha1";
const ROUTES_PER_GATEWAY = 100;
const TIMES = 30;

type Report = (measurement: Measurement) => void;

export async function bench(context: BenchContext): Promise<void> {
  const parts = await findKubernetes();
  if (parts === undefined) return;
  for (const routes of context.sizes([1000, 10_000])) {
    const plane = await startControlPlane(parts, { frontProxy: true });
    const client = await clientAs(plane);
    try {
      await createAll(client, routes);
      const [port = 0] = await findFreePorts(1);
      await installViewApi(plane, port);
      const program = await startViewProgram(plane, port);
      try {
        await untilAvailable(plane);
        await measure(client, `${routes.toLocaleString("en")} routes`, context);
      } finally {
        await program.close();
      }
    } finally {
      client.close();
      await plane.close();
    }
  }
}

async function measure(client: KubeClient, name: string, context: BenchContext): Promise<void> {
  const report: Report = (measurement) => context.report(measurement);
  const get = (path: string): Promise<JsonObject> => client.request({ path });
  const route = "/apis/gateway.networking.k8s.io/v1/namespaces/team-0/httproutes/route-0";
  const view = `${VIEWS}/namespaces/team-0/effectivepolicies/httproute.route-0`;
  await get(view);
  const plainMs = await medianOf(() => get(route));
  const viewMs = await medianOf(() => get(view));
  report({ case: name, metric: "get of an HTTPRoute from the API server", value: plainMs, unit: "ms" });
  report({ case: name, metric: "get of its EffectivePolicy, p50", value: viewMs, unit: "ms" });
  report({ case: name, metric: "get of its EffectivePolicy / of the route", value: viewMs / plainMs, unit: "×" });
  const pageMs = await medianOf(() => get(`${VIEWS}/effectivepolicies?limit=500`), 3);
  report({ case: name, metric: "list, a page of 500", value: pageMs, unit: "ms" });
  const gatewayMs = await medianOf(() => get(`${VIEWS}/namespaces/infra/effectivepolicies/gateway.gateway-0`), 5);
  report({ case: name, metric: `get of a Gateway with ${ROUTES_PER_GATEWAY} routes`, value: gatewayMs, unit: "ms" });
  const reach = `${VIEWS}/namespaces/infra/policyreaches/retrypolicies.prevail.dev.policy-0`;
  const reachMs = await medianOf(() => get(reach));
  report({ case: name, metric: `get of a PolicyReach with ${ROUTES_PER_GATEWAY} routes`, value: reachMs, unit: "ms" });
  const reachesMs = await medianOf(() => get(`${VIEWS}/policyreaches?limit=500`), 3);
  report({ case: name, metric: "list of PolicyReaches, a page of 500", value: reachesMs, unit: "ms" });
  await measureChanges(client, view, name, report);
}

async function medianOf(run: () => Promise<unknown>, times: number = TIMES): Promise<number> {
  const took: number[] = [];
  for (let i = 0; i < times; i++) {
    const began = performance.now();
    await run();
    took.push(performance.now() - began);
  }
  return median(took);
}

/** From the request that changes a policy until a watch of the API server has it, and until the view API shows it. */
async function measureChanges(client: KubeClient, view: string, name: string, report: Report): Promise<void> {
  const stop = new AbortController();
  const { resources } = await discoverResources(client);
  const policies = resources.find(({ group, plural }) => group === "prevail.dev" && plural === "retrypolicies");
  if (policies === undefined) throw new Error("RetryPolicies are installed");
  const seen = new Map<number, number>();
  const watching = (async () => {
    const events = watchObjects(client, policies, {
      namespace: "infra",
      resourceVersion: undefined,
      timeoutSeconds: 600,
      signal: stop.signal,
    });
    for await (const event of events)
      if (event.type !== "BOOKMARK") seen.set(attemptsOf(event.object), performance.now());
  })().catch(() => undefined);
  await sleep(500);
  const byWatch: number[] = [];
  const byView: number[] = [];
  for (let i = 0; i < TIMES; i++) {
    const attempts = 10 + i;
    const began = performance.now();
    await client.request({
      method: "PATCH",
      path: "/apis/prevail.dev/v1alpha1/namespaces/infra/retrypolicies/policy-0",
      contentType: "application/merge-patch+json",
      body: { spec: { overrides: { retry: { attempts } } } },
    });
    while (!JSON.stringify(await client.request({ path: view })).includes(`"value":${attempts}`)) await sleep(2);
    byView.push(performance.now() - began);
    for (let waits = 0; !seen.has(attempts) && waits < 1000; waits++) await sleep(2);
    byWatch.push((seen.get(attempts) ?? Number.NaN) - began);
  }
  stop.abort();
  await watching;
  const [watchMs, viewMs] = [median(byWatch), median(byView)];
  report({ case: name, metric: "change → seen by a watch of the API server, p50", value: watchMs, unit: "ms" });
  report({ case: name, metric: "change → seen by the view API, p50", value: viewMs, unit: "ms" });
  report({ case: name, metric: "change: view API / watch", value: viewMs / watchMs, unit: "×" });
}

const attemptsOf = (policy: JsonObject): number => {
  const found = /"overrides":\{"retry":\{"attempts":(\d+)/.exec(JSON.stringify(policy))?.[1];
  return Number(found ?? 0);
};

const NAMESPACES = 20;
const AT_ONCE = 32;

/** Gateways with 100 routes each in 20 namespaces, a Service for ten routes, a policy on each Gateway and on every second route. */
async function createAll(client: KubeClient, routes: number): Promise<void> {
  const objects = clusterObjects(routes);
  for (const [resource, some] of objects) {
    for (let at = 0; at < some.length; at += AT_ONCE)
      await Promise.all(some.slice(at, at + AT_ONCE).map((object) => createObject(client, resource, object)));
  }
}

type Resource = Parameters<typeof createObject>[1];

function clusterObjects(routes: number): readonly (readonly [Resource, readonly JsonObject[]])[] {
  const api = "gateway.networking.k8s.io";
  const gateways = Array.from({ length: Math.ceil(routes / ROUTES_PER_GATEWAY) }, (_, index) => index);
  const all = Array.from({ length: routes }, (_, index) => index);
  const teamOf = (index: number): string => `team-${index % NAMESPACES}`;
  // A Service has ten routes, all in one namespace.
  const serviceOf = (index: number): string => `web-${Math.floor(index / (NAMESPACES * 10))}`;
  const hasService = (index: number): boolean => index % (NAMESPACES * 10) < NAMESPACES;
  const named = (name: string, namespace?: string): JsonObject => ({
    name,
    ...(namespace === undefined ? {} : { namespace }),
  });
  const allowedRoutes = { namespaces: { from: "All" } };
  const policy = (name: string, namespace: string, kind: string, target: string, spec: JsonObject): JsonObject => ({
    apiVersion: "prevail.dev/v1alpha1",
    kind: "RetryPolicy",
    metadata: named(name, namespace),
    spec: { targetRefs: [{ group: api, kind, name: target }], ...spec },
  });
  const teams = Array.from({ length: NAMESPACES }, (_, index) => `team-${index}`);
  return [
    [
      { group: "", version: "v1", plural: "namespaces" },
      ["infra", ...teams].map((name) => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } })),
    ],
    [
      { group: api, version: "v1", plural: "gatewayclasses" },
      [
        {
          apiVersion: `${api}/v1`,
          kind: "GatewayClass",
          metadata: { name: "house" },
          spec: { controllerName: "prevail.dev/gateway" },
        },
      ],
    ],
    [
      { group: "", version: "v1", plural: "services" },
      all.filter(hasService).map((index) => ({
        apiVersion: "v1",
        kind: "Service",
        metadata: named(serviceOf(index), teamOf(index)),
        spec: { ports: [{ name: "http", port: 80 }] },
      })),
    ],
    [
      { group: api, version: "v1", plural: "gateways" },
      gateways.map((index) => ({
        apiVersion: `${api}/v1`,
        kind: "Gateway",
        metadata: named(`gateway-${index}`, "infra"),
        spec: { gatewayClassName: "house", listeners: [{ name: "http", port: 80, protocol: "HTTP", allowedRoutes }] },
      })),
    ],
    [
      { group: api, version: "v1", plural: "httproutes" },
      all.map((index) => ({
        apiVersion: `${api}/v1`,
        kind: "HTTPRoute",
        metadata: named(`route-${index}`, teamOf(index)),
        spec: {
          parentRefs: [{ name: `gateway-${Math.floor(index / ROUTES_PER_GATEWAY)}`, namespace: "infra" }],
          hostnames: [`host-${index}.example.com`],
          rules: [{ backendRefs: [{ name: serviceOf(index), port: 80 }] }],
        },
      })),
    ],
    [
      { group: "prevail.dev", version: "v1alpha1", plural: "retrypolicies" },
      [
        ...gateways.map((index) =>
          policy(`policy-${index}`, "infra", "Gateway", `gateway-${index}`, { overrides: { retry: { attempts: 5 } } }),
        ),
        ...all
          .filter((index) => index % 2 === 0)
          .map((index) =>
            policy(`policy-${index}`, teamOf(index), "HTTPRoute", `route-${index}`, {
              defaults: { retry: { attempts: 1, backoff: "100ms" } },
            }),
          ),
      ],
    ],
  ];
}
