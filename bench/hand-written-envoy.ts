/** Configurations of Envoy as people write them, to compare ours with. */

const HCM = "type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager";
const ROUTER = {
  name: "envoy.filters.http.router",
  typed_config: { "@type": "type.googleapis.com/envoy.extensions.filters.http.router.v3.Router" },
};

const address = (port: number): object => ({ socket_address: { address: "127.0.0.1", port_value: port } });

const listenerAt = (port: number, virtualHosts: readonly object[]): object => ({
  name: "http",
  address: address(port),
  filter_chains: [
    {
      filters: [
        {
          name: "envoy.filters.network.http_connection_manager",
          typed_config: {
            "@type": HCM,
            stat_prefix: "http",
            route_config: { name: "routes", virtual_hosts: virtualHosts },
            http_filters: [ROUTER],
          },
        },
      ],
    },
  ],
});

/** A backend that answers everything at once. */
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
}

const RETRIES = {
  retry_on: "connect-failure,refused-stream,reset,retriable-status-codes",
  num_retries: 2,
  retriable_status_codes: [502, 503],
};

export const handWrittenBootstrap = ({ port, adminPort, backendPort, routes }: HandWritten): object => ({
  admin: { address: address(adminPort) },
  static_resources: {
    listeners: [
      listenerAt(
        port,
        Array.from({ length: routes }, (_, index) => ({
          name: `host-${index}`,
          domains: [`host-${index}.example`],
          routes: [
            {
              match: { prefix: "/" },
              route: { cluster: `service-${index}`, timeout: "0s", retry_policy: RETRIES },
              response_headers_to_add: [
                { header: { key: "x-version", value: "0" }, append_action: "OVERWRITE_IF_EXISTS_OR_ADD" },
              ],
            },
          ],
        })),
      ),
    ],
    clusters: Array.from({ length: routes }, (_, index) => ({
      name: `service-${index}`,
      type: "STATIC",
      load_assignment: {
        cluster_name: `service-${index}`,
        endpoints: [{ lb_endpoints: [{ endpoint: { address: address(backendPort) } }] }],
      },
    })),
  },
});
