/** Random edits of a Gateway's routes, endpoints, policies and certificates, after each of which every host of the traffic is served. */
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { CertifiedKey } from "../../src/adapters/certificates/make-certificates.ts";
import { isNotFound } from "../../src/adapters/cluster/client/api-error.ts";
import type { KubeClient } from "../../src/adapters/cluster/client/kube-client.ts";
import { applyObject } from "../../src/adapters/cluster/client/object-requests.ts";
import { type AddressedResource, resourcePath } from "../../src/adapters/cluster/client/resource.ts";
import { type JsonObject, objectAt } from "../../src/core/model/json.ts";
import { gateway, gatewayClass, listener, policy, route, service } from "../support/cluster/gateway-objects.ts";

export interface ChaosCluster {
  readonly client: KubeClient;
  /** Where the backends listen. */
  readonly address: string;
  readonly ports: { readonly http: number; readonly https: number };
  /** Any of them is a valid certificate of the Gateway. */
  readonly certificates: readonly CertifiedKey[];
}

const GROUP = "gateway.networking.k8s.io";
const RESOURCES: Readonly<Record<string, AddressedResource>> = {
  GatewayClass: { group: GROUP, version: "v1", plural: "gatewayclasses" },
  Gateway: { group: GROUP, version: "v1", plural: "gateways" },
  HTTPRoute: { group: GROUP, version: "v1", plural: "httproutes" },
  Service: { group: "", version: "v1", plural: "services" },
  Secret: { group: "", version: "v1", plural: "secrets" },
  EndpointSlice: { group: "discovery.k8s.io", version: "v1", plural: "endpointslices" },
  RetryPolicy: { group: "prevail.dev", version: "v1alpha1", plural: "retrypolicies" },
};
const [HOSTS, SERVICES, SPARE] = [8, 4, 6];
/** The hosts that are served all the time. */
export const HOST_NAMES: readonly string[] = Array.from({ length: HOSTS }, (_, index) => `r${index}.example`);
/** Backends that run all the time. */
const BACKENDS = 3;
const RETRY_MS = 100;

export class ChaosEdits {
  readonly #cluster: ChaosCluster;
  readonly #backends: readonly number[];
  readonly #spare = new Set<string>();
  #state: number;
  #edits = 0;

  private constructor(cluster: ChaosCluster, seed: number, backends: readonly number[]) {
    this.#cluster = cluster;
    this.#state = seed;
    this.#backends = backends;
  }

  /** Creates a Gateway with a route for each host. */
  static async start(cluster: ChaosCluster, seed: number): Promise<ChaosEdits> {
    const backends = await Promise.all(Array.from({ length: BACKENDS }, () => startBackend(cluster.address)));
    const edits = new ChaosEdits(cluster, seed, backends);
    await edits.#apply(gatewayClass("class", "prevail.dev/gateway"));
    await edits.#editCertificate();
    await edits.#apply(edits.#gateway([]));
    for (let index = 0; index < SERVICES; index++) {
      await edits.#apply(service(`s${index}`));
      await edits.#apply(edits.#slice(`s${index}`, 1, 0));
    }
    for (let index = 0; index < HOSTS; index++) await edits.#editRoute(index);
    return edits;
  }

  countRoutes(): number {
    return HOSTS + this.#spare.size;
  }

