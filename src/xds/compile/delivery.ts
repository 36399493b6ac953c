/** How an Envoy gets the parts that a resource refers to: by asking us, or in one piece with all else. */
import type { Endpoint, EndpointsId } from "../../core/dataplane/gateway-config.ts";
import { Cluster_DiscoveryType, type ClusterSchema } from "../gen/envoy/config/cluster/v3/cluster_pb.ts";
import { ApiVersion, type ConfigSourceSchema } from "../gen/envoy/config/core/v3/config_source_pb.ts";
import type { VirtualHost } from "../gen/envoy/config/route/v3/route_components_pb.ts";
import { type RouteConfiguration, RouteConfigurationSchema } from "../gen/envoy/config/route/v3/route_pb.ts";
import type { HttpConnectionManagerSchema } from "../gen/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.ts";
import type { SdsSecretConfigSchema } from "../gen/envoy/extensions/transport_sockets/tls/v3/secret_pb.ts";
import { create, type Init } from "../protobuf.ts";
import { compileLoadAssignment } from "./compile-load-assignment.ts";
import { loadAssignmentName, type RouteConfigName, type SecretName } from "./resource-names.ts";

export interface Delivery {
  readonly routes: (
    name: RouteConfigName,
    hosts: () => readonly VirtualHost[],
  ) => NonNullable<Init<typeof HttpConnectionManagerSchema>["routeSpecifier"]>;
  readonly endpoints: (
    id: EndpointsId,
  ) => Pick<Init<typeof ClusterSchema>, "clusterDiscoveryType" | "edsClusterConfig" | "loadAssignment">;
  /** Endpoints, routes and keys stand where they are used. */
  readonly isInOnePiece: boolean;
  /** The file with whom the system trusts, on the machine of the Envoy. */
  readonly systemAuthorities: string;
  readonly secret: (name: SecretName) => Init<typeof SdsSecretConfigSchema>;
}

/** Over the stream that everything comes by. No timeout: whatever is late is waited for, and what there is stays in use. */
const ADS: Init<typeof ConfigSourceSchema> = {
  configSourceSpecifier: { case: "ads", value: {} },
  resourceApiVersion: ApiVersion.V3,
};

export const adsDelivery = (systemAuthorities: string): Delivery => ({
  isInOnePiece: false,
  systemAuthorities,
  routes: (name) => ({ case: "rds", value: { configSource: ADS, routeConfigName: name } }),
  endpoints: (id) => ({
    clusterDiscoveryType: { case: "type", value: Cluster_DiscoveryType.EDS },
    edsClusterConfig: { edsConfig: ADS, serviceName: loadAssignmentName(id) },
  }),
  secret: (name) => ({ name, sdsConfig: ADS }),
});

/** For a file that an Envoy reads by itself. */
export const staticDelivery = (
  systemAuthorities: string,
  findEndpoints: (id: EndpointsId) => readonly Endpoint[] | undefined,
): Delivery => ({
  isInOnePiece: true,
  systemAuthorities,
  routes: (name, hosts) => ({ case: "routeConfig", value: routeConfiguration(name, hosts()) }),
  endpoints: (id) => ({
    clusterDiscoveryType: { case: "type", value: Cluster_DiscoveryType.STATIC },
    loadAssignment: compileLoadAssignment(id, findEndpoints(id) ?? []),
  }),
  secret: (name) => ({ name }),
});

/** A client may say the port in its Host header. */
const COMMON = { ignorePortInHostMatching: true };

export const routeConfiguration = (name: RouteConfigName, hosts: readonly VirtualHost[]): RouteConfiguration =>
  create(RouteConfigurationSchema, { ...COMMON, name, virtualHosts: [...hosts] });

/** Its virtual hosts are resources of their own, so that a change sends only those that it touches. */
export const splitRouteConfiguration = (name: RouteConfigName): RouteConfiguration =>
  create(RouteConfigurationSchema, { ...COMMON, name, vhds: { configSource: ADS } });
