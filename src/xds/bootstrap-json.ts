/** Formats bootstraps as JSON. */
import { type Bootstrap, BootstrapSchema } from "./gen/envoy/config/bootstrap/v3/bootstrap_pb.ts";
import { ScaleTimersOverloadActionConfigSchema } from "./gen/envoy/config/overload/v3/overload_pb.ts";
import { ConfigSchema as StatsAccessLogSchema } from "./gen/envoy/extensions/access_loggers/stats/v3/stats_pb.ts";
import { StdoutAccessLogSchema } from "./gen/envoy/extensions/access_loggers/stream/v3/stream_pb.ts";
import { InternalListenerSchema } from "./gen/envoy/extensions/bootstrap/internal_listener/v3/internal_listener_pb.ts";
import { ClusterConfigSchema } from "./gen/envoy/extensions/clusters/composite/v3/cluster_pb.ts";
import {
  ExtensionWithMatcherPerRouteSchema,
  ExtensionWithMatcherSchema,
} from "./gen/envoy/extensions/common/matching/v3/extension_matcher_pb.ts";
import {
  CompositeSchema,
  ExecuteFilterActionSchema,
} from "./gen/envoy/extensions/filters/http/composite/v3/composite_pb.ts";
import { CorsPolicySchema, CorsSchema } from "./gen/envoy/extensions/filters/http/cors/v3/cors_pb.ts";
import { ExtAuthzSchema } from "./gen/envoy/extensions/filters/http/ext_authz/v3/ext_authz_pb.ts";
import { HTTPFaultSchema } from "./gen/envoy/extensions/filters/http/fault/v3/fault_pb.ts";
import { HeaderMutationSchema } from "./gen/envoy/extensions/filters/http/header_mutation/v3/header_mutation_pb.ts";
import { RouterSchema } from "./gen/envoy/extensions/filters/http/router/v3/router_pb.ts";
import {
  StatefulSessionPerRouteSchema,
  StatefulSessionSchema,
} from "./gen/envoy/extensions/filters/http/stateful_session/v3/stateful_session_pb.ts";
import { UpstreamCodecSchema } from "./gen/envoy/extensions/filters/http/upstream_codec/v3/upstream_codec_pb.ts";
import { TlsInspectorSchema } from "./gen/envoy/extensions/filters/listener/tls_inspector/v3/tls_inspector_pb.ts";
import { ConnectionLimitSchema } from "./gen/envoy/extensions/filters/network/connection_limit/v3/connection_limit_pb.ts";
import { HttpConnectionManagerSchema } from "./gen/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.ts";
import { TcpProxySchema } from "./gen/envoy/extensions/filters/network/tcp_proxy/v3/tcp_proxy_pb.ts";
import { RouteSchema as UdpRouteSchema } from "./gen/envoy/extensions/filters/udp/udp_proxy/v3/route_pb.ts";
import { UdpProxyConfigSchema } from "./gen/envoy/extensions/filters/udp/udp_proxy/v3/udp_proxy_pb.ts";
import { HeaderMutationSchema as EarlyHeaderMutationSchema } from "./gen/envoy/extensions/http/early_header_mutation/header_mutation/v3/header_mutation_pb.ts";
import { CookieBasedSessionStateSchema } from "./gen/envoy/extensions/http/stateful_session/cookie/v3/cookie_pb.ts";
import { HeaderBasedSessionStateSchema } from "./gen/envoy/extensions/http/stateful_session/header/v3/header_pb.ts";
import { StatFullNameMatchInputSchema } from "./gen/envoy/extensions/matching/common_inputs/stats/v3/stats_pb.ts";
import { DownstreamConnectionsConfigSchema } from "./gen/envoy/extensions/resource_monitors/downstream_connections/v3/downstream_connections_pb.ts";
import { FixedHeapConfigSchema } from "./gen/envoy/extensions/resource_monitors/fixed_heap/v3/fixed_heap_pb.ts";
import { PreviousHostsPredicateSchema } from "./gen/envoy/extensions/retry/host/previous_hosts/v3/previous_hosts_pb.ts";
import {
  SinkConfig_ConversionActionSchema,
  SinkConfig_DropActionSchema,
  SinkConfigSchema,
} from "./gen/envoy/extensions/stat_sinks/open_telemetry/v3/open_telemetry_pb.ts";
import { InternalUpstreamTransportSchema } from "./gen/envoy/extensions/transport_sockets/internal_upstream/v3/internal_upstream_pb.ts";
import { RawBufferSchema } from "./gen/envoy/extensions/transport_sockets/raw_buffer/v3/raw_buffer_pb.ts";
import { SecretSchema } from "./gen/envoy/extensions/transport_sockets/tls/v3/secret_pb.ts";
import {
  DownstreamTlsContextSchema,
  UpstreamTlsContextSchema,
} from "./gen/envoy/extensions/transport_sockets/tls/v3/tls_pb.ts";
import { HttpProtocolOptionsSchema } from "./gen/envoy/extensions/upstreams/http/v3/http_protocol_options_pb.ts";
import { type DiscoveryResponse, DiscoveryResponseSchema } from "./gen/envoy/service/discovery/v3/discovery_pb.ts";
import { createRegistry, type JsonObject, type JsonValue, toJson } from "./protobuf.ts";

