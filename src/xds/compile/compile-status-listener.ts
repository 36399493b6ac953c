/** Where the kubelet and Prometheus ask an Envoy: readiness and metrics. The rest of its administration is on the loopback only. */
import { Cluster_DiscoveryType, type ClusterSchema } from "../gen/envoy/config/cluster/v3/cluster_pb.ts";
import type { ListenerSchema } from "../gen/envoy/config/listener/v3/listener_pb.ts";
import type { RouteSchema } from "../gen/envoy/config/route/v3/route_components_pb.ts";
import { RouterSchema } from "../gen/envoy/extensions/filters/http/router/v3/router_pb.ts";
import { HttpConnectionManagerSchema } from "../gen/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.ts";
import { duration, type Init, pack } from "../protobuf.ts";
import { socketAddress } from "./backends/compile-load-assignment.ts";

const NAME = "prevail-status";
const PATHS: readonly string[] = ["/ready", "/stats/prometheus"];

export const statusCluster = (adminPort: number): Init<typeof ClusterSchema> => ({
  name: NAME,
  clusterDiscoveryType: { case: "type", value: Cluster_DiscoveryType.STATIC },
  connectTimeout: duration(1000),
  loadAssignment: {
    clusterName: NAME,
    endpoints: [
      {
        lbEndpoints: [
          { hostIdentifier: { case: "endpoint", value: { address: socketAddress("127.0.0.1", adminPort) } } },
        ],
      },
    ],
  },
});

const routes: readonly Init<typeof RouteSchema>[] = PATHS.map((path) => ({
  match: { pathSpecifier: { case: "path", value: path } },
  action: { case: "route", value: { clusterSpecifier: { case: "cluster", value: NAME } } },
}));

export const statusListener = (port: number): Init<typeof ListenerSchema> => ({
  name: NAME,
  address: socketAddress("0.0.0.0", port),
  filterChains: [
    {
      filters: [
        {
          name: "envoy.filters.network.http_connection_manager",
          configType: {
            case: "typedConfig",
            value: pack(HttpConnectionManagerSchema, {
              statPrefix: NAME,
              routeSpecifier: {
                case: "routeConfig",
                value: { name: NAME, virtualHosts: [{ name: NAME, domains: ["*"], routes: [...routes] }] },
              },
              httpFilters: [
                {
                  name: "envoy.filters.http.router",
                  configType: { case: "typedConfig", value: pack(RouterSchema, {}) },
                },
              ],
            }),
          },
        },
      ],
    },
  ],
});
