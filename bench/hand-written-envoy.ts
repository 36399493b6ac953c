/** Envoy configurations as people write them, for comparison with Prevail's. */

const HCM = "type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager";
const ROUTER = {
  name: "envoy.filters.http.router",
  typed_config: { "@type": "type.googleapis.com/envoy.extensions.filters.http.router.v3.Router" },
};

const BUFFER_BYTES = 65_536;

const address = (port: number): object => ({ socket_address: { address: "127.0.0.1", port_value: port } });

const listenerAt = (
  port: number,
  virtualHosts: readonly object[],
  more: object = {},
  before: readonly object[] = [],
): object => ({
  name: "http",
  address: address(port),
  per_connection_buffer_limit_bytes: BUFFER_BYTES,
  filter_chains: [
    {
      filters: [
        ...before,
        {
          name: "envoy.filters.network.http_connection_manager",
          typed_config: {
            "@type": HCM,
            stat_prefix: "http",
            route_config: { name: "routes", virtual_hosts: virtualHosts },
            http_filters: [ROUTER],
            ...more,
          },
        },
      ],
    },
  ],
});

/** A backend that responds to every request at once. */
export const respondingBootstrap = (port: number, adminPort: number): object => ({
  admin: { address: address(adminPort) },
  static_resources: {
    listeners: [
      listenerAt(port, [
        {
          name: "all",
          domains: ["*"],
          routes: [{ match: { prefix: "/" }, direct_response: { status: 200, body: { inline_string: "ok" } } }],
        },
      ]),
    ],
  },
});

export interface HandWritten {
  readonly port: number;
  readonly adminPort: number;
  readonly backendPort: number;
  readonly routes: number;
  /**
   * `Edge`: the settings of Envoy's page on edge proxies, with Prevail's limits. `Identity`: the same, and headers by which backends identify
   * clients are removed, as Prevail does. `None`: only routes and retries.
   */
  readonly care: "Identity" | "Edge" | "None";
}

/** The settings that Envoy recommends for untrusted clients. */
const EDGE = {
  use_remote_address: true,
  normalize_path: true,
  merge_slashes: true,
  path_with_escaped_slashes_action: "REJECT_REQUEST",
  request_headers_timeout: "10s",
  stream_idle_timeout: "300s",
  max_request_headers_kb: 32,
  request_timeout: "300s",
  common_http_protocol_options: { idle_timeout: "60s", max_headers_count: 100, max_requests_per_connection: 10_000 },
  upgrade_configs: [{ upgrade_type: "websocket" }],
  generate_request_id: false,
};

const removeAll = (prefix: string): object => ({ remove_on_match: { key_matcher: { prefix } } });

/** Envoy's own setting (`use_remote_address`) is about X-Forwarded-For and -Proto alone. */
const IDENTITY = {
  early_header_mutation_extensions: [
    {
      name: "envoy.http.early_header_mutation.header_mutation",
      typed_config: {
        "@type": "type.googleapis.com/envoy.extensions.http.early_header_mutation.header_mutation.v3.HeaderMutation",
        mutations: [
          removeAll("x-envoy-"),
          { remove: "forwarded" },
          { remove: "x-real-ip" },
          removeAll("x-forwarded-"),
          { append: { header: { key: "x-forwarded-host", value: "%REQ(:AUTHORITY)%" } } },
        ],
      },
    },
  ],
};

const CONNECTION_LIMIT = {
  name: "envoy.filters.network.connection_limit",
  typed_config: {
    "@type": "type.googleapis.com/envoy.extensions.filters.network.connection_limit.v3.ConnectionLimit",
    stat_prefix: "http",
    max_connections: 10_000,
  },
};

const OVERLOAD = {
  refresh_interval: "0.1s",
  resource_monitors: [
    {
      name: "envoy.resource_monitors.fixed_heap",
      typed_config: {
        "@type": "type.googleapis.com/envoy.extensions.resource_monitors.fixed_heap.v3.FixedHeapConfig",
        max_heap_size_bytes: 1_073_741_824,
      },
    },
  ],
  actions: [
    {
      name: "envoy.overload_actions.stop_accepting_requests",
      triggers: [{ name: "envoy.resource_monitors.fixed_heap", threshold: { value: 0.95 } }],
    },
  ],
};

