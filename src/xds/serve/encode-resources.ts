/** Resources as bytes. What was compiled once is encoded once, and its version is a hash of its bytes: the same after a restart. */
import { hash } from "node:crypto";
import type { XdsResources } from "../compile/compile-gateway.ts";
import type { CompiledHost } from "../compile/compile-virtual-hosts.ts";
import { routeConfiguration, splitRouteConfiguration } from "../compile/delivery.ts";
import type { RouteConfigName } from "../compile/resource-names.ts";
import { type Cluster, ClusterSchema } from "../gen/envoy/config/cluster/v3/cluster_pb.ts";
import { ClusterLoadAssignmentSchema } from "../gen/envoy/config/endpoint/v3/endpoint_pb.ts";
import { ListenerSchema } from "../gen/envoy/config/listener/v3/listener_pb.ts";
import { VirtualHostSchema } from "../gen/envoy/config/route/v3/route_components_pb.ts";
import { RouteConfigurationSchema } from "../gen/envoy/config/route/v3/route_pb.ts";
import { SecretSchema } from "../gen/envoy/extensions/transport_sockets/tls/v3/secret_pb.ts";
import { type Any, create, type DescMessage, type Message, type MessageShape, packed, toBinary } from "../protobuf.ts";
import { type ResourceType, typeUrlOf } from "./resource-type.ts";

export interface EncodedResource {
  readonly name: string;
  readonly version: string;
  readonly any: Any;
  /** Of a cluster: the name of its endpoints, without which it is of no use. */
  readonly endpoints: string | undefined;
}

/** What one gateway's Envoys are to have: by type and name. */
export type EncodedResources = Readonly<Record<ResourceType, ResourceTable>>;

/** By name; a Map is one. A table that has been replaced by a later one may show the later one's contents. */
export type ResourceTable = Pick<ReadonlyMap<string, EncodedResource>, "get" | "has" | "keys" | "values" | "size">;

export const NO_RESOURCES: EncodedResources = {
  Secret: new Map(),
  Cluster: new Map(),
  Endpoints: new Map(),
  Listener: new Map(),
  Route: new Map(),
  VirtualHost: new Map(),
};

/** `Delta`: virtual hosts are resources of their own. The other protocol has no such thing, and gets them within their route configuration. */
export type DiscoveryStyle = "Delta" | "StateOfTheWorld";

/** For one gateway. */
export interface ResourceEncoder {
  readonly encode: (resources: XdsResources) => EncodedResources;
}

