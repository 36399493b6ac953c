/** The clusters and endpoints that only connections that are not HTTP need. Unchanged resources stay the same object. */
import type { DataplaneConfig, Endpoint } from "../../../core/dataplane/gateway-config.ts";
import { isSameList } from "../../../core/model/collections/is-same-list.ts";
import { remember } from "../../../core/model/collections/remember.ts";
import type { Cluster } from "../../gen/envoy/config/cluster/v3/cluster_pb.ts";
import type { ClusterLoadAssignment } from "../../gen/envoy/config/endpoint/v3/endpoint_pb.ts";
import { compileEmptyCluster } from "../backends/compile-cluster.ts";
import type { ConfigSources } from "../config-sources.ts";
import { compileMixedAssignment, compileMixedCluster } from "./mixed-cluster.ts";
import { CLOSED, type MixedBackends, type StreamNeeds } from "./stream-rules.ts";

interface StreamResources {
  readonly clusters: ReadonlyMap<string, Cluster>;
  readonly endpoints: ReadonlyMap<string, ClusterLoadAssignment>;
}

/** Compiles the resources of one gateway repeatedly. */
export interface StreamStore {
  readonly compile: (
    needs: readonly StreamNeeds[],
    endpoints: DataplaneConfig["endpoints"],
    delivery: ConfigSources,
  ) => StreamResources;
}

const CLOSED_CLUSTER = compileEmptyCluster(CLOSED);

interface KnownAssignment {
  /** The endpoints of each backend. */
  readonly from: readonly (readonly Endpoint[] | undefined)[];
  readonly assignment: ClusterLoadAssignment;
}

export function createStreamStore(): StreamStore {
  const clusters = new WeakMap<MixedBackends, Cluster>();
  const assignments = new WeakMap<MixedBackends, KnownAssignment>();
  const clusterOf = (mix: MixedBackends, delivery: ConfigSources): Cluster =>
    // A static cluster contains its endpoints, which change independently.
    delivery.isStatic
      ? compileMixedCluster(mix, delivery)
      : remember(clusters, mix, () => compileMixedCluster(mix, delivery));
  const assignmentOf = (mix: MixedBackends, endpoints: DataplaneConfig["endpoints"]): ClusterLoadAssignment => {
    const from = mix.shares.map(({ backend }) =>
      backend === undefined ? undefined : endpoints.get(backend.endpoints),
    );
    const known = assignments.get(mix);
    if (known !== undefined && isSameList(known.from, from)) return known.assignment;
    const assignment = compileMixedAssignment(mix, (id) => endpoints.get(id));
    assignments.set(mix, { from, assignment });
    return assignment;
  };
  return {
    compile: (needs, endpoints, delivery) => {
      const mixes = needs.flatMap((one) => one.mixes);
      const closed: readonly [string, Cluster][] = needs.some(({ isClosing }) => isClosing)
        ? [[CLOSED, CLOSED_CLUSTER]]
        : [];
      return {
        clusters: new Map([...closed, ...mixes.map((mix) => [mix.name, clusterOf(mix, delivery)] as const)]),
        endpoints: new Map(mixes.map((mix) => [mix.name, assignmentOf(mix, endpoints)])),
      };
    },
  };
}
