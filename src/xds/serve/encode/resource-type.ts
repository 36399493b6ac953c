/** The types of resources, in the order in which they are sent: each depends only on types before it. */
import { ClusterSchema } from "../../gen/envoy/config/cluster/v3/cluster_pb.ts";
import { ClusterLoadAssignmentSchema } from "../../gen/envoy/config/endpoint/v3/endpoint_pb.ts";
import { ListenerSchema } from "../../gen/envoy/config/listener/v3/listener_pb.ts";
import { VirtualHostSchema } from "../../gen/envoy/config/route/v3/route_components_pb.ts";
import { RouteConfigurationSchema } from "../../gen/envoy/config/route/v3/route_pb.ts";
import { ScopedRouteConfigurationSchema } from "../../gen/envoy/config/route/v3/scoped_route_pb.ts";
import { SecretSchema } from "../../gen/envoy/extensions/transport_sockets/tls/v3/secret_pb.ts";

export type ResourceType = "Secret" | "Cluster" | "Endpoints" | "Listener" | "Scope" | "Route" | "VirtualHost";

export const RESOURCE_TYPES: readonly ResourceType[] = [
  "Secret",
  "Cluster",
  "Endpoints",
  "Listener",
  "Scope",
  "Route",
  "VirtualHost",
];

const PREFIX = "type.googleapis.com/";

const typeUrls: Readonly<Record<ResourceType, string>> = {
  Secret: `${PREFIX}${SecretSchema.typeName}`,
  Cluster: `${PREFIX}${ClusterSchema.typeName}`,
  Endpoints: `${PREFIX}${ClusterLoadAssignmentSchema.typeName}`,
  Listener: `${PREFIX}${ListenerSchema.typeName}`,
  Scope: `${PREFIX}${ScopedRouteConfigurationSchema.typeName}`,
  Route: `${PREFIX}${RouteConfigurationSchema.typeName}`,
  VirtualHost: `${PREFIX}${VirtualHostSchema.typeName}`,
};

export const typeUrlOf = (type: ResourceType): string => typeUrls[type];

/** Undefined: the type is not served. */
export const findResourceType = (typeUrl: string): ResourceType | undefined =>
  RESOURCE_TYPES.find((type) => typeUrls[type] === typeUrl);

/** The types that are requested without names. */
export const isWholesale = (type: ResourceType): boolean =>
  type === "Cluster" || type === "Listener" || type === "VirtualHost";

/** The types that are removed explicitly. The others are removed with the resources that refer to them. */
export const isTakenAway = (type: ResourceType): boolean => isWholesale(type) || type === "Scope";