export function createEncoder(style: DiscoveryStyle): ResourceEncoder {
  const known = new WeakMap<object, EncodedResource>();
  const last = new Map<ResourceType, ReadonlyMap<string, EncodedResource>>();
  const splitRoutes = new Map<RouteConfigName, EncodedResource>();
  const encodeAll = <Schema extends DescMessage>(
    type: ResourceType,
    schema: Schema,
    messages: ReadonlyMap<string, MessageShape<Schema>>,
  ): ReadonlyMap<string, EncodedResource> => {
    const encoded = new Map<string, EncodedResource>();
    for (const [name, message] of messages) {
      let resource = known.get(message);
      if (resource === undefined) {
        resource = encodeResource(type, name, toBinary(schema, message), endpointsOf(message));
        known.set(message, resource);
      }
      encoded.set(name, resource);
    }
    return unlessSame(last.get(type), encoded, (kept) => last.set(type, kept));
  };
  const splitRoute = (name: RouteConfigName): EncodedResource => {
    const bytes = (): Uint8Array => toBinary(RouteConfigurationSchema, splitRouteConfiguration(name));
    const route = splitRoutes.get(name) ?? encodeResource("Route", name, bytes(), undefined);
    splitRoutes.set(name, route);
    return route;
  };
  const splitRoutesOf = (routes: XdsResources["routes"]): ReadonlyMap<string, EncodedResource> => {
    const encoded = new Map<string, EncodedResource>(Array.from(routes.keys(), (name) => [name, splitRoute(name)]));
    return unlessSame(last.get("Route"), encoded, (kept) => last.set("Route", kept));
  };
  const encodeHost = ({ host }: CompiledHost): EncodedResource => {
    const resource =
      known.get(host) ?? encodeResource("VirtualHost", host.name, toBinary(VirtualHostSchema, host), undefined);
    known.set(host, resource);
    return resource;
  };
  let lastRoutes: XdsResources["routes"] = new Map();
  let hosts = new Map<string, EncodedResource>();
  let hostTable: ResourceTable = hosts;
  const encodeHosts = (routes: XdsResources["routes"]): ResourceTable => {
    const changed = changedHosts(lastRoutes, routes);
    lastRoutes = routes;
    if (changed?.length === 0) return hostTable;
    // Thousands of hosts are not copied for one that has changed: the same map, in a table of its own.
    if (changed === undefined) hosts = new Map();
    for (const host of changed ?? [...routes.values()].flat()) hosts.set(host.host.name, encodeHost(host));
    hostTable = tableOf(hosts);
    return hostTable;
  };
  const encodeRoutes = (routes: XdsResources["routes"]): Pick<EncodedResources, "Route" | "VirtualHost"> => {
    if (style === "StateOfTheWorld") {
      const whole = new Map(
        Array.from(routes, ([name, hosts]) => [
          name,
          routeConfiguration(
            name,
            hosts.map(({ host }) => host),
          ),
        ]),
      );
      return { Route: encodeAll("Route", RouteConfigurationSchema, whole), VirtualHost: NO_RESOURCES.VirtualHost };
    }
    return { Route: splitRoutesOf(routes), VirtualHost: encodeHosts(routes) };
  };
  return {
    encode: ({ listeners, routes, clusters, endpoints, secrets }) => ({
      Secret: encodeAll("Secret", SecretSchema, secrets),
      Cluster: encodeAll("Cluster", ClusterSchema, clusters),
      Endpoints: encodeAll("Endpoints", ClusterLoadAssignmentSchema, endpoints),
      Listener: encodeAll("Listener", ListenerSchema, listeners),
      ...encodeRoutes(routes),
    }),
  };
}

const tableOf = (map: ReadonlyMap<string, EncodedResource>): ResourceTable => ({
  get: (name) => map.get(name),
  has: (name) => map.has(name),
  keys: () => map.keys(),
  values: () => map.values(),
  size: map.size,
});

/** Hosts that have changed in their place; undefined: some have come, gone or moved. */
function changedHosts(
  before: XdsResources["routes"],
  now: XdsResources["routes"],
): readonly CompiledHost[] | undefined {
  if (before.size !== now.size) return undefined;
  const changed: CompiledHost[] = [];
  for (const [name, hosts] of now) {
    const old = before.get(name);
    if (old === undefined || old.length !== hosts.length) return undefined;
    if (old === hosts) continue;
    for (let index = 0; index < hosts.length; index++) {
      const host = hosts[index];
      if (host === undefined || host === old[index]) continue;
      if (host.host.name !== old[index]?.host.name) return undefined;
      changed.push(host);
    }
  }
  return changed;
}

/** For a cluster that nothing is known of any more. */
export function encodeEmptyEndpoints(name: string): EncodedResource {
  const message = create(ClusterLoadAssignmentSchema, { clusterName: name });
  return encodeResource("Endpoints", name, toBinary(ClusterLoadAssignmentSchema, message), undefined);
}

/** The table before, where nothing is new: whoever has seen it need not look again. */
function unlessSame(
  before: ReadonlyMap<string, EncodedResource> | undefined,
  now: ReadonlyMap<string, EncodedResource>,
  remember: (table: ReadonlyMap<string, EncodedResource>) => void,
): ReadonlyMap<string, EncodedResource> {
  if (before !== undefined && before.size === now.size) {
    let isSame = true;
    for (const [name, { version }] of now) if (before.get(name)?.version !== version) isSame = false;
    if (isSame) return before;
  }
  remember(now);
  return now;
}

const VERSION_LENGTH = 16;

const endpointsOf = (message: Message | Cluster): string | undefined =>
  "edsClusterConfig" in message ? message.edsClusterConfig?.serviceName : undefined;

function encodeResource(
  type: ResourceType,
  name: string,
  bytes: Uint8Array,
  endpoints: string | undefined,
): EncodedResource {
  const version = hash("sha256", bytes, "base64url").slice(0, VERSION_LENGTH);
  return { name, version, any: packed(typeUrlOf(type), bytes), endpoints };
}
