/**
 * The endpoints of several backends in one cluster. A UDP proxy of Envoy has one cluster, so weights are those of localities: each backend is
 * a locality. A backend without endpoints keeps its share, which is dropped.
 */
import type { DataplaneConfig, EndpointsId } from "../../../core/dataplane/gateway-config.ts";
import { type Cluster, Cluster_LbPolicy, ClusterSchema } from "../../gen/envoy/config/cluster/v3/cluster_pb.ts";
import {
  type ClusterLoadAssignment,
  ClusterLoadAssignmentSchema,
} from "../../gen/envoy/config/endpoint/v3/endpoint_pb.ts";
import { create, duration } from "../../protobuf.ts";
import { lbEndpoints } from "../backends/compile-load-assignment.ts";
import type { ConfigSources } from "../config-sources.ts";
import type { MixedBackends } from "./stream-rules.ts";

/** The port of the discard protocol (RFC 863), on the machine of the Envoy. Usually nothing listens there; whatever does drops what it gets. */
const DISCARD = [{ address: "127.0.0.1", port: 9 }];

/** UDP has no connections; Envoy requires the setting. */
const CONNECT_MS = 5000;

export const compileMixedCluster = (mix: MixedBackends, delivery: ConfigSources): Cluster =>
  create(ClusterSchema, {
    name: mix.name,
    ...delivery.endpoints(mix.name, (find) => compileMixedAssignment(mix, find)),
    connectTimeout: duration(CONNECT_MS),
    lbPolicy: Cluster_LbPolicy.ROUND_ROBIN,
    commonLbConfig: { localityConfigSpecifier: { case: "localityWeightedLbConfig", value: {} } },
  });

export function compileMixedAssignment(
  { name, shares }: MixedBackends,
  find: DataplaneConfig["endpoints"]["get"],
): ClusterLoadAssignment {
  const endpointsOf = (id: EndpointsId | undefined) => (id === undefined ? [] : (find(id) ?? []));
  return create(ClusterLoadAssignmentSchema, {
    clusterName: name,
    endpoints: shares.map(({ weight, backend }) => {
      const endpoints = endpointsOf(backend?.endpoints);
      return {
        locality: { zone: backend?.id ?? "closed" },
        loadBalancingWeight: weight,
        lbEndpoints: lbEndpoints(endpoints.length === 0 ? DISCARD : endpoints),
      };
    }),
  });
}
