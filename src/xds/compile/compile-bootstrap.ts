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
import { UpstreamTlsContextSchema } from "../gen/envoy/extensions/transport_sockets/tls/v3/tls_pb.ts";
import { HttpProtocolOptionsSchema } from "../gen/envoy/extensions/upstreams/http/v3/http_protocol_options_pb.ts";
import { create, duration, type Init, pack } from "../protobuf.ts";
import { socketAddress } from "./backends/compile-load-assignment.ts";
import type { XdsResources } from "./compile-gateway.ts";
import { compileOverloadManager } from "./compile-overload.ts";

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
}

export interface BootstrapTls {
  readonly certificateFile: string;
  readonly keyFile: string;
  readonly authorityFile: string;
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
  const { nodeId, gateway, server, tls, adminPort, heapMib } = options;
  return create(BootstrapSchema, {
    node: { id: nodeId, cluster: gateway },
    bootstrapExtensions: [INTERNAL_LISTENERS],
    dynamicResources: {
      ldsConfig: ADS,
      cdsConfig: ADS,
      adsConfig: {
        apiType: ApiConfigSource_ApiType.DELTA_GRPC,
        transportApiVersion: ApiVersion.V3,
        setNodeOnFirstMessageOnly: true,
        grpcServices: [{ targetSpecifier: { case: "envoyGrpc", value: { clusterName: SERVER } } }],
      },
    },
    staticResources: { clusters: [serverCluster(server, tls)] },
    overloadManager: compileOverloadManager(heapMib),
    ...adminOf(adminPort),
  });
}

const ADS: Init<typeof ConfigSourceSchema> = {
  configSourceSpecifier: { case: "ads", value: {} },
  resourceApiVersion: ApiVersion.V3,
};

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

const file = (path: string) => ({ specifier: { case: "filename", value: path } }) as const;

const serverSocket = ({ certificateFile, keyFile, authorityFile, serverName }: BootstrapTls) =>
  ({
    name: "envoy.transport_sockets.tls",
    configType: {
      case: "typedConfig",
      value: pack(UpstreamTlsContextSchema, {
        sni: serverName,
        commonTlsContext: {
          alpnProtocols: ["h2"],
          tlsCertificates: [{ certificateChain: file(certificateFile), privateKey: file(keyFile) }],
          validationContextType: {
            case: "validationContext",
            value: {
              trustedCa: file(authorityFile),
              matchTypedSubjectAltNames: [
                { sanType: 2, matcher: { matchPattern: { case: "exact", value: serverName } } },
              ],
            },
          },
        },
      }),
    },
  }) as const;

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
