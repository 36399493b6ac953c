/**
 * The part of Envoy's API that Prevail uses: messages, each with its fields. `generate-xds-types.mjs` generates TypeScript for exactly these and
 * fails if a field needs a message that is not listed. Services are not generated: a service is a path and two messages (src/xds/serve).
 */
const core = "envoy.config.core.v3";
const route = "envoy.config.route.v3";
const listener = "envoy.config.listener.v3";
const cluster = "envoy.config.cluster.v3";
const endpoint = "envoy.config.endpoint.v3";
const bootstrap = "envoy.config.bootstrap.v3";
const manager = "envoy.extensions.filters.network.http_connection_manager.v3";
const tcpProxy = "envoy.extensions.filters.network.tcp_proxy.v3";
const udpProxy = "envoy.extensions.filters.udp.udp_proxy.v3";
const auth = "envoy.extensions.filters.http.ext_authz.v3";
const tls = "envoy.extensions.transport_sockets.tls.v3";
const discovery = "envoy.service.discovery.v3";

/** The fields of each message, separated by spaces. */
export const xdsMessages = {
  // Discovery requests and responses.
  [`${discovery}.DiscoveryRequest`]: "version_info node resource_names type_url response_nonce error_detail",
  [`${discovery}.DiscoveryResponse`]: "version_info resources type_url nonce",
  [`${discovery}.DeltaDiscoveryRequest`]:
    "node type_url resource_names_subscribe resource_names_unsubscribe initial_resource_versions response_nonce error_detail",
  [`${discovery}.DeltaDiscoveryResponse`]: "system_version_info resources type_url removed_resources nonce",
  [`${discovery}.Resource`]: "name version resource",
  [`${core}.Node`]: "id cluster user_agent_name",
  "google.rpc.Status": "code message",

  // Listeners.
  [`${listener}.Listener`]:
    "name address filter_chains listener_filters listener_filters_timeout per_connection_buffer_limit_bytes enable_reuse_port " +
    "internal_listener udp_listener_config",
  [`${listener}.Listener.InternalListenerConfig`]: "",
  [`${listener}.FilterChain`]: "filter_chain_match filters transport_socket transport_socket_connect_timeout name",
  [`${listener}.FilterChainMatch`]: "server_names",
  [`${listener}.Filter`]: "name typed_config",
  [`${listener}.ListenerFilter`]: "name typed_config",
  [`${listener}.UdpListenerConfig`]: "",
  "envoy.extensions.filters.listener.tls_inspector.v3.TlsInspector": "",
  "envoy.extensions.filters.network.connection_limit.v3.ConnectionLimit": "stat_prefix max_connections",
  [`${tcpProxy}.TcpProxy`]: "stat_prefix cluster weighted_clusters idle_timeout access_log max_connect_attempts",
  [`${tcpProxy}.TcpProxy.WeightedCluster`]: "clusters",
  [`${tcpProxy}.TcpProxy.WeightedCluster.ClusterWeight`]: "name weight",
  [`${udpProxy}.UdpProxyConfig`]: "stat_prefix matcher idle_timeout",
  [`${udpProxy}.Route`]: "cluster",
  "xds.type.matcher.v3.Matcher": "matcher_list on_no_match",
  "xds.type.matcher.v3.Matcher.MatcherList": "matchers",
  "xds.type.matcher.v3.Matcher.MatcherList.FieldMatcher": "predicate on_match",
  "xds.type.matcher.v3.Matcher.MatcherList.Predicate": "single_predicate",
  "xds.type.matcher.v3.Matcher.MatcherList.Predicate.SinglePredicate": "input value_match",
  "xds.type.matcher.v3.StringMatcher": "exact prefix",
  "xds.type.matcher.v3.Matcher.OnMatch": "action",
  "xds.core.v3.TypedExtensionConfig": "name typed_config",
  [`${manager}.HttpConnectionManager`]:
    "stat_prefix rds route_config scoped_routes http_filters common_http_protocol_options server_header_transformation max_request_headers_kb " +
    "stream_idle_timeout request_headers_timeout use_remote_address xff_num_trusted_hops skip_xff_append early_header_mutation_extensions generate_request_id upgrade_configs normalize_path " +
    "merge_slashes path_with_escaped_slashes_action local_reply_config access_log strip_trailing_host_dot request_timeout " +
    "http_protocol_options http2_protocol_options",
  [`${manager}.HttpConnectionManager.UpgradeConfig`]: "upgrade_type",
  [`${manager}.Rds`]: "config_source route_config_name",
  [`${manager}.ScopedRoutes`]: "name scope_key_builder rds_config_source scoped_rds",
  [`${manager}.ScopedRoutes.ScopeKeyBuilder`]: "fragments",
  [`${manager}.ScopedRoutes.ScopeKeyBuilder.FragmentBuilder`]: "header_value_extractor",
  [`${manager}.ScopedRoutes.ScopeKeyBuilder.FragmentBuilder.HeaderValueExtractor`]: "name element_separator index",
  [`${manager}.ScopedRds`]: "scoped_rds_config_source srds_resources_locator",
  [`${manager}.HttpFilter`]: "name typed_config disabled",
  [`${manager}.LocalReplyConfig`]: "mappers",
  [`${manager}.ResponseMapper`]: "filter status_code body_format_override",
  "envoy.config.accesslog.v3.AccessLog": "name typed_config",
  "envoy.extensions.access_loggers.stream.v3.StdoutAccessLog": "log_format",
  "envoy.config.accesslog.v3.AccessLogFilter": "response_flag_filter",
  "envoy.config.accesslog.v3.ResponseFlagFilter": "flags",
  "envoy.extensions.filters.http.router.v3.Router": "suppress_envoy_headers",
  "envoy.extensions.http.early_header_mutation.header_mutation.v3.HeaderMutation": "mutations",
  "envoy.extensions.filters.http.header_mutation.v3.HeaderMutation": "mutations",
  "envoy.extensions.filters.http.header_mutation.v3.Mutations": "request_mutations response_mutations",
  "envoy.config.common.mutation_rules.v3.HeaderMutation": "remove append remove_on_match",
  "envoy.config.common.mutation_rules.v3.HeaderMutation.RemoveOnMatch": "key_matcher",
  "envoy.extensions.filters.http.upstream_codec.v3.UpstreamCodec": "",
  "envoy.extensions.filters.http.lua.v3.Lua": "default_source_code clear_route_cache",
  "envoy.extensions.filters.http.cors.v3.Cors": "",
  "envoy.extensions.filters.http.cors.v3.CorsPolicy":
    "allow_origin_string_match allow_methods allow_headers expose_headers max_age allow_credentials forward_not_matching_preflights",
  "envoy.extensions.common.matching.v3.ExtensionWithMatcher": "extension_config xds_matcher",
  "envoy.extensions.common.matching.v3.ExtensionWithMatcherPerRoute": "xds_matcher",
  "envoy.extensions.filters.http.composite.v3.Composite": "",
  "envoy.extensions.filters.http.composite.v3.ExecuteFilterAction": "typed_config",
  [`${auth}.ExtAuthz`]:
    "grpc_service http_service transport_api_version with_request_body allowed_headers decoder_header_mutation_rules",
  [`${auth}.BufferSettings`]: "max_request_bytes allow_partial_message pack_as_bytes",
  [`${auth}.HttpService`]: "server_uri path_prefix authorization_response",
  [`${auth}.AuthorizationResponse`]: "allowed_upstream_headers",
  "envoy.config.common.mutation_rules.v3.HeaderMutationRules": "disallow_expression disallow_system",
  "envoy.type.matcher.v3.ListStringMatcher": "patterns",
  [`${core}.HttpUri`]: "uri cluster timeout",
  [`${core}.Metadata`]: "filter_metadata",
  "envoy.extensions.filters.http.fault.v3.HTTPFault": "delay",
  "envoy.extensions.filters.http.stateful_session.v3.StatefulSession": "session_state",
  "envoy.extensions.filters.http.stateful_session.v3.StatefulSessionPerRoute": "stateful_session",
  "envoy.extensions.http.stateful_session.cookie.v3.CookieBasedSessionState": "cookie",
  "envoy.extensions.http.stateful_session.header.v3.HeaderBasedSessionState": "name",
  "envoy.type.http.v3.Cookie": "name ttl path",
  "envoy.extensions.filters.common.fault.v3.FaultDelay": "fixed_delay percentage",

  // Routes.
  [`${route}.RouteConfiguration`]: "name virtual_hosts vhds ignore_port_in_host_matching typed_per_filter_config",
  [`${route}.FilterConfig`]: "disabled",
  [`${route}.ScopedRouteConfiguration`]: "name route_configuration_name key",
  [`${route}.ScopedRouteConfiguration.Key`]: "fragments",
  [`${route}.ScopedRouteConfiguration.Key.Fragment`]: "string_key",
  [`${route}.Vhds`]: "config_source",
  [`${route}.VirtualHost`]: "name domains routes",
  [`${route}.Route`]:
    "name match route redirect direct_response metadata typed_per_filter_config request_headers_to_add request_headers_to_remove " +
    "response_headers_to_add response_headers_to_remove request_body_buffer_limit",
  [`${route}.RouteMatch`]: "prefix path safe_regex path_separated_prefix runtime_fraction headers query_parameters",
  [`${route}.HeaderMatcher`]: "name string_match present_match",
  [`${route}.QueryParameterMatcher`]: "name string_match",
  [`${route}.RouteAction`]: "cluster regex_rewrite host_rewrite_literal timeout retry_policy request_mirror_policies",
  [`${route}.RouteAction.RequestMirrorPolicy`]: "cluster runtime_fraction disable_shadow_host_suffix_append",
  [`${route}.RetryPolicy`]:
    "retry_on num_retries per_try_timeout retriable_status_codes retry_back_off retriable_headers retry_host_predicate host_selection_retry_max_attempts",
  [`${route}.RetryPolicy.RetryHostPredicate`]: "name typed_config",
  "envoy.extensions.retry.host.previous_hosts.v3.PreviousHostsPredicate": "",
  [`${route}.RetryPolicy.RetryBackOff`]: "base_interval max_interval",
  [`${route}.RedirectAction`]: "scheme_redirect host_redirect port_redirect path_redirect regex_rewrite response_code",
  [`${route}.DirectResponseAction`]: "status body",

  // Clusters and their endpoints.
  [`${cluster}.Cluster`]:
    "name type cluster_type eds_cluster_config connect_timeout lb_policy load_assignment circuit_breakers " +
    "typed_extension_protocol_options transport_socket common_lb_config outlier_detection per_connection_buffer_limit_bytes",
  [`${cluster}.OutlierDetection`]:
    "consecutive_5xx interval base_ejection_time max_ejection_percent enforcing_consecutive_5xx enforcing_success_rate " +
    "consecutive_gateway_failure enforcing_consecutive_gateway_failure enforcing_failure_percentage max_ejection_time",
  [`${cluster}.Cluster.CommonLbConfig`]: "locality_weighted_lb_config",
  [`${cluster}.Cluster.CommonLbConfig.LocalityWeightedLbConfig`]: "",
  [`${cluster}.Cluster.CustomClusterType`]: "name typed_config",
  [`${cluster}.Cluster.EdsClusterConfig`]: "eds_config service_name",
  [`${cluster}.CircuitBreakers`]: "thresholds per_host_thresholds",
  [`${cluster}.CircuitBreakers.Thresholds`]:
    "max_connections max_pending_requests max_requests max_retries retry_budget",
  [`${cluster}.CircuitBreakers.Thresholds.RetryBudget`]: "budget_percent budget_interval min_retry_concurrency",
  "envoy.extensions.clusters.composite.v3.ClusterConfig": "clusters",
  "envoy.extensions.clusters.composite.v3.ClusterConfig.ClusterEntry": "name",
  "envoy.extensions.upstreams.http.v3.HttpProtocolOptions":
    "common_http_protocol_options explicit_http_config http_filters outlier_detection",
  "envoy.extensions.upstreams.http.v3.HttpProtocolOptions.OutlierDetection": "error_matcher",
  "envoy.config.common.matcher.v3.MatchPredicate": "not_match any_match",
  "envoy.extensions.upstreams.http.v3.HttpProtocolOptions.ExplicitHttpConfig":
    "http_protocol_options http2_protocol_options",
  [`${endpoint}.ClusterLoadAssignment`]: "cluster_name endpoints",
  [`${endpoint}.LocalityLbEndpoints`]: "locality lb_endpoints load_balancing_weight",
  [`${core}.Locality`]: "zone",
  [`${endpoint}.LbEndpoint`]: "endpoint",
  [`${endpoint}.Endpoint`]: "address",
  "envoy.extensions.transport_sockets.internal_upstream.v3.InternalUpstreamTransport": "transport_socket",
  "envoy.extensions.transport_sockets.raw_buffer.v3.RawBuffer": "",

  // TLS.
  [`${tls}.Secret`]: "name tls_certificate validation_context",
  [`${tls}.TlsCertificate`]: "certificate_chain private_key watched_directory",
  [`${tls}.CertificateValidationContext`]:
    "trusted_ca match_typed_subject_alt_names trust_chain_verification watched_directory",
  [`${tls}.SubjectAltNameMatcher`]: "san_type matcher",
  [`${tls}.SdsSecretConfig`]: "name sds_config",
  [`${tls}.CommonTlsContext`]:
    "alpn_protocols tls_certificate_sds_secret_configs tls_certificates validation_context combined_validation_context",
  [`${tls}.CommonTlsContext.CombinedCertificateValidationContext`]:
    "default_validation_context validation_context_sds_secret_config",
  [`${tls}.DownstreamTlsContext`]: "common_tls_context require_client_certificate",
  [`${tls}.UpstreamTlsContext`]: "common_tls_context sni",

  // Counters of requests, and how they are sent.
  "envoy.extensions.access_loggers.stats.v3.Config": "stats_scope counters",
  "envoy.extensions.access_loggers.stats.v3.Config.Counter": "stat value_fixed",
  "envoy.extensions.access_loggers.stats.v3.Config.Stat": "name tags",
  "envoy.extensions.access_loggers.stats.v3.Config.Tag": "name value_format",
  "envoy.type.v3.Scope": "prefix max_counters enable_eviction",
  "envoy.extensions.stat_sinks.open_telemetry.v3.SinkConfig":
    "grpc_service report_counters_as_deltas use_tag_extracted_name custom_metric_conversions max_data_points_per_request",
  "envoy.extensions.stat_sinks.open_telemetry.v3.SinkConfig.ConversionAction": "metric_name static_metric_labels",
  "envoy.extensions.stat_sinks.open_telemetry.v3.SinkConfig.DropAction": "",
  "envoy.extensions.matching.common_inputs.stats.v3.StatFullNameMatchInput": "",
  "opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest": "resource_metrics",
  "opentelemetry.proto.metrics.v1.ResourceMetrics": "scope_metrics",
  "opentelemetry.proto.metrics.v1.ScopeMetrics": "metrics",
  "opentelemetry.proto.metrics.v1.Metric": "name sum gauge",
  "opentelemetry.proto.metrics.v1.Sum": "data_points",
  "opentelemetry.proto.metrics.v1.Gauge": "data_points",
  "opentelemetry.proto.metrics.v1.NumberDataPoint": "attributes as_int as_double",
  "opentelemetry.proto.common.v1.KeyValue": "key value",
  "opentelemetry.proto.common.v1.AnyValue": "string_value",

  // Messages that several of the above use.
  [`${core}.Address`]: "socket_address pipe envoy_internal_address",
  [`${core}.SocketAddress`]: "protocol address port_value ipv4_compat",
  [`${core}.Pipe`]: "path",
  [`${core}.EnvoyInternalAddress`]: "server_listener_name endpoint_id",
  [`${core}.ConfigSource`]: "ads api_config_source path_config_source initial_fetch_timeout resource_api_version",
  [`${core}.PathConfigSource`]: "path",
  [`${core}.WatchedDirectory`]: "path",
  [`${core}.AggregatedConfigSource`]: "",
  [`${core}.ApiConfigSource`]: "api_type transport_api_version grpc_services set_node_on_first_message_only",
  [`${core}.GrpcService`]: "envoy_grpc timeout",
  [`${core}.GrpcService.EnvoyGrpc`]: "cluster_name authority",
  [`${core}.TransportSocket`]: "name typed_config",
  [`${core}.HeaderValue`]: "key value",
  [`${core}.HeaderValueOption`]: "header append_action keep_empty_value",
  [`${core}.DataSource`]: "filename inline_string",
  [`${core}.RuntimeFractionalPercent`]: "default_value",
  [`${core}.SubstitutionFormatString`]: "text_format_source json_format",
  [`${core}.HttpProtocolOptions`]:
    "idle_timeout max_headers_count max_stream_duration headers_with_underscores_action max_requests_per_connection",
  [`${core}.Http1ProtocolOptions`]: "accept_http_10",
  [`${core}.Http2ProtocolOptions`]:
    "connection_keepalive max_concurrent_streams initial_stream_window_size initial_connection_window_size " +
    "override_stream_error_on_invalid_http_message",
  [`${core}.KeepaliveSettings`]: "interval timeout",
  "envoy.type.v3.FractionalPercent": "numerator denominator",
  "envoy.type.v3.Percent": "value",
  "envoy.type.matcher.v3.StringMatcher": "exact prefix suffix contains safe_regex ignore_case",
  "envoy.type.matcher.v3.RegexMatcher": "regex",
  "envoy.type.matcher.v3.RegexMatchAndSubstitute": "pattern substitution",

  // The bootstrap configuration.
  [`${bootstrap}.Bootstrap`]:
    "node static_resources dynamic_resources admin bootstrap_extensions overload_manager stats_sinks stats_flush_interval stats_eviction_interval",
  "envoy.config.metrics.v3.StatsSink": "name typed_config",
  "envoy.config.overload.v3.OverloadManager": "refresh_interval resource_monitors actions buffer_factory_config",
  "envoy.config.overload.v3.ResourceMonitor": "name typed_config",
  "envoy.config.overload.v3.OverloadAction": "name triggers typed_config",
  "envoy.config.overload.v3.Trigger": "name threshold scaled",
  "envoy.config.overload.v3.ThresholdTrigger": "value",
  "envoy.config.overload.v3.ScaledTrigger": "scaling_threshold saturation_threshold",
  "envoy.config.overload.v3.ScaleTimersOverloadActionConfig": "timer_scale_factors",
  "envoy.config.overload.v3.ScaleTimersOverloadActionConfig.ScaleTimer": "timer min_timeout",
  "envoy.config.overload.v3.BufferFactoryConfig": "minimum_account_to_track_power_of_two",
  "envoy.extensions.resource_monitors.fixed_heap.v3.FixedHeapConfig": "max_heap_size_bytes",
  "envoy.extensions.resource_monitors.downstream_connections.v3.DownstreamConnectionsConfig":
    "max_active_downstream_connections",
  [`${bootstrap}.Bootstrap.StaticResources`]: "listeners clusters secrets",
  [`${bootstrap}.Bootstrap.DynamicResources`]: "lds_config cds_config ads_config",
  [`${bootstrap}.Admin`]: "address",
  [`${core}.TypedExtensionConfig`]: "name typed_config",
  "envoy.extensions.bootstrap.internal_listener.v3.InternalListener": "",
};

