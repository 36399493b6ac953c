/** A port of a configuration, ready to route requests. What a change did not touch is not made again. */
import type { ListenerConfig, PortConfig, RouteConfig, VirtualHostConfig } from "../core/dataplane/gateway-config.ts";
import { remember } from "../core/model/collections/remember.ts";
import type { ObjectRef } from "../core/model/refs.ts";
import type { MatchRegex } from "../core/model/regex.ts";
import { buildHostIndex, type HostIndex } from "../core/routing/host-index.ts";
import type { HttpRequest } from "../core/routing/match-request.ts";
import { buildRouteIndex, type RouteIndex } from "../core/routing/route-index.ts";
import type { ServerCertificates } from "./server-certificates.ts";
import type { BackendLookup } from "./serving-context.ts";

export interface ServedPort {
  readonly gateway: ObjectRef;
  readonly config: PortConfig;
  readonly listeners: HostIndex<ListenerConfig>;
  readonly routes: RouteLookup;
  readonly lookup: BackendLookup;
  /** Undefined: plain text. */
  readonly certificates: ServerCertificates | undefined;
}

/** Indexes of virtual hosts and listeners by identity: as long as a part is the same object, its index is. */
export interface RouteLookup {
  readonly find: (listener: ListenerConfig, request: HttpRequest) => RouteConfig | undefined;
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
  };
}

/** Listeners of a port have hostnames of their own; the most specific one that takes a host takes all its requests. */
export const findListener = ({ listeners }: ServedPort, host: string): ListenerConfig | undefined =>
  listeners.find(host, (listener) => listener);