/** The messages that are packed as `Any`. */
const registry = createRegistry(
  ClusterConfigSchema,
  CompositeSchema,
  ConnectionLimitSchema,
  CookieBasedSessionStateSchema,
  CorsPolicySchema,
  CorsSchema,
  DownstreamConnectionsConfigSchema,
  DownstreamTlsContextSchema,
  EarlyHeaderMutationSchema,
  ExecuteFilterActionSchema,
  ExtAuthzSchema,
  ExtensionWithMatcherPerRouteSchema,
  ExtensionWithMatcherSchema,
  FixedHeapConfigSchema,
  HTTPFaultSchema,
  HeaderBasedSessionStateSchema,
  HeaderMutationSchema,
  HttpConnectionManagerSchema,
  HttpProtocolOptionsSchema,
  InternalListenerSchema,
  InternalUpstreamTransportSchema,
  PreviousHostsPredicateSchema,
  RawBufferSchema,
  RouterSchema,
  SecretSchema,
  ScaleTimersOverloadActionConfigSchema,
  SinkConfigSchema,
  SinkConfig_ConversionActionSchema,
  SinkConfig_DropActionSchema,
  StatFullNameMatchInputSchema,
  StatefulSessionPerRouteSchema,
  StatefulSessionSchema,
  StatsAccessLogSchema,
  StdoutAccessLogSchema,
  TcpProxySchema,
  TlsInspectorSchema,
  UdpProxyConfigSchema,
  UdpRouteSchema,
  UpstreamCodecSchema,
  UpstreamTlsContextSchema,
);

/** Resources in a file. */
export const responseJson = (response: DiscoveryResponse): JsonObject =>
  inReadingOrder(toJson(DiscoveryResponseSchema, response, { registry, useProtoFieldName: true }));

export const bootstrapJson = (bootstrap: Bootstrap): JsonObject =>
  inReadingOrder(toJson(BootstrapSchema, bootstrap, { registry, useProtoFieldName: true }));

/** Puts `@type` and `name` first. */
function inReadingOrder(value: JsonValue): JsonObject {
  if (!isObject(value)) throw new Error("a message is an object");
  const { "@type": type, ...rest } = value;
  const entries = Object.entries(rest).map(([key, inner]) => [key, ordered(inner)] as const);
  return Object.fromEntries(type === undefined ? entries : [["@type", type], ...entries]);
}

function ordered(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(ordered);
  return isObject(value) ? inReadingOrder(value) : value;
}

const isObject = (value: JsonValue): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