  /** One edit, until the API server has taken it. */
  async makeOne(): Promise<void> {
    this.#edits++;
    const kind = this.#below(100);
    if (kind < 35) return this.#editRoute(this.#below(HOSTS));
    if (kind < 65) return this.#editEndpoints(`s${this.#below(SERVICES)}`);
    if (kind < 80) return this.#editPolicy();
    if (kind < 88) return this.#editCertificate();
    if (kind < 97) return this.#editSpare(`x${this.#below(SPARE)}`);
    const more = listener("more", { port: this.#cluster.ports.http, hostname: `more${this.#below(3)}.example` });
    return this.#apply(this.#gateway(this.#below(2) === 0 ? [] : [more]));
  }

  #gateway(more: readonly JsonObject[]): JsonObject {
    const { http, https } = this.#cluster.ports;
    return gateway("door", {
      listeners: [listener("http", { port: http }), listener("https", { port: https, protocol: "HTTPS" }), ...more],
    });
  }

  /** Other backends, weights, filters and rules; `/` is always served. */
  #editRoute(index: number): Promise<void> {
    const [first, second] = [this.#below(SERVICES), this.#below(SERVICES)];
    const backends: (string | JsonObject)[] = [{ name: `s${first}`, port: 80, weight: 1 + this.#below(3) }];
    if (second !== first) backends.push({ name: `s${second}`, port: 80, weight: this.#below(3) });
    const header = { name: "x-edit", value: String(this.#edits) };
    const filters = [{ type: "ResponseHeaderModifier", responseHeaderModifier: { set: [header] } }];
    const rules = [{ backends, fields: this.#below(2) === 0 ? {} : { filters } }];
    const extra = { backends: [`s${first}`], fields: { matches: [{ path: { type: "PathPrefix", value: "/extra" } }] } };
    return this.#apply(
      route(`r${index}`, "Gateway/door", {
        hostnames: [HOST_NAMES[index] ?? ""],
        rules: this.#below(3) === 0 ? [extra, ...rules] : rules,
      }),
    );
  }

  /** The first slice always has an endpoint that is ready, which moves to another backend; others have one that may be, none, or are absent. */
  async #editEndpoints(name: string): Promise<void> {
    if (this.#below(2) === 0) return this.#apply(this.#slice(name, 1, this.#below(BACKENDS)));
    const number = 2 + this.#below(2);
    if (this.#below(3) === 0) return this.#delete("EndpointSlice", `${name}-${number}`);
    const isReady = this.#below(2) === 0;
    const conditions = { ready: isReady, serving: this.#below(2) === 0, terminating: !isReady };
    return this.#apply(this.#slice(name, number, this.#below(4) === 0 ? undefined : this.#below(BACKENDS), conditions));
  }

  /** A slice with one endpoint, or with none. */
  #slice(
    name: string,
    number: number,
    backend: number | undefined,
    conditions: JsonObject = { ready: true },
  ): JsonObject {
    return {
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: { name: `${name}-${number}`, namespace: "default", labels: { "kubernetes.io/service-name": name } },
      addressType: "IPv4",
      ports: [{ name: "http", port: this.#backends[backend ?? 0] ?? 0 }],
      endpoints: backend === undefined ? [] : [{ addresses: [this.#cluster.address], conditions }],
    };
  }

  async #editPolicy(): Promise<void> {
    const name = `p${this.#below(4)}`;
    if (this.#below(4) === 0) return this.#delete("RetryPolicy", name);
    const target = this.#below(3) === 0 ? "Gateway/door" : `HTTPRoute/r${this.#below(HOSTS)}`;
    const spec = { retry: { attempts: 1 + this.#below(4) } };
    const made = policy("RetryPolicy", name, [target], this.#below(2) === 0 ? { defaults: spec } : { overrides: spec });
    return this.#apply({ ...made, apiVersion: "prevail.dev/v1alpha1" });
  }

  #editCertificate(): Promise<void> {
    const { certificates } = this.#cluster;
    const { certificate, privateKey } = certificates[this.#below(certificates.length)] ?? {};
    return this.#apply({
      apiVersion: "v1",
      kind: "Secret",
      type: "kubernetes.io/tls",
      metadata: { name: "certificate", namespace: "default" },
      stringData: { "tls.crt": certificate ?? "", "tls.key": privateKey ?? "" },
    });
  }

  /** A route of a host without traffic comes, changes or goes. */
  async #editSpare(name: string): Promise<void> {
    if (this.#spare.has(name) && this.#below(2) === 0) {
      this.#spare.delete(name);
      return this.#delete("HTTPRoute", name);
    }
    this.#spare.add(name);
    const backends = [`s${this.#below(SERVICES)}`];
    return this.#apply(route(name, "Gateway/door", { hostnames: [`${name}.example`], rules: [{ backends }] }));
  }

  #apply(object: JsonObject): Promise<void> {
    const resource = resourceOf(object["kind"]);
    const named = withNamespace(object);
    return this.#untilTaken(async () => {
      await applyObject(this.#cluster.client, resource, named, { fieldManager: "chaos", force: true });
    });
  }

  #delete(kind: string, name: string): Promise<void> {
    const resource = resourceOf(kind);
    return this.#untilTaken(async () => {
      const path = resourcePath(resource, "default", name);
      await this.#cluster.client.request({ method: "DELETE", path }).catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
    });
  }

  /** The API server may be away. */
  async #untilTaken(edit: () => Promise<void>): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await edit();
      } catch (error) {
        if (attempt === 300) throw error;
        await sleep(RETRY_MS);
      }
    }
  }

  /** A number from 0 to `limit` - 1 (mulberry32). */
  #below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * limit);
  }
}

function resourceOf(kind: unknown): AddressedResource {
  const resource = typeof kind === "string" ? RESOURCES[kind] : undefined;
  if (resource === undefined) throw new Error(`unknown kind ${JSON.stringify(kind)}`);
  return resource;
}

/** Cluster-scoped objects have no namespace. */
function withNamespace(object: JsonObject): JsonObject {
  if (object["kind"] === "GatewayClass") return object;
  return { ...object, metadata: { namespace: "default", ...objectAt(object, "metadata") } };
}

/** The port of a backend that runs until the test ends. */
async function startBackend(address: string): Promise<number> {
  const server = createServer((_, response) => response.end("backend"));
  server.keepAliveTimeout = 600_000;
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  server.unref();
  const bound = server.address();
  if (bound === null || typeof bound === "string") throw new Error("a TCP server has a port");
  return bound.port;
}