/** The files that define these messages. Their imports are read, too. */
export const xdsFiles = [
  "envoy/config/bootstrap/v3/bootstrap.proto",
  "envoy/config/route/v3/scoped_route.proto",
  "envoy/extensions/access_loggers/stats/v3/stats.proto",
  "envoy/extensions/access_loggers/stream/v3/stream.proto",
  "envoy/extensions/bootstrap/internal_listener/v3/internal_listener.proto",
  "envoy/extensions/clusters/composite/v3/cluster.proto",
  "envoy/extensions/common/matching/v3/extension_matcher.proto",
  "envoy/extensions/filters/http/composite/v3/composite.proto",
  "envoy/extensions/filters/http/cors/v3/cors.proto",
  "envoy/extensions/filters/http/ext_authz/v3/ext_authz.proto",
  "envoy/extensions/filters/http/fault/v3/fault.proto",
  "envoy/extensions/filters/http/header_mutation/v3/header_mutation.proto",
  "envoy/extensions/filters/http/lua/v3/lua.proto",
  "envoy/extensions/filters/http/router/v3/router.proto",
  "envoy/extensions/filters/http/stateful_session/v3/stateful_session.proto",
  "envoy/extensions/filters/http/upstream_codec/v3/upstream_codec.proto",
  "envoy/extensions/filters/listener/tls_inspector/v3/tls_inspector.proto",
  "envoy/extensions/filters/network/connection_limit/v3/connection_limit.proto",
  "envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager.proto",
  "envoy/extensions/filters/network/tcp_proxy/v3/tcp_proxy.proto",
  "envoy/extensions/filters/udp/udp_proxy/v3/route.proto",
  "envoy/extensions/filters/udp/udp_proxy/v3/udp_proxy.proto",
  "envoy/extensions/http/early_header_mutation/header_mutation/v3/header_mutation.proto",
  "envoy/extensions/http/stateful_session/cookie/v3/cookie.proto",
  "envoy/extensions/http/stateful_session/header/v3/header.proto",
  "envoy/extensions/matching/common_inputs/stats/v3/stats.proto",
  "envoy/extensions/resource_monitors/downstream_connections/v3/downstream_connections.proto",
  "envoy/extensions/resource_monitors/fixed_heap/v3/fixed_heap.proto",
  "envoy/extensions/retry/host/previous_hosts/v3/previous_hosts.proto",
  "envoy/extensions/stat_sinks/open_telemetry/v3/open_telemetry.proto",
  "envoy/extensions/transport_sockets/internal_upstream/v3/internal_upstream.proto",
  "envoy/extensions/transport_sockets/raw_buffer/v3/raw_buffer.proto",
  "envoy/extensions/transport_sockets/tls/v3/tls.proto",
  "envoy/extensions/upstreams/http/v3/http_protocol_options.proto",
  "envoy/service/discovery/v3/discovery.proto",
  "opentelemetry/proto/collector/metrics/v1/metrics_service.proto",
];
