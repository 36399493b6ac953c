/** Compiles backends to clusters, and the clusters that put waits between attempts. */
import { EDGE_LIMITS, type EdgeLimits } from "../../../core/dataplane/edge-limits.ts";
import type { BackendConfig, BackendTlsConfig } from "../../../core/dataplane/gateway-config.ts";
import { PASSIVE_HEALTH } from "../../../core/dataplane/passive-health.ts";
import type { ObjectRef } from "../../../core/model/refs.ts";
import {
  type Cluster,
  Cluster_DiscoveryType,
  Cluster_LbPolicy,
  ClusterSchema,
} from "../../gen/envoy/config/cluster/v3/cluster_pb.ts";
import type { OutlierDetectionSchema } from "../../gen/envoy/config/cluster/v3/outlier_detection_pb.ts";
import type { AddressSchema } from "../../gen/envoy/config/core/v3/address_pb.ts";
import type { TransportSocketSchema } from "../../gen/envoy/config/core/v3/base_pb.ts";
import { ClusterConfigSchema } from "../../gen/envoy/extensions/clusters/composite/v3/cluster_pb.ts";
import { InternalUpstreamTransportSchema } from "../../gen/envoy/extensions/transport_sockets/internal_upstream/v3/internal_upstream_pb.ts";
import { RawBufferSchema } from "../../gen/envoy/extensions/transport_sockets/raw_buffer/v3/raw_buffer_pb.ts";
import { SubjectAltNameMatcher_SanType } from "../../gen/envoy/extensions/transport_sockets/tls/v3/common_pb.ts";
import {
  type CommonTlsContextSchema,
  UpstreamTlsContextSchema,
} from "../../gen/envoy/extensions/transport_sockets/tls/v3/tls_pb.ts";
import { create, duration, type Init, pack } from "../../protobuf.ts";
import type { ConfigSources } from "../config-sources.ts";
import { BUFFER_BYTES } from "../connection-limit.ts";
import {
  authoritiesName,
  type ClusterName,
  type ClusterSettings,
  certificateName,
  clusterName,
  delayName,
  loadAssignmentName,
  waitingClusterName,
} from "../resource-names.ts";
import { compileLoadAssignment } from "./compile-load-assignment.ts";
import { compositeOptions, upstreamOptions } from "./upstream-options.ts";

const { connectMs: CONNECT_MS } = EDGE_LIMITS;
/** How often Envoy looks for endpoints whose time is over. */
const HEALTH_CHECK_MS = 1000;
const UNLIMITED = 2 ** 31 - 1;

/** Raises Envoy's default limits of three concurrent retries and a thousand requests. Policies set limits. */
const NO_LIMITS = {
  maxConnections: UNLIMITED,
  maxPendingRequests: UNLIMITED,
  maxRequests: UNLIMITED,
  maxRetries: UNLIMITED,
};

/** `clientCertificate`: the gateway's own, for backends with TLS. */
export function compileCluster(
  backend: BackendConfig,
  settings: ClusterSettings,
  delivery: ConfigSources,
  { maxConnectionsPerEndpoint }: EdgeLimits,
  clientCertificate?: ObjectRef,
): Cluster {
  const { tryTimeoutMs, budget } = settings;
  return create(ClusterSchema, {
    name: clusterName(backend, settings),
    ...delivery.endpoints(loadAssignmentName(backend.endpoints), (find) =>
      compileLoadAssignment(backend.endpoints, find(backend.endpoints) ?? []),
    ),
    connectTimeout: duration(Math.min(CONNECT_MS, tryTimeoutMs ?? CONNECT_MS)),
    lbPolicy: Cluster_LbPolicy.ROUND_ROBIN,
    circuitBreakers: {
      thresholds: [
        budget === undefined
          ? NO_LIMITS
          : {
              ...NO_LIMITS,
              retryBudget: {
                budgetPercent: { value: budget.percent },
                budgetInterval: duration(budget.intervalMs),
                minRetryConcurrency: budget.minRetryRate.count,
              },
            },
      ],
      ...(isHttp(backend) ? { perHostThresholds: [{ maxConnections: maxConnectionsPerEndpoint }] } : {}),
    },
    perConnectionBufferLimitBytes: BUFFER_BYTES,
    ...(backend.protocol === "UDP" ? {} : { outlierDetection: OUTLIERS }),
    ...protocolOptions(backend.protocol, tryTimeoutMs),
    ...(backend.tls === undefined
      ? {}
      : { transportSocket: tlsSocket(backend.tls, backend.protocol, delivery, clientCertificate) }),
  });
}

const { failures, outMs, mostOutMs, mostOutPercent } = PASSIVE_HEALTH;

/** Envoy counts failures to connect, resets and timeouts like 5xx responses. Responses themselves do not count (`upstream-options.ts`). */
const OUTLIERS: Init<typeof OutlierDetectionSchema> = {
  consecutive5xx: failures,
  enforcingConsecutive5xx: 100,
  enforcingConsecutiveGatewayFailure: 0,
  enforcingSuccessRate: 0,
  enforcingFailurePercentage: 0,
  interval: duration(HEALTH_CHECK_MS),
  baseEjectionTime: duration(outMs),
  maxEjectionTime: duration(mostOutMs),
  maxEjectionPercent: mostOutPercent,
};

