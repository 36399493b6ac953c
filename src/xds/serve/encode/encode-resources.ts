/** Encodes the resources of a gateway, each once. */
import type { XdsResources } from "../../compile/compile-gateway.ts";
import { routeConfiguration } from "../../compile/config-sources.ts";
import { type Cluster, ClusterSchema } from "../../gen/envoy/config/cluster/v3/cluster_pb.ts";
import { ClusterLoadAssignmentSchema } from "../../gen/envoy/config/endpoint/v3/endpoint_pb.ts";
import { ListenerSchema } from "../../gen/envoy/config/listener/v3/listener_pb.ts";
import { type RouteConfiguration, RouteConfigurationSchema } from "../../gen/envoy/config/route/v3/route_pb.ts";
import { SecretSchema } from "../../gen/envoy/extensions/transport_sockets/tls/v3/secret_pb.ts";
import { create, type DescMessage, type Message, type MessageShape } from "../../protobuf.ts";
import { createRouteEncoder, type EncodedRoutes } from "./encode-routes.ts";
import { type EncodedResource, encodeResource, type ResourceTable } from "./encoded-resource.ts";
import type { ResourceType } from "./resource-type.ts";

/** The resources of a gateway, by type and name. */
export type EncodedResources = Readonly<Record<ResourceType, ResourceTable>>;

export const NO_RESOURCES: EncodedResources = {
  Secret: new Map(),
  Cluster: new Map(),
  Endpoints: new Map(),
  Listener: new Map(),
  Scope: new Map(),
  Route: new Map(),
  VirtualHost: new Map(),
};

/** With `Delta` hosts are separate resources; with state of the world they are part of the route configuration. */
export type DiscoveryStyle = "Delta" | "StateOfTheWorld";

/** Encodes one gateway repeatedly. */
export interface ResourceEncoder {
  readonly encode: (resources: XdsResources) => EncodedResources;
}

export function createEncoder(style: DiscoveryStyle): ResourceEncoder {
  const known = new WeakMap<object, EncodedResource>();
  const last = new Map<ResourceType, ReadonlyMap<string, EncodedResource>>();
  const encodeAll = <Schema extends DescMessage>(
    type: ResourceType,
    schema: Schema,
    messages: ReadonlyMap<string, MessageShape<Schema>>,
  ): ReadonlyMap<string, EncodedResource> => {
    const encoded = new Map<string, EncodedResource>();
    for (const [name, message] of messages) {
      const resource = known.get(message) ?? encodeResource(type, name, schema, message, endpointsOf(message));
      known.set(message, resource);
      encoded.set(name, resource);
    }
    return unlessSame(last.get(type), encoded, (kept) => last.set(type, kept));
  };
  const encodeWhole = (routes: XdsResources["routes"]): EncodedRoutes => {
    const whole = new Map<string, RouteConfiguration>();
    for (const [name, hosts] of routes) {
      const inside = hosts.map(({ host }) => host);
      whole.set(name, routeConfiguration(name, inside));
    }
    return { ...NO_RESOURCES, Route: encodeAll("Route", RouteConfigurationSchema, whole) };
  };
  const encodeRoutes = style === "Delta" ? createRouteEncoder() : encodeWhole;
  return {
    encode: ({ listeners, routes, clusters, endpoints, secrets }) => ({
      ...encodeRoutes(routes),
      Secret: encodeAll("Secret", SecretSchema, secrets),
      Cluster: encodeAll("Cluster", ClusterSchema, clusters),
      Endpoints: encodeAll("Endpoints", ClusterLoadAssignmentSchema, endpoints),
      Listener: encodeAll("Listener", ListenerSchema, listeners),
    }),
  };
}

/** The endpoints of a removed cluster. */
export function encodeEmptyEndpoints(name: string): EncodedResource {
  const message = create(ClusterLoadAssignmentSchema, { clusterName: name });
  return encodeResource("Endpoints", name, ClusterLoadAssignmentSchema, message);
}

/** Returns the previous table if nothing has changed. */
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

const endpointsOf = (message: Message | Cluster): string | undefined =>
  "edsClusterConfig" in message ? message.edsClusterConfig?.serviceName : undefined;
