/** Another writer that resets the conditions of the controller, again and again, of a Gateway and of routes in the namespace `default`. */
import { setTimeout as sleep } from "node:timers/promises";
import type { KubeClient } from "../../../src/adapters/cluster/client/kube-client.ts";
import { getObject, updateStatus } from "../../../src/adapters/cluster/client/object-requests.ts";
import { type AddressedResource, resourcePath } from "../../../src/adapters/cluster/client/resource.ts";
import { type JsonObject, objectAt, objectsIn } from "../../../src/core/model/json.ts";

const GROUP = "gateway.networking.k8s.io";
const GATEWAYS: AddressedResource = { group: GROUP, version: "v1", plural: "gateways" };
const HTTP_ROUTES: AddressedResource = { group: GROUP, version: "v1", plural: "httproutes" };
/** Items of a list do not have it. */
const ROUTE_TYPE = { apiVersion: `${GROUP}/v1`, kind: "HTTPRoute" };
const AT_ONCE = 8;

/** The condition of the other writer, which stays. */
export const THEIR_CONDITION: JsonObject = {
  type: "example.com/Theirs",
  status: "True",
  reason: "Theirs",
  message: "",
  lastTransitionTime: "2026-01-01T00:00:00Z",
};

/** Its entry in the status of a route to the Gateway. */
export const theirParent = (gateway: string): JsonObject => ({
  parentRef: { name: gateway },
  controllerName: "example.com/hostile",
  conditions: [THEIR_CONDITION],
});

export interface HostileWriter {
  /** Resolves when its last request has ended. */
  readonly stop: () => Promise<void>;
}

/** `prefix`: how the names of the routes begin. */
export function startHostileWriter(
  client: KubeClient,
  { gateway, prefix }: { readonly gateway: string; readonly prefix: string },
): HostileWriter {
  const stop = new AbortController();
  const reset = async (resource: AddressedResource, object: JsonObject, status: JsonObject): Promise<void> => {
    if (!JSON.stringify(objectAt(object, "status")).includes("prevail.dev/RetryPolicyAffected")) return;
    // A conflict with the controller: it looks again.
    await updateStatus(client, resource, { ...object, status }, { fieldManager: "hostile" }).catch(() => undefined);
  };
  const resetAll = async (): Promise<void> => {
    const current = await getObject(client, GATEWAYS, { namespace: "default", name: gateway });
    if (current !== undefined) await reset(GATEWAYS, current, { conditions: [THEIR_CONDITION], listeners: [] });
    const { items } = await client.request({ path: resourcePath(HTTP_ROUTES, "default") });
    const routes = objectsIn(items).filter((route) =>
      JSON.stringify(objectAt(route, "metadata")["name"]).startsWith(`"${prefix}`),
    );
    for (let at = 0; at < routes.length; at += AT_ONCE)
      await Promise.all(
        routes
          .slice(at, at + AT_ONCE)
          .map((route) => reset(HTTP_ROUTES, { ...ROUTE_TYPE, ...route }, { parents: [theirParent(gateway)] })),
      );
  };
  const running = (async (): Promise<void> => {
    while (!stop.signal.aborted) {
      await resetAll();
      await sleep(100);
    }
  })();
  return {
    stop: async () => {
      stop.abort();
      await running;
    },
  };
}
