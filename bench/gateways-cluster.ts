/** A Gateway with many routes, served by the controller and one Envoy in the rig. */
import { Agent, createServer, get as httpGet } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { KubeClient } from "../src/adapters/cluster/client/kube-client.ts";
import { createObject } from "../src/adapters/cluster/client/object-requests.ts";
import type { ApiResource } from "../src/adapters/cluster/client/resource.ts";
import { resourcePath } from "../src/adapters/cluster/client/resource.ts";
import { followKind } from "../src/adapters/cluster/follow/kind-follower.ts";
import { type JsonObject, objectAt, objectsIn } from "../src/core/model/json.ts";
import { bootstrapJson } from "../src/xds/bootstrap-json.ts";
import { compileBootstrap } from "../src/xds/compile/compile-bootstrap.ts";
import { gateway, gatewayClass, listener, namespace, route, service } from "../test/support/cluster/gateway-objects.ts";
import { startEnvoy } from "../test/support/gateway/envoy.ts";
import { findFreePorts } from "../test/support/gateway/find-free-ports.ts";
import { REPORT_NAMESPACE } from "../test/support/kubernetes/report-replica.ts";
import type { RigParts } from "../test/support/rig/find-rig-parts.ts";
import { NODE_ADDRESS } from "../test/support/rig/rig-network.ts";
import type { Rig } from "../test/support/rig/start-rig.ts";
import { type MeasuredController, startMeasuredController } from "./measured-controller.ts";

const GROUP = "gateway.networking.k8s.io";
const ADDRESS = "127.1.0.1";
const PORT = 80;
/** Requests to the API server at a time. */
const IN_FLIGHT = 8;
/** Between two requests for a host that is not served yet. */
const PAUSE_MS = 1;
const GIVE_UP_MS = 300_000;

const named = (group: string, version: string, kind: string, plural: string): ApiResource => ({
  group,
  version,
  kind,
  plural,
  isNamespaced: true,
  verbs: [],
  shortNames: [],
  hasStatus: true,
});

/** The HTTPRoutes of the cluster, as a watch of its own sees them. */
class WatchedRoutes {
  readonly resource = named(GROUP, "v1", "HTTPRoute", "httproutes");
  readonly #waiting = new Map<
    string,
    { readonly isThere: (route: JsonObject) => boolean; readonly done: (ms: number) => void }
  >();
  readonly #now = new Map<string, JsonObject>();

  constructor(client: KubeClient) {
    void followKind({
      client,
      resource: this.resource,
      signal: new AbortController().signal,
      onChanges: ({ upserted, deleted }) => {
        for (const one of upserted) this.#note(one);
        for (const one of deleted) this.#now.delete(nameOf(one));
      },
    });
  }

  /** When a route was first seen so. */
  until(name: string, isThere: (route: JsonObject) => boolean): Promise<number> {
    const now = this.#now.get(name);
    if (now !== undefined && isThere(now)) return Promise.resolve(performance.now());
    return new Promise((done) => this.#waiting.set(name, { isThere, done }));
  }

  #note(one: JsonObject): void {
    const name = nameOf(one);
    this.#now.set(name, one);
    const waiting = this.#waiting.get(name);
    if (waiting === undefined || !waiting.isThere(one)) return;
    this.#waiting.delete(name);
    waiting.done(performance.now());
  }
}

