/** Compiles a port to a listener, and the internal listeners that make retries wait. */
import { EDGE_LIMITS, type EdgeLimits } from "../../core/dataplane/edge-limits.ts";
import type { ClientValidationConfig, ListenerConfig, PortConfig } from "../../core/dataplane/gateway-config.ts";
import { isStream } from "../../core/dataplane/is-stream.ts";
import { WAITED_HEADER } from "../../core/dataplane/own-headers.ts";
import type { AccessLogSchema } from "../gen/envoy/config/accesslog/v3/accesslog_pb.ts";
import { HttpProtocolOptions_HeadersWithUnderscoresAction } from "../gen/envoy/config/core/v3/protocol_pb.ts";
import type { FilterChainSchema } from "../gen/envoy/config/listener/v3/listener_components_pb.ts";
import {
  type Listener,
  Listener_InternalListenerConfigSchema,
  ListenerSchema,
} from "../gen/envoy/config/listener/v3/listener_pb.ts";
import { RouteConfigurationSchema } from "../gen/envoy/config/route/v3/route_pb.ts";
import { CorsSchema } from "../gen/envoy/extensions/filters/http/cors/v3/cors_pb.ts";
import { HTTPFaultSchema } from "../gen/envoy/extensions/filters/http/fault/v3/fault_pb.ts";
import { RouterSchema } from "../gen/envoy/extensions/filters/http/router/v3/router_pb.ts";
import { TlsInspectorSchema } from "../gen/envoy/extensions/filters/listener/tls_inspector/v3/tls_inspector_pb.ts";
import {
  HttpConnectionManager_PathWithEscapedSlashesAction,
  HttpConnectionManager_ServerHeaderTransformation,
  HttpConnectionManagerSchema,
  type LocalReplyConfigSchema,
} from "../gen/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.ts";
import { CertificateValidationContext_TrustChainVerification } from "../gen/envoy/extensions/transport_sockets/tls/v3/common_pb.ts";
import {
  type CommonTlsContextSchema,
  DownstreamTlsContextSchema,
} from "../gen/envoy/extensions/transport_sockets/tls/v3/tls_pb.ts";
import { FractionalPercent_DenominatorType } from "../gen/envoy/type/v3/percent_pb.ts";
import { type Any, create, duration, type Init, pack } from "../protobuf.ts";
import { type ListenerAddress, socketAddress } from "./backends/compile-load-assignment.ts";
import { type AccessLogging, accessLogsOf } from "./compile-access-log.ts";
import { compileIdentity } from "./compile-identity.ts";
import type { ConfigSources, RouteSpecifier } from "./config-sources.ts";
import { BUFFER_BYTES, connectionLimit } from "./connection-limit.ts";
import { AUTH, NO_AUTH } from "./http-filters/compile-auth.ts";
import { hostFilters } from "./http-filters/compile-host-filters.ts";
import { NO_SESSIONS, SESSIONS } from "./http-filters/compile-sessions.ts";
import { httpFilter } from "./http-filters/http-filter.ts";
import { authoritiesName, certificateName, delayName, gatewayOfListener, type ListenerName } from "./resource-names.ts";
import { serverNameChains, tcpChain } from "./streams/stream-chains.ts";
import { compileUdpListener } from "./streams/udp-listener.ts";

const KB = 1024;

type FilterChainInit = Init<typeof FilterChainSchema>;

export interface ListenerSettings {
  readonly logs: AccessLogging;
  readonly limits: EdgeLimits;
  /** True if other processes may open the same port, and get a part of its connections. */
  readonly sharesPorts: boolean;
  /** The number of trusted proxies in front. */
  readonly trustedHops: number;
}

export interface ListenerRoutes {
  readonly routes: RouteSpecifier;
  /** The wildcard hostnames, if requests for hosts that only they match get more than a 404. */
  readonly wildcards: readonly string[];
}

