/** Where an Envoy gets referenced resources from: delta xDS, state-of-the-world xDS, or inline in a static file. */
import type { Endpoint, EndpointsId } from "../../core/dataplane/gateway-config.ts";
import { Cluster_DiscoveryType, type ClusterSchema } from "../gen/envoy/config/cluster/v3/cluster_pb.ts";
import { ApiVersion, type ConfigSourceSchema } from "../gen/envoy/config/core/v3/config_source_pb.ts";
import type { ClusterLoadAssignment } from "../gen/envoy/config/endpoint/v3/endpoint_pb.ts";
import { FilterConfigSchema, type VirtualHost } from "../gen/envoy/config/route/v3/route_components_pb.ts";
import { type RouteConfiguration, RouteConfigurationSchema } from "../gen/envoy/config/route/v3/route_pb.ts";
import type { HttpConnectionManagerSchema } from "../gen/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.ts";
import type { SdsSecretConfigSchema } from "../gen/envoy/extensions/transport_sockets/tls/v3/secret_pb.ts";
import { create, type Init, pack } from "../protobuf.ts";
import {
  LOWER_CASE_FILTER,
  type RouteConfigName,
  type SecretName,
  scopesName,
  WILDCARD_FILTER,
} from "./resource-names.ts";
import type { CompiledHost } from "./routes/compile-virtual-hosts.ts";
import type { RouteShape } from "./routes/route-shape.ts";

export type RouteSpecifier = NonNullable<Init<typeof HttpConnectionManagerSchema>["routeSpecifier"]>;

type FindEndpoints = (id: EndpointsId) => readonly Endpoint[] | undefined;

export interface ConfigSources {
  readonly routes: (name: RouteConfigName, hosts: readonly CompiledHost[], shape: RouteShape) => RouteSpecifier;
  /** `name`: of the load assignment. `compile` makes it from the current endpoints. */
  readonly endpoints: (
    name: string,
    compile: (find: FindEndpoints) => ClusterLoadAssignment,
  ) => Pick<Init<typeof ClusterSchema>, "clusterDiscoveryType" | "edsClusterConfig" | "loadAssignment">;
  /** True if endpoints, routes and keys are inline. */
  readonly isStatic: boolean;
  /** The file with the system's CA certificates, on the machine of the Envoy. */
  readonly systemAuthorities: string;
  readonly secret: (name: SecretName) => Init<typeof SdsSecretConfigSchema>;
}

/** The ADS stream. Without a timeout, so that the current configuration stays in use while the Envoy waits. */
export const ADS: Init<typeof ConfigSourceSchema> = {
  configSourceSpecifier: { case: "ads", value: {} },
  resourceApiVersion: ApiVersion.V3,
};

/** Delta xDS: the parts of a route configuration are separate resources. */
export const deltaSources = (systemAuthorities: string): ConfigSources => ({
  ...sotwSources(systemAuthorities),
  routes: (name, _, shape) => (shape === "Scoped" ? scopedRoutes(name) : wholeRoutes(name)),
});

/** State-of-the-world xDS: the routes of a port are one resource. */
export const sotwSources = (systemAuthorities: string): ConfigSources => ({
  isStatic: false,
  systemAuthorities,
  routes: wholeRoutes,
  endpoints: (name) => ({
    clusterDiscoveryType: { case: "type", value: Cluster_DiscoveryType.EDS },
    edsClusterConfig: { edsConfig: ADS, serviceName: name },
  }),
  secret: (name) => ({ name, sdsConfig: ADS }),
});

/** A static file. */
export const staticSources = (systemAuthorities: string, findEndpoints: FindEndpoints): ConfigSources => ({
  isStatic: true,
  systemAuthorities,
  routes: (name, hosts) => {
    const inside = hosts.map(({ host }) => host);
    return { case: "routeConfig", value: routeConfiguration(name, inside) };
  },
  endpoints: (_, compile) => ({
    clusterDiscoveryType: { case: "type", value: Cluster_DiscoveryType.STATIC },
    loadAssignment: compile(findEndpoints),
  }),
  secret: (name) => ({ name }),
});

function wholeRoutes(name: RouteConfigName): RouteSpecifier {
  return { case: "rds", value: { configSource: ADS, routeConfigName: name } };
}

/** The request's host, without its port, selects the route configuration. */
function scopedRoutes(name: RouteConfigName): RouteSpecifier {
  const host = { name: ":authority", elementSeparator: ":", extractType: { case: "index", value: 0 } } as const;
  return {
    case: "scopedRoutes",
    value: {
      name,
      rdsConfigSource: ADS,
      scopeKeyBuilder: { fragments: [{ type: { case: "headerValueExtractor", value: host } }] },
      configSpecifier: {
        case: "scopedRds",
        value: { scopedRdsConfigSource: ADS, srdsResourcesLocator: scopesName(name) },
      },
    },
  };
}

/** The Host header may contain a port. */
const COMMON = { ignorePortInHostMatching: true };

export const routeConfiguration = (name: RouteConfigName, hosts: readonly VirtualHost[]): RouteConfiguration =>
  create(RouteConfigurationSchema, { ...COMMON, name, virtualHosts: [...hosts] });

/** The virtual hosts of such a configuration are separate resources, so that a change sends only the affected ones. */
export const splitRouteConfiguration = (name: RouteConfigName): RouteConfiguration =>
  create(RouteConfigurationSchema, { ...COMMON, name, vhds: { configSource: ADS } });

const DISABLED = pack(FilterConfigSchema, { disabled: true });

/** Disables these filters if a route was found. */
const NO_HOST_FILTERS = { [LOWER_CASE_FILTER]: DISABLED, [WILDCARD_FILTER]: DISABLED };

/** The common part of route configurations with one host. */
export const HOST_ROUTES: RouteConfiguration = create(RouteConfigurationSchema, {
  ...COMMON,
  typedPerFilterConfig: NO_HOST_FILTERS,
});