export class GatewayCluster {
  readonly rig: Rig;
  readonly client: KubeClient;
  readonly routes: WatchedRoutes;
  readonly controller: MeasuredController;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64 });

  constructor(rig: Rig, controller: MeasuredController) {
    this.rig = rig;
    this.client = rig.client;
    this.routes = new WatchedRoutes(rig.client);
    this.controller = controller;
  }

  static async start(rig: Rig, parts: RigParts, childProgram: string): Promise<GatewayCluster> {
    const { client, plane } = rig;
    const backendPort = await startBackend();
    const create = (resource: ApiResource, object: JsonObject): Promise<JsonObject> =>
      createObject(client, resource, object);
    await create({ ...named("", "v1", "Namespace", "namespaces"), isNamespaced: false }, namespace(REPORT_NAMESPACE));
    const classes = named(GROUP, "v1", "GatewayClass", "gatewayclasses");
    await create(classes, gatewayClass("class", "prevail.dev/gateway"));
    await create(classes, gatewayClass("foreign", "example.com/other"));
    const gateways = named(GROUP, "v1", "Gateway", "gateways");
    await create(gateways, gateway("door", { listeners: [listener("http", { port: PORT })] }));
    await create(gateways, gateway("foreign", { class: "foreign" }));
    await create(named("", "v1", "Service", "services"), service("backend"));
    await create(named("discovery.k8s.io", "v1", "EndpointSlice", "endpointslices"), {
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: { name: "backend-1", namespace: "default", labels: { "kubernetes.io/service-name": "backend" } },
      addressType: "IPv4",
      ports: [{ name: "http", port: backendPort }],
      endpoints: [{ addresses: [NODE_ADDRESS], conditions: { ready: true } }],
    });
    const [xdsPort = 0, adminPort = 0] = await findFreePorts(2);
    const controller = await startMeasuredController(plane.kubeconfig, childProgram, xdsPort);
    const server = { host: "127.0.0.1", port: xdsPort };
    const bootstrap = compileBootstrap({ nodeId: "bench", gateway: "*/*", server, tls: undefined, adminPort });
    await startEnvoy(parts.envoy, bootstrapJson(bootstrap), adminPort);
    return new GatewayCluster(rig, controller);
  }

  route(name: string): JsonObject {
    return route(name, "Gateway/door", { hostnames: [`${name}.example`], rules: [{ backends: ["backend"] }] });
  }

  /** A route of a Gateway that is another controller's. */
  foreignRoute(name: string): JsonObject {
    return route(name, "Gateway/foreign", { hostnames: [`${name}.example`], rules: [{ backends: ["backend"] }] });
  }

  async createRoutes(prefix: string, count: number, make = (name: string) => this.route(name)): Promise<void> {
    await atOnce(count, async (index) => {
      await createObject(this.client, this.routes.resource, make(`${prefix}-${index}`));
    });
  }

  async deleteRoute(name: string): Promise<void> {
    await this.client.request({ method: "DELETE", path: resourcePath(this.routes.resource, "default", name) });
  }

  deleteRoutes(prefix: string, count: number): Promise<void> {
    return atOnce(count, (index) => this.deleteRoute(`${prefix}-${index}`));
  }

  /** When the watch has seen that the route is accepted. */
  untilAcceptedAt(name: string): Promise<number> {
    return this.routes.until(name, isAccepted);
  }

  async untilAccepted(prefix: string, count: number): Promise<void> {
    await Promise.all(Array.from({ length: count }, (_, index) => this.untilAcceptedAt(`${prefix}-${index}`)));
  }

  async untilServed(prefix: string, count: number): Promise<void> {
    await atOnce(count, async (index) => {
      await this.untilFirst200(`${prefix}-${index}`);
    });
  }

  /** Asks for the host of a route until it is served, and says when that was. */
  async untilFirst200(name: string): Promise<number> {
    const beganMs = performance.now();
    while ((await this.#ask(`${name}.example`)) !== 200) {
      if (performance.now() - beganMs > GIVE_UP_MS) throw new Error(`${name} is not served`);
      await sleep(PAUSE_MS);
    }
    return performance.now();
  }

  #ask(host: string): Promise<number> {
    return new Promise((resolve) => {
      const asked = httpGet(
        { host: ADDRESS, port: PORT, path: "/", headers: { host }, agent: this.#agent },
        (response) => {
          response.resume();
          response.on("end", () => resolve(response.statusCode ?? 0));
        },
      );
      asked.on("error", () => resolve(0));
    });
  }
}

/** Calls `run` for each number below `count`, eight at a time. */
export async function atOnce(count: number, run: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < count) await run(next++);
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, work));
}

const nameOf = (object: JsonObject): string => JSON.stringify(objectAt(object, "metadata")["name"]).replaceAll('"', "");

const isAccepted = (object: JsonObject): boolean =>
  objectsIn(objectAt(object, "status")["parents"]).some(({ conditions }) =>
    objectsIn(conditions).some(({ type, status }) => type === "Accepted" && status === "True"),
  );

/** The port of a server that responds with 200, at the address of the node. */
async function startBackend(): Promise<number> {
  const server = createServer((_, response) => response.end("ok"));
  await new Promise<void>((resolve) => server.listen(0, NODE_ADDRESS, resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a TCP server has a port");
  return address.port;
}
