/** Filter chains that forward connections as they are: of TCP listeners, and of TLS listeners by server name. */
import type { EdgeLimits } from "../../../core/dataplane/edge-limits.ts";
import type { ListenerConfig, PortConfig, RuleConfig } from "../../../core/dataplane/gateway-config.ts";
import { formatRef } from "../../../core/model/refs.ts";
import type { FilterChainSchema, FilterSchema } from "../../gen/envoy/config/listener/v3/listener_components_pb.ts";
import { TcpProxySchema } from "../../gen/envoy/extensions/filters/network/tcp_proxy/v3/tcp_proxy_pb.ts";
import { duration, type Init, pack } from "../../protobuf.ts";
import { type AccessLogging, connectionLogOf } from "../compile-access-log.ts";
import { connectionLimit } from "../connection-limit.ts";
import { covers } from "../routes/compile-virtual-hosts.ts";
import { CLOSED, clusterOf, rulesOf, sharesOf } from "./stream-rules.ts";

type FilterChainInit = Init<typeof FilterChainSchema>;

export interface ChainOptions {
  readonly statPrefix: string;
  readonly logs: AccessLogging;
  readonly limits: EdgeLimits;
}

const limitOf = ({ statPrefix, limits }: ChainOptions): Init<typeof FilterSchema> =>
  connectionLimit(statPrefix, limits);

const EVERY_HOST = "*";

/** The chain of a TCP port, which has one listener. */
export function tcpChain({ port, listeners: [listener] }: PortConfig, options: ChainOptions): FilterChainInit {
  const [first] = listener === undefined ? [] : rulesOf(listener);
  return { filters: [limitOf(options), tcpProxy(port, first?.rule, options)] };
}

/**
 * The chains of a TLS listener. Envoy selects the chain with the most specific server name. A host of a more specific listener belongs to that
 * listener (listener isolation), and a host of this listener that no route matches is closed.
 */
export function serverNameChains(
  listener: ListenerConfig,
  { port, listeners }: PortConfig,
  options: ChainOptions,
): readonly FilterChainInit[] {
  const own = listener.hostname ?? EVERY_HOST;
  const rules = rulesOf(listener).filter(
    ({ hostname }) => listeners.find((one) => covers(one.hostname ?? EVERY_HOST, hostname)) === listener,
  );
  const hosts = new Map<string, RuleConfig | undefined>([[own, undefined]]);
  for (const { hostname, rule } of rules) hosts.set(hostname, rule);
  return [...hosts].map(([hostname, rule]) => ({
    name: `${listener.name} ${hostname}`,
    // A chain without a server name gets all connections that no other chain matches.
    ...(hostname === EVERY_HOST ? {} : { filterChainMatch: { serverNames: [hostname] } }),
    filters: [limitOf(options), tcpProxy(port, rule, options)],
  }));
}

/** If Envoy cannot connect, another endpoint gets the connection. No bytes were sent, so that is always safe. */
function tcpProxy(
  port: number,
  rule: RuleConfig | undefined,
  { statPrefix, logs, limits }: ChainOptions,
): Init<typeof FilterSchema> {
  const shares = rule === undefined ? [] : sharesOf(rule);
  const [only] = shares;
  const proxy = pack(TcpProxySchema, {
    statPrefix,
    clusterSpecifier:
      shares.length > 1
        ? {
            case: "weightedClusters",
            value: { clusters: shares.map((share) => ({ name: clusterOf(share), weight: share.weight })) },
          }
        : { case: "cluster", value: only === undefined ? CLOSED : clusterOf(only) },
    idleTimeout: duration(limits.streamIdleMs),
    maxConnectAttempts: limits.connectAttempts,
    accessLog:
      logs === "Stdout" ? [connectionLogOf(port, rule === undefined ? "" : formatRef(rule.route, rule.rule))] : [],
  });
  return { name: "envoy.filters.network.tcp_proxy", configType: { case: "typedConfig", value: proxy } };
}
