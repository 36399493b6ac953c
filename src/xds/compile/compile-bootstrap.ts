/** Compiles the bootstrap of an Envoy: with the address of the xDS server, or with all resources. */
import type { XdsAddress } from "../../core/envoy/xds-address.ts";
import { type Bootstrap, BootstrapSchema } from "../gen/envoy/config/bootstrap/v3/bootstrap_pb.ts";
import { Cluster_DiscoveryType } from "../gen/envoy/config/cluster/v3/cluster_pb.ts";
import type { AddressSchema } from "../gen/envoy/config/core/v3/address_pb.ts";
import {
  ApiConfigSource_ApiType,
  ApiVersion,
  type ConfigSourceSchema,
} from "../gen/envoy/config/core/v3/config_source_pb.ts";
import { InternalListenerSchema } from "../gen/envoy/extensions/bootstrap/internal_listener/v3/internal_listener_pb.ts";
import type { CertificateValidationContextSchema } from "../gen/envoy/extensions/transport_sockets/tls/v3/common_pb.ts";
import {
  type CommonTlsContextSchema,
  UpstreamTlsContextSchema,
} from "../gen/envoy/extensions/transport_sockets/tls/v3/tls_pb.ts";
import { HttpProtocolOptionsSchema } from "../gen/envoy/extensions/upstreams/http/v3/http_protocol_options_pb.ts";
import { create, duration, type Init, pack } from "../protobuf.ts";
import { socketAddress } from "./backends/compile-load-assignment.ts";
import type { XdsResources } from "./compile-gateway.ts";
import { compileOverloadManager } from "./compile-overload.ts";
import {
  AUTHORITIES_SECRET,
  CERTIFICATE_SECRET,
  type CertificateFiles,
  fileSource,
  type SecretFiles,
} from "./compile-secret-files.ts";
import { statusCluster, statusListener } from "./compile-status-listener.ts";
import { ADS } from "./config-sources.ts";
import { countsSink, EVICTION_MS, FLUSH_MS } from "./retry-counters.ts";

export interface BootstrapOptions {
  /** The node id, unique among the Envoys of one server. */
  readonly nodeId: string;
  /** The gateway that the Envoy serves: `namespace/name`. */
  readonly gateway: string;
  /** The address of the xDS server. */
  readonly server: XdsAddress;
  /** The TLS files that the Envoy reads. Undefined: plain text, on the loopback only. */
  readonly tls: BootstrapTls | undefined;
  /** Undefined: no admin port. */
  readonly adminPort: number | undefined;
  /** Undefined: a default. */
  readonly heapMib?: number | undefined;
  /** Where `/ready` and metrics are, on all addresses. Such an Envoy is not ready before it has its first configuration. It needs an admin port. Undefined: nowhere. */
  readonly statusPort?: number;
}

export interface BootstrapTls extends CertificateFiles {
  /** Secrets that refer to these files, for files that change: the Envoy reads them again. Undefined: it reads them once. */
  readonly secretFiles?: SecretFiles;
  /** The name that the server's certificate must have. */
  readonly serverName: string;
}

/** Retries with a minimum wait use internal listeners. */
const INTERNAL_LISTENERS = {
  name: "envoy.bootstrap.internal_listener",
  typedConfig: pack(InternalListenerSchema, {}),
};

/** Without spaces, because it is also the authority of requests. */
const SERVER = "prevail-xds";
const KEEPALIVE_MS = 10_000;

export function compileBootstrap(options: BootstrapOptions): Bootstrap {
  const { nodeId, gateway, server, tls, adminPort, heapMib, statusPort } = options;
  const fromServer = statusPort === undefined ? ADS : { ...ADS, initialFetchTimeout: duration(0) };
  const hasStatus = statusPort !== undefined && adminPort !== undefined;
  return create(BootstrapSchema, {
    node: { id: nodeId, cluster: gateway },
    bootstrapExtensions: [INTERNAL_LISTENERS],
    dynamicResources: {
      ldsConfig: fromServer,
      cdsConfig: fromServer,
      adsConfig: {
        apiType: ApiConfigSource_ApiType.DELTA_GRPC,
        transportApiVersion: ApiVersion.V3,
        setNodeOnFirstMessageOnly: true,
        grpcServices: [{ targetSpecifier: { case: "envoyGrpc", value: { clusterName: SERVER } } }],
      },
    },
    staticResources: {
      ...(hasStatus ? { listeners: [statusListener(statusPort)] } : {}),
      clusters: [serverCluster(server, tls), ...(hasStatus ? [statusCluster(adminPort)] : [])],
    },
    overloadManager: compileOverloadManager(heapMib),
    statsSinks: [countsSink(SERVER, { nodeId, gateway })],
    statsFlushInterval: duration(FLUSH_MS),
    statsEviction: { case: "statsEvictionInterval", value: duration(EVICTION_MS) },
    ...adminOf(adminPort),
  });
}

