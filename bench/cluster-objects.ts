/** The objects of the cluster bench: routes in ten namespaces behind ten Gateways, with Services and policies. */
import type { KubeClient } from "../src/adapters/cluster/client/kube-client.ts";
import { createObject } from "../src/adapters/cluster/client/object-requests.ts";
import type { AddressedResource } from "../src/adapters/cluster/client/resource.ts";
import type { JsonObject } from "../src/core/model/json.ts";

const GROUP = "gateway.networking.k8s.io";
export const ROUTES: AddressedResource = { group: GROUP, version: "v1", plural: "httproutes" };
export const POLICIES: AddressedResource = { group: "prevail.dev", version: "v1alpha1", plural: "retrypolicies" };
const SERVICES: AddressedResource = { group: "", version: "v1", plural: "services" };
const NAMESPACES = 10;
/** Requests at once. */
const WRITERS = 40;

const named = (apiVersion: string, kind: string, namespace: string, name: string, spec: JsonObject): JsonObject => ({
  apiVersion,
  kind,
  metadata: { name, ...(namespace === "" ? {} : { namespace }) },
  spec,
});

export const namespaceOf = (index: number): string => `team-${index % NAMESPACES}`;

const route = (index: number): JsonObject =>
  named(`${GROUP}/v1`, "HTTPRoute", namespaceOf(index), `route-${index}`, {
    parentRefs: [{ name: "gateway" }],
    hostnames: [`host-${index}.example`],
    rules: [
      {
        name: "all",
        matches: [{ path: { type: "PathPrefix", value: "/" } }],
        backendRefs: [{ name: `service-${Math.floor(index / 100) * 10 + (index % 10)}`, port: 80 }],
      },
    ],
  });

export const retryPolicy = (index: number, name: string, attempts: number): JsonObject =>
  named("prevail.dev/v1alpha1", "RetryPolicy", namespaceOf(index), name, {
    targetRefs: [{ group: GROUP, kind: "HTTPRoute", name: `route-${index}` }],
    defaults: { retry: { attempts } },
  });

/** The GatewayClass, the namespaces and their Gateways. */
export async function createGateways(client: KubeClient): Promise<void> {
  const classes = { group: GROUP, version: "v1", plural: "gatewayclasses" };
  const gatewayClass = named(`${GROUP}/v1`, "GatewayClass", "", "class", { controllerName: "prevail.dev/gateway" });
  await createObject(client, classes, gatewayClass);
  for (let index = 0; index < NAMESPACES; index++) {
    const namespace = namespaceOf(index);
    const namespaces = { group: "", version: "v1", plural: "namespaces" };
    await createObject(client, namespaces, named("v1", "Namespace", "", namespace, {}));
    const listeners = [{ name: "http", port: 80, protocol: "HTTP" }];
    const gateway = named(`${GROUP}/v1`, "Gateway", namespace, "gateway", { gatewayClassName: "class", listeners });
    await createObject(client, { group: GROUP, version: "v1", plural: "gateways" }, gateway);
  }
}

/** Routes of these numbers, a Service for ten and a policy for twenty of them. */
export async function createRoutes(client: KubeClient, from: number, to: number): Promise<void> {
  await forEachAtOnce(from, to, async (index) => {
    await createObject(client, ROUTES, route(index));
    if (index % 100 < 10) {
      const name = `service-${Math.floor(index / 100) * 10 + (index % 10)}`;
      const spec = { clusterIP: "None", ports: [{ port: 80 }] };
      await createObject(client, SERVICES, named("v1", "Service", namespaceOf(index), name, spec));
    }
    if (index % 20 === 0) await createObject(client, POLICIES, retryPolicy(index, `policy-${index}`, 1 + (index % 5)));
  });
}

/** Calls `run` for each number, some of them at once. */
export async function forEachAtOnce(from: number, to: number, run: (index: number) => Promise<void>): Promise<void> {
  let next = from;
  const work = async (): Promise<void> => {
    while (next < to) await run(next++);
  };
  await Promise.all(Array.from({ length: WRITERS }, work));
}
