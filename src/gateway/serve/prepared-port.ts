/** A port of a configuration, prepared for serving: with its indexes and certificates. */
import type {
  ListenerConfig,
  PortConfig,
  RouteConfig,
  VirtualHostConfig,
} from "../../core/dataplane/gateway-config.ts";
import { isStream } from "../../core/dataplane/is-stream.ts";
import { remember } from "../../core/model/collections/remember.ts";
import type { ObjectRef } from "../../core/model/refs.ts";
import type { MatchRegex } from "../../core/model/regex.ts";
import { buildHostIndex, type HostIndex } from "../../core/routing/host-index.ts";
import type { HttpRequest } from "../../core/routing/match-request.ts";
import { buildRouteIndex, type RouteIndex } from "../../core/routing/route-index.ts";
import type { BackendLookup } from "../upstream/backend-lookup.ts";
import type { ServerCertificates } from "./server-certificates.ts";

export interface PreparedPort {
  readonly gateway: ObjectRef;
  readonly config: PortConfig;
  readonly listeners: HostIndex<ListenerConfig>;
  readonly routes: RouteLookup;
  readonly lookup: BackendLookup;
  /** Undefined: plain text. */
  readonly certificates: ServerCertificates | undefined;
}

/** Caches the indexes of listeners and virtual hosts by identity. An unchanged part of the configuration keeps its index. */
export interface RouteLookup {
  readonly find: (listener: ListenerConfig, request: HttpRequest) => RouteConfig | undefined;
  /** The route of a connection that is not HTTP: the first of the most specific virtual host. */
  readonly findStream: (listener: ListenerConfig, serverName: string) => RouteConfig | undefined;
}

export function createRouteLookup(matchRegex: MatchRegex): RouteLookup {
  const hosts = new WeakMap<ListenerConfig, HostIndex<VirtualHostConfig>>();
  const routes = new WeakMap<VirtualHostConfig, RouteIndex<RouteConfig>>();

  const hostsOf = (listener: ListenerConfig): HostIndex<VirtualHostConfig> =>
    remember(hosts, listener, () => buildHostIndex(listener.virtualHosts));
  const routesOf = (host: VirtualHostConfig): RouteIndex<RouteConfig> =>
    remember(routes, host, () => buildRouteIndex(host.routes, matchRegex));
  return {
    find: (listener, request) => hostsOf(listener).find(request.host, (host) => routesOf(host).find(request)),
    findStream: (listener, serverName) => hostsOf(listener).find(serverName, ({ routes: [first] }) => first),
  };
}

/**
 * Listener isolation
 *
 * All requests and connections for a host go to the listener of the port with the most specific matching hostname, and to no other.
 * Gateway API, "Listener"
 */
export const findListener = ({ listeners }: PreparedPort, host: string): ListenerConfig | undefined =>
  listeners.find(host, (listener) => listener);

/**
 * Misdirected requests
 *
 * On a TLS connection that is for one listener, a request for a host of another listener gets a 421: of those that match the host, the most specific
 * hostname counts. A request for a host that no listener matches gets a 404.
 * Gateway API, "Listener"
 */
export const isMisdirected = (
  port: PreparedPort,
  listener: ListenerConfig | undefined,
  /** Undefined without TLS, empty if the client sent none. */
  serverName: string | undefined,
): boolean =>
  serverName !== undefined &&
  listener !== undefined &&
  // A new configuration may have made it a TLS listener since the connection was opened.
  (isStream(listener) || listener !== findListener(port, serverName.toLowerCase()));
