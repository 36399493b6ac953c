/** Gateways with many hosts, for the benches of Envoy. */
import { createRegex } from "../src/adapters/regex/create-regex.ts";
import type { DataplaneConfig, EndpointsId, VirtualHostConfig } from "../src/core/dataplane/gateway-config.ts";
import type { EnvoyCompileOptions } from "../src/xds/compile/compile-gateway.ts";
import {
  backend,
  backendConfig,
  gatewayOf,
  listener,
  retryConfig,
  route,
  rule,
} from "../test/support/gateway/gateway-configs.ts";

const SERVICES = 50;

export const options = (port: number): Omit<EnvoyCompileOptions, "delivery"> => ({
  bind: () => ({ host: "127.0.0.1", port }),
  slackMs: 1,
  systemAuthorities: "/none",
  matchRegex: createRegex(),
});

const RETRY = retryConfig({ backoffMs: 100, codes: [502, 503] });

/** `version` distinguishes the states of a host. */
export const host = (index: number, version = 0): VirtualHostConfig => ({
  hostname: `host-${index}.example`,
  routes: [
    route(
      rule(
        [
          backend(`service-${index % SERVICES}`, {
            retry: RETRY,
            backend: services[index % SERVICES] ?? backendConfig(""),
          }),
        ],
        {
          rule: `rule-${index}`,
          filters: [
            {
              type: "ResponseHeaderModifier",
              remove: [],
              set: [{ name: "x-version", value: String(version) }],
              add: [],
            },
          ],
        },
      ),
    ),
  ],
});

const services = Array.from({ length: SERVICES }, (_, index) => backendConfig(`service-${index}`));

/** A wildcard, for hosts that no other host matches. */
export const WILDCARD: VirtualHostConfig = { ...host(0), hostname: "*.wild.example" };

export function configOf(virtualHosts: readonly VirtualHostConfig[], endpointPort: number): DataplaneConfig {
  const endpoints = new Map<EndpointsId, readonly { readonly address: string; readonly port: number }[]>(
    services.map((service) => [service.endpoints, [{ address: "127.0.0.1", port: endpointPort }]]),
  );
  return {
    gateways: [gatewayOf([{ port: 80, protocol: "HTTP", listeners: [listener({ virtualHosts })] }])],
    backends: new Map(),
    endpoints,
    problems: [],
  };
}
