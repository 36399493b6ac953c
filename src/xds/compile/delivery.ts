/** How an Envoy gets the parts that a resource refers to: by asking us, or in one piece with all else. */
import type { Endpoint, EndpointsId } from "../../core/dataplane/gateway-config.ts";
import { Cluster_DiscoveryType, type ClusterSchema } from "../gen/envoy/config/cluster/v3/cluster_pb.ts";
import { ApiVersion, type ConfigSourceSchema } from "../gen/envoy/config/core/v3/config_source_pb.ts";
import { FilterConfigSchema, type VirtualHost } from "../gen/envoy/config/route/v3/route_components_pb.ts";
import { type RouteConfiguration, RouteConfigurationSchema } from "../gen/envoy/config/route/v3/route_pb.ts";
import type { HttpConnectionManagerSchema } from "../gen/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.ts";
import type { SdsSecretConfigSchema } from "../gen/envoy/extensions/transport_sockets/tls/v3/secret_pb.ts";
import { create, type Init, pack } from "../protobuf.ts";
import { compileLoadAssignment } from "./compile-load-assignment.ts";
import type { CompiledHost } from "./compile-virtual-hosts.ts";
import { loadAssignmentName, type RouteConfigName, type SecretName, scopesName } from "./resource-names.ts";
import type { RouteShape } from "./route-shape.ts";

export type RouteSpecifier = NonNullable<Init<typeof HttpConnectionManagerSchema>["routeSpecifier"]>;

export interface Delivery {
  readonly routes: (name: RouteConfigName, hosts: readonly CompiledHost[], shape: RouteShape) => RouteSpecifier;
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

/** By changes only, where all parts of a route configuration are resources of their own. */
export const deltaDelivery = (systemAuthorities: string): Delivery => ({
  ...sotwDelivery(systemAuthorities),
  routes: (name, _, shape) => (shape === "Scoped" ? scopedRoutes(name) : wholeRoutes(name)),
});

/** Always everything: routes of a port come in one piece. */
export const sotwDelivery = (systemAuthorities: string): Delivery => ({
  isInOnePiece: false,
  systemAuthorities,
  routes: wholeRoutes,
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
  routes: (name, hosts) => {
    const inside = hosts.map(({ host }) => host);
    return { case: "routeConfig", value: routeConfiguration(name, inside) };
  },
  endpoints: (id) => ({
    clusterDiscoveryType: { case: "type", value: Cluster_DiscoveryType.STATIC },
    loadAssignment: compileLoadAssignment(id, findEndpoints(id) ?? []),
  }),
  secret: (name) => ({ name }),
});

/** Whether the host can have a scope. */
export const isExactHost = ({ domains }: VirtualHost): boolean => !domains.some((domain) => domain.startsWith("*"));

function wholeRoutes(name: RouteConfigName): RouteSpecifier {
  return { case: "rds", value: { configSource: ADS, routeConfigName: name } };
}

/** The one of a host is found by the host that a request names, without its port. */
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

/** A client may say the port in its Host header. */
const COMMON = { ignorePortInHostMatching: true };

export const routeConfiguration = (name: RouteConfigName, hosts: readonly VirtualHost[]): RouteConfiguration =>
  create(RouteConfigurationSchema, { ...COMMON, name, virtualHosts: [...hosts] });

/** Its virtual hosts are resources of their own, so that a change sends only those that it touches. */
export const splitRouteConfiguration = (name: RouteConfigName): RouteConfiguration =>
  create(RouteConfigurationSchema, { ...COMMON, name, vhds: { configSource: ADS } });

/** The filter of a listener whose hosts have scopes that sees to hosts in capital letters. */
export const LOWER_CASE_FILTER = "prevail.hosts-in-lower-case";

/** Where a route was found there is nothing to do for that filter, and it costs nothing. */
const NO_LOWER_CASE = { [LOWER_CASE_FILTER]: pack(FilterConfigSchema, { disabled: true }) };

/** What route configurations of one host have in common: all but the name and the host. */
export const HOST_ROUTES: RouteConfiguration = create(RouteConfigurationSchema, {
  ...COMMON,
  typedPerFilterConfig: NO_LOWER_CASE,
});
