/** All that the Envoys of a gateway are to have, as bytes. What was compiled once is encoded once. */
import type { XdsResources } from "../compile/compile-gateway.ts";
import { routeConfiguration } from "../compile/delivery.ts";
import { type Cluster, ClusterSchema } from "../gen/envoy/config/cluster/v3/cluster_pb.ts";
import { ClusterLoadAssignmentSchema } from "../gen/envoy/config/endpoint/v3/endpoint_pb.ts";
import { ListenerSchema } from "../gen/envoy/config/listener/v3/listener_pb.ts";
import { type RouteConfiguration, RouteConfigurationSchema } from "../gen/envoy/config/route/v3/route_pb.ts";
import { SecretSchema } from "../gen/envoy/extensions/transport_sockets/tls/v3/secret_pb.ts";
import { create, type DescMessage, type Message, type MessageShape } from "../protobuf.ts";
import { createRouteEncoder, type EncodedRoutes } from "./encode-routes.ts";
import { type EncodedResource, encodeResource, type ResourceTable } from "./encoded-resource.ts";
import type { ResourceType } from "./resource-type.ts";

/** What one gateway's Envoys are to have: by type and name. */
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

/** `Delta`: hosts are resources of their own. The other protocol gets them within the route configuration of their port. */
export type DiscoveryStyle = "Delta" | "StateOfTheWorld";

/** For one gateway. */
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

/** For a cluster that nothing is known of any more. */
export function encodeEmptyEndpoints(name: string): EncodedResource {
  const message = create(ClusterLoadAssignmentSchema, { clusterName: name });
  return encodeResource("Endpoints", name, ClusterLoadAssignmentSchema, message);
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

const endpointsOf = (message: Message | Cluster): string | undefined =>
  "edsClusterConfig" in message ? message.edsClusterConfig?.serviceName : undefined;