const isHttp = ({ protocol }: BackendConfig): boolean => protocol === "HTTP/1.1" || protocol === "HTTP/2";

/** A cluster without endpoints, for a backend that must not be used: requests get a 503. */
export const compileEmptyCluster = (name: ClusterName): Cluster =>
  create(ClusterSchema, {
    name,
    clusterDiscoveryType: { case: "type", value: Cluster_DiscoveryType.STATIC },
    loadAssignment: { clusterName: name },
    connectTimeout: duration(CONNECT_MS),
    circuitBreakers: { thresholds: [NO_LIMITS] },
  });

/** Empty for connections that are not HTTP. */
function protocolOptions(
  protocol: BackendConfig["protocol"],
  tryTimeoutMs: number | undefined,
): Pick<Init<typeof ClusterSchema>, "typedExtensionProtocolOptions"> {
  return protocol === "TCP" || protocol === "UDP" ? {} : upstreamOptions(protocol, tryTimeoutMs);
}

type SocketInit = Init<typeof TransportSocketSchema>;

const ALPN: Readonly<Record<BackendConfig["protocol"], string[]>> = {
  "HTTP/1.1": ["http/1.1"],
  "HTTP/2": ["h2"],
  TCP: [],
  UDP: [],
};

function tlsSocket(
  tls: BackendTlsConfig,
  protocol: BackendConfig["protocol"],
  delivery: ConfigSources,
  clientCertificate: ObjectRef | undefined,
): SocketInit {
  const context = pack(UpstreamTlsContextSchema, {
    sni: tls.hostname,
    commonTlsContext: {
      alpnProtocols: ALPN[protocol],
      validationContextType: validationContext(tls, delivery),
      ...(clientCertificate === undefined
        ? {}
        : { tlsCertificateSdsSecretConfigs: [delivery.secret(certificateName(clientCertificate))] }),
    },
  });
  return { name: "envoy.transport_sockets.tls", configType: { case: "typedConfig", value: context } };
}

function validationContext(
  { hostname, subjectAltNames, authorities }: BackendTlsConfig,
  delivery: ConfigSources,
): NonNullable<Init<typeof CommonTlsContextSchema>["validationContextType"]> {
  const { DNS, URI } = SubjectAltNameMatcher_SanType;
  const names = subjectAltNames.length === 0 ? [{ type: "Hostname", value: hostname } as const] : subjectAltNames;
  const matchTypedSubjectAltNames = names.map(({ type, value }) => ({
    sanType: type === "URI" ? URI : DNS,
    matcher: { matchPattern: { case: "exact", value } } as const,
  }));
  if (authorities === "System") {
    const trustedCa = { specifier: { case: "filename", value: delivery.systemAuthorities } } as const;
    return { case: "validationContext", value: { trustedCa, matchTypedSubjectAltNames } };
  }
  return {
    case: "combinedValidationContext",
    value: {
      defaultValidationContext: { matchTypedSubjectAltNames },
      validationContextSdsSecretConfig: delivery.secret(authoritiesName(authorities)),
    },
  };
}

/** Alternates attempts and waits: attempt, wait, attempt, wait, attempt. The number of an attempt selects its cluster. */
export function compileWaitingCluster(real: ClusterName, waitsMs: readonly number[]): Cluster {
  const clusters = [{ name: real }, ...waitsMs.flatMap((waitMs) => [{ name: delayName(waitMs) }, { name: real }])];
  return create(ClusterSchema, {
    name: waitingClusterName(real, waitsMs),
    clusterDiscoveryType: {
      case: "clusterType",
      value: { name: "envoy.clusters.composite", typedConfig: pack(ClusterConfigSchema, { clusters }) },
    },
    connectTimeout: duration(CONNECT_MS),
    lbPolicy: Cluster_LbPolicy.CLUSTER_PROVIDED,
    circuitBreakers: { thresholds: [NO_LIMITS] },
    ...compositeOptions(),
  });
}

/** Leads to the internal listener of the same name, which responds after the wait. HTTP/1, because upgrades fail over HTTP/2. */
export function compileDelayCluster(waitMs: number): Cluster {
  const name = delayName(waitMs);
  const address: Init<typeof AddressSchema> = {
    address: {
      case: "envoyInternalAddress",
      value: { addressNameSpecifier: { case: "serverListenerName", value: name }, endpointId: name },
    },
  };
  const inner: SocketInit = {
    name: "envoy.transport_sockets.raw_buffer",
    configType: { case: "typedConfig", value: pack(RawBufferSchema, {}) },
  };
  return create(ClusterSchema, {
    name,
    clusterDiscoveryType: { case: "type", value: Cluster_DiscoveryType.STATIC },
    loadAssignment: {
      clusterName: name,
      endpoints: [{ lbEndpoints: [{ hostIdentifier: { case: "endpoint", value: { address } } }] }],
    },
    connectTimeout: duration(CONNECT_MS),
    circuitBreakers: { thresholds: [NO_LIMITS] },
    transportSocket: {
      name: "envoy.transport_sockets.internal_upstream",
      configType: { case: "typedConfig", value: pack(InternalUpstreamTransportSchema, { transportSocket: inner }) },
    },
  });
}