/** Headers of backends do not prevent retries, and responses do not count for the health of endpoints. */
const EDGE_UPSTREAM = {
  "@type": "type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions",
  explicit_http_config: { http_protocol_options: {} },
  outlier_detection: { error_matcher: { not_match: { any_match: true } } },
  http_filters: [
    {
      name: "envoy.filters.http.header_mutation",
      typed_config: {
        "@type": "type.googleapis.com/envoy.extensions.filters.http.header_mutation.v3.HeaderMutation",
        mutations: { response_mutations: [{ remove: "x-envoy-ratelimited" }] },
      },
    },
    {
      name: "envoy.filters.http.upstream_codec",
      typed_config: { "@type": "type.googleapis.com/envoy.extensions.filters.http.upstream_codec.v3.UpstreamCodec" },
    },
  ],
};

/** The settings of clusters in a careful configuration. */
const EDGE_CLUSTER = {
  typed_extension_protocol_options: { "envoy.extensions.upstreams.http.v3.HttpProtocolOptions": EDGE_UPSTREAM },
  per_connection_buffer_limit_bytes: BUFFER_BYTES,
  outlier_detection: { consecutive_5xx: 3, interval: "1s", base_ejection_time: "10s", max_ejection_percent: 50 },
};

/** The closest equivalent of Prevail's retries in Envoy's own settings. Envoy's backoff is below its base interval, not above it. */
const retries = (retryOn: string): object => ({
  retry_on: retryOn,
  num_retries: 2,
  retriable_status_codes: [502, 503],
  retry_back_off: { base_interval: "0.1s", max_interval: "0.2s" },
  retry_host_predicate: [
    {
      name: "envoy.retry_host_predicates.previous_hosts",
      typed_config: {
        "@type": "type.googleapis.com/envoy.extensions.retry.host.previous_hosts.v3.PreviousHostsPredicate",
      },
    },
  ],
  host_selection_retry_max_attempts: 5,
});

const route = (cluster: string, match: object, retryOn: string): object => ({
  match: { prefix: "/", ...match },
  route: { cluster, timeout: "0s", retry_policy: retries(retryOn) },
  request_body_buffer_limit: 65_536,
  response_headers_to_add: [{ header: { key: "x-version", value: "0" }, append_action: "OVERWRITE_IF_EXISTS_OR_ADD" }],
});

const IDEMPOTENT = {
  headers: [{ name: ":method", string_match: { safe_regex: { regex: "GET|HEAD|OPTIONS|TRACE|PUT|DELETE" } } }],
};
const ALWAYS = "connect-failure,refused-stream,retriable-status-codes";

/** A POST that a backend may have received is not retried, so there are two routes by method, as in Prevail's configuration. */
const routesTo = (cluster: string, care: HandWritten["care"]): readonly object[] =>
  care === "None"
    ? [route(cluster, {}, `${ALWAYS},reset`)]
    : [route(cluster, IDEMPOTENT, `${ALWAYS},reset`), route(cluster, {}, `${ALWAYS},reset-before-request`)];

export const handWrittenBootstrap = ({ port, adminPort, backendPort, routes, care }: HandWritten): object => ({
  admin: { address: address(adminPort) },
  ...(care === "None" ? {} : { overload_manager: OVERLOAD }),
  static_resources: {
    listeners: [
      listenerAt(
        port,
        Array.from({ length: routes }, (_, index) => ({
          name: `host-${index}`,
          domains: [`host-${index}.example`],
          routes: routesTo(`service-${index}`, care),
        })),
        care === "None" ? {} : { ...EDGE, ...(care === "Identity" ? IDENTITY : {}) },
        care === "None" ? [] : [CONNECTION_LIMIT],
      ),
    ],
    clusters: Array.from({ length: routes }, (_, index) => ({
      name: `service-${index}`,
      type: "STATIC",
      ...(care === "None" ? {} : EDGE_CLUSTER),
      circuit_breakers: { thresholds: [{ max_connections: 100_000, max_requests: 100_000, max_retries: 100_000 }] },
      load_assignment: {
        cluster_name: `service-${index}`,
        endpoints: [{ lb_endpoints: [{ endpoint: { address: address(backendPort) } }] }],
      },
    })),
  },
});