/** `routes` are those of the port, or with TLS those of the listener. */
export function compileListener(
  name: ListenerName,
  gatewayPort: PortConfig,
  { host, port }: ListenerAddress,
  routes: (listener: ListenerConfig) => ListenerRoutes,
  delivery: ConfigSources,
  settings: ListenerSettings,
): Listener | undefined {
  const { logs, limits, sharesPorts } = settings;
  const { protocol, listeners } = gatewayPort;
  const [first] = listeners;
  if (first === undefined) return undefined;
  if (protocol === "UDP") return compileUdpListener(name, gatewayPort, { host, port }, limits);
  const common = {
    name,
    perConnectionBufferLimitBytes: BUFFER_BYTES,
    address: socketAddress(host, port),
    // By default the kernel would divide connections among all Envoys that open the port.
    ...(sharesPorts ? {} : { enableReusePort: false }),
  };
  if (protocol === "TCP") {
    return create(ListenerSchema, {
      ...common,
      filterChains: [tcpChain(gatewayPort, { statPrefix: name, logs, limits })],
    });
  }
  const accessLog = accessLogsOf(logs, gatewayPort.port, gatewayOfListener(name));
  if (protocol === "HTTP") {
    return create(ListenerSchema, { ...common, filterChains: [httpChain(name, routes(first), accessLog, settings)] });
  }
  return create(ListenerSchema, {
    ...common,
    listenerFilters: [
      {
        name: "envoy.filters.listener.tls_inspector",
        configType: { case: "typedConfig", value: pack(TlsInspectorSchema, {}) },
      },
    ],
    // Until the server name is known.
    listenerFiltersTimeout: duration(limits.headersMs),
    filterChains: listeners.flatMap((listener): readonly FilterChainInit[] => {
      const chains = isStream(listener)
        ? serverNameChains(listener, gatewayPort, { statPrefix: name, logs, limits })
        : [httpsChain(listener, httpChain(name, routes(listener), accessLog, settings))];
      if (listener.tls === "Passthrough") return chains;
      return chains.map((chain) => terminated(chain, listener, delivery, limits));
    }),
  });
}

const httpsChain = (listener: ListenerConfig, chain: FilterChainInit): FilterChainInit => ({
  ...chain,
  name: listener.name,
  // A chain without a server name gets all connections that no other chain matches.
  ...(listener.hostname === undefined ? {} : { filterChainMatch: { serverNames: [listener.hostname] } }),
});

/** Terminates TLS before the filters of a chain. */
const terminated = (
  chain: FilterChainInit,
  listener: ListenerConfig,
  delivery: ConfigSources,
  { headersMs }: EdgeLimits,
): FilterChainInit => ({
  ...chain,
  transportSocket: {
    name: "envoy.transport_sockets.tls",
    configType: { case: "typedConfig", value: tlsContext(listener, delivery) },
  },
  transportSocketConnectTimeout: duration(headersMs),
});

const tlsContext = (listener: ListenerConfig, delivery: ConfigSources): Any =>
  pack(DownstreamTlsContextSchema, {
    commonTlsContext: {
      // The protocol inside of other connections is not known, so nothing is negotiated.
      alpnProtocols: isStream(listener) ? [] : ["h2", "http/1.1"],
      tlsCertificateSdsSecretConfigs: listener.certificates.map((ref) => delivery.secret(certificateName(ref))),
      ...(listener.clients === undefined
        ? {}
        : { validationContextType: clientValidation(listener.clients, delivery) }),
    },
    ...(listener.clients?.mode === "AllowValidOnly" ? { requireClientCertificate: true } : {}),
  });

function clientValidation(
  { authorities, mode }: ClientValidationConfig,
  delivery: ConfigSources,
): NonNullable<Init<typeof CommonTlsContextSchema>["validationContextType"]> {
  const { ACCEPT_UNTRUSTED } = CertificateValidationContext_TrustChainVerification;
  return {
    case: "combinedValidationContext",
    value: {
      defaultValidationContext: mode === "AllowValidOnly" ? {} : { trustChainVerification: ACCEPT_UNTRUSTED },
      validationContextSdsSecretConfig: delivery.secret(authoritiesName(authorities)),
    },
  };
}