const adminOf = (port: number | undefined): Pick<Init<typeof BootstrapSchema>, "admin"> =>
  port === undefined ? {} : { admin: { address: socketAddress("127.0.0.1", port) } };

function serverCluster(
  server: XdsAddress,
  tls: BootstrapTls | undefined,
): NonNullable<NonNullable<Init<typeof BootstrapSchema>["staticResources"]>["clusters"]>[number] {
  const isAddress = "socketPath" in server || /^[\d.]+$|:/.test(server.host);
  const address = "socketPath" in server ? pipeAddress(server.socketPath) : socketAddress(server.host, server.port);
  const { STATIC, STRICT_DNS } = Cluster_DiscoveryType;
  // Detects a server that disappeared without closing the connection.
  const keepalive = { connectionKeepalive: { interval: duration(KEEPALIVE_MS), timeout: duration(KEEPALIVE_MS) } };
  return {
    name: SERVER,
    clusterDiscoveryType: { case: "type", value: isAddress ? STATIC : STRICT_DNS },
    connectTimeout: duration(5000),
    loadAssignment: {
      clusterName: SERVER,
      endpoints: [{ lbEndpoints: [{ hostIdentifier: { case: "endpoint", value: { address } } }] }],
    },
    typedExtensionProtocolOptions: {
      "envoy.extensions.upstreams.http.v3.HttpProtocolOptions": pack(HttpProtocolOptionsSchema, {
        upstreamProtocolOptions: {
          case: "explicitHttpConfig",
          value: { protocolConfig: { case: "http2ProtocolOptions", value: keepalive } },
        },
      }),
    },
    ...(tls === undefined ? {} : { transportSocket: serverSocket(tls) }),
  };
}

const pipeAddress = (path: string): Init<typeof AddressSchema> => ({ address: { case: "pipe", value: { path } } });

const fromFile = (path: string): Init<typeof ConfigSourceSchema> => ({
  configSourceSpecifier: { case: "pathConfigSource", value: { path } },
  resourceApiVersion: ApiVersion.V3,
});

const serverSocket = (tls: BootstrapTls) =>
  ({
    name: "envoy.transport_sockets.tls",
    configType: {
      case: "typedConfig",
      value: pack(UpstreamTlsContextSchema, {
        sni: tls.serverName,
        commonTlsContext: {
          alpnProtocols: ["h2"],
          ...(tls.secretFiles === undefined ? readOnce(tls) : readAgain(tls, tls.secretFiles)),
        },
      }),
    },
  }) as const;

const namedServer = ({
  serverName,
}: BootstrapTls): Pick<Init<typeof CertificateValidationContextSchema>, "matchTypedSubjectAltNames"> => ({
  matchTypedSubjectAltNames: [{ sanType: 2, matcher: { matchPattern: { case: "exact", value: serverName } } }],
});

const readOnce = (tls: BootstrapTls): Init<typeof CommonTlsContextSchema> => ({
  tlsCertificates: [{ certificateChain: fileSource(tls.certificateFile), privateKey: fileSource(tls.keyFile) }],
  validationContextType: {
    case: "validationContext",
    value: { trustedCa: fileSource(tls.authorityFile), ...namedServer(tls) },
  },
});

const readAgain = (
  tls: BootstrapTls,
  { certificate, authorities }: SecretFiles,
): Init<typeof CommonTlsContextSchema> => ({
  tlsCertificateSdsSecretConfigs: [{ name: CERTIFICATE_SECRET, sdsConfig: fromFile(certificate) }],
  validationContextType: {
    case: "combinedValidationContext",
    value: {
      defaultValidationContext: namedServer(tls),
      validationContextSdsSecretConfig: { name: AUTHORITIES_SECRET, sdsConfig: fromFile(authorities) },
    },
  },
});

/** A bootstrap with all resources. They must be compiled with `delivery: "Static"`. */
export function compileStaticBootstrap(
  gateway: string,
  { listeners, clusters, secrets }: XdsResources,
  { adminPort, heapMib }: Partial<Pick<BootstrapOptions, "adminPort" | "heapMib">> = {},
): Bootstrap {
  return create(BootstrapSchema, {
    node: { id: gateway, cluster: gateway },
    bootstrapExtensions: [INTERNAL_LISTENERS],
    staticResources: {
      listeners: [...listeners.values()],
      clusters: [...clusters.values()],
      secrets: [...secrets.values()],
    },
    overloadManager: compileOverloadManager(heapMib),
    ...adminOf(adminPort),
  });
}