function httpChain(
  statPrefix: string,
  { routes, wildcards }: ListenerRoutes,
  accessLog: Init<typeof AccessLogSchema>[],
  { limits, trustedHops }: ListenerSettings,
): FilterChainInit {
  const identity = compileIdentity(trustedHops);
  const manager = pack(HttpConnectionManagerSchema, {
    statPrefix,
    routeSpecifier: routes,
    accessLog,
    httpFilters: [
      ...identity.filters,
      ...(routes.case === "scopedRoutes" ? hostFilters(wildcards) : []),
      // Disabled by default and enabled by routes that need it, so that adding such a route does not change the listener.
      { ...httpFilter("envoy.filters.http.cors", pack(CorsSchema, {})), disabled: true },
      { ...httpFilter(AUTH, NO_AUTH), disabled: true },
      { ...httpFilter(SESSIONS, NO_SESSIONS), disabled: true },
      httpFilter("envoy.filters.http.router", pack(RouterSchema, { suppressEnvoyHeaders: true })),
    ],
    upgradeConfigs: [{ upgradeType: "websocket" }],
    ...identity.manager,
    generateRequestId: false,
    serverHeaderTransformation: HttpConnectionManager_ServerHeaderTransformation.PASS_THROUGH,
    maxRequestHeadersKb: limits.maxHeaderBytes / KB,
    commonHttpProtocolOptions: {
      maxHeadersCount: limits.maxHeaders,
      idleTimeout: duration(limits.keepAliveMs),
      maxRequestsPerConnection: limits.maxRequestsPerConnection,
      // Servers that turn headers into variables do not distinguish an underscore from a dash.
      headersWithUnderscoresAction: HttpProtocolOptions_HeadersWithUnderscoresAction.REJECT_REQUEST,
    },
    httpProtocolOptions: { acceptHttp10: true },
    http2ProtocolOptions: {
      maxConcurrentStreams: limits.maxStreams,
      // How much of a request may wait in Envoy.
      initialStreamWindowSize: BUFFER_BYTES,
      initialConnectionWindowSize: 16 * BUFFER_BYTES,
      // An invalid request ends its stream, not those of others on the connection.
      overrideStreamErrorOnInvalidHttpMessage: true,
    },
    requestHeadersTimeout: duration(limits.headersMs),
    requestTimeout: duration(limits.receiveMs),
    streamIdleTimeout: duration(limits.idleMs),
    // Paths are normalized, or policies could be bypassed.
    normalizePath: true,
    mergeSlashes: true,
    pathWithEscapedSlashesAction: HttpConnectionManager_PathWithEscapedSlashesAction.REJECT_REQUEST,
    // A host with a final dot equals the host without it.
    stripTrailingHostDot: true,
    localReplyConfig: LOCAL_REPLIES,
  });
  return {
    filters: [
      connectionLimit(statPrefix, limits),
      { name: "envoy.filters.network.http_connection_manager", configType: { case: "typedConfig", value: manager } },
    ],
  };
}

const NO_RESPONSE = {
  format: {
    case: "textFormatSource",
    value: { specifier: { case: "inlineString", value: "no response from a backend of %ROUTE_NAME%\n" } },
  },
} as const;

/** Replaces Envoy's own texts, which contain addresses. A response that is not HTTP gives 503, like a reset connection. */
const LOCAL_REPLIES: Init<typeof LocalReplyConfigSchema> = {
  mappers: [
    {
      filter: { filterSpecifier: { case: "responseFlagFilter", value: { flags: ["UPE"] } } },
      statusCode: 503,
      bodyFormatOverride: NO_RESPONSE,
    },
    {
      filter: {
        filterSpecifier: {
          case: "responseFlagFilter",
          value: { flags: ["UF", "UC", "UR", "LR", "UH", "UT", "UO", "URX", "UMSDR"] },
        },
      },
      bodyFormatOverride: NO_RESPONSE,
    },
  ],
};

/** Larger than any body that is buffered for a retry, because a waiting listener reads and discards the body. */
const DROPPED_BYTES = 2 ** 31 - 1;

/** Responds to every request after the wait, with a header that causes a retry. Only reachable inside Envoy. */
export function compileDelayListener(waitMs: number): Listener {
  const name = delayName(waitMs);
  const fault = pack(HTTPFaultSchema, {
    delay: {
      faultDelaySecifier: { case: "fixedDelay", value: duration(waitMs) },
      percentage: { numerator: 100, denominator: FractionalPercent_DenominatorType.HUNDRED },
    },
  });
  const routeConfig = create(RouteConfigurationSchema, {
    name,
    virtualHosts: [
      {
        name,
        domains: ["*"],
        routes: [
          {
            match: { pathSpecifier: { case: "prefix", value: "" } },
            action: { case: "directResponse", value: { status: 503 } },
            responseHeadersToAdd: [{ header: { key: WAITED_HEADER, value: "1" } }],
            requestBodyBufferLimit: BigInt(DROPPED_BYTES),
          },
        ],
      },
    ],
  });
  const manager = pack(HttpConnectionManagerSchema, {
    statPrefix: name,
    routeSpecifier: { case: "routeConfig", value: routeConfig },
    httpFilters: [
      httpFilter("envoy.filters.http.fault", fault),
      httpFilter("envoy.filters.http.router", pack(RouterSchema, {})),
    ],
    upgradeConfigs: [{ upgradeType: "websocket" }],
    generateRequestId: false,
    commonHttpProtocolOptions: { maxHeadersCount: 2 * EDGE_LIMITS.maxHeaders },
    maxRequestHeadersKb: (2 * EDGE_LIMITS.maxHeaderBytes) / KB,
    streamIdleTimeout: duration(0),
  });
  return create(ListenerSchema, {
    name,
    listenerSpecifier: { case: "internalListener", value: create(Listener_InternalListenerConfigSchema, {}) },
    filterChains: [
      {
        filters: [
          {
            name: "envoy.filters.network.http_connection_manager",
            configType: { case: "typedConfig", value: manager },
          },
        ],
      },
    ],
  });
}
