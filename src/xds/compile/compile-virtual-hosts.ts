/**
 * Virtual hosts of Envoy do not fall through: the most specific one takes a request, whether one of its routes matches or not. So each holds
 * the routes of the less specific hostnames as well, after its own. And each belongs to one listener, the most specific (listener isolation).
 */
import type {
  ConfigProblem,
  ListenerConfig,
  RouteConfig,
  VirtualHostConfig,
} from "../../core/dataplane/gateway-config.ts";
import { type VirtualHost, VirtualHostSchema } from "../gen/envoy/config/route/v3/route_components_pb.ts";
import { create } from "../protobuf.ts";
import { isCatchAll } from "./compile-match.ts";
import type { ClusterUse, CompiledRoute } from "./compile-route.ts";
import { type RouteConfigName, virtualHostName } from "./resource-names.ts";

export interface CompiledHost {
  readonly host: VirtualHost;
  readonly uses: readonly ClusterUse[];
  readonly problems: readonly ConfigProblem[];
}

export interface VirtualHostCompiler {
  /** Of listeners that share a port: all domains, each once. What has not changed since the last time is the same object. */
  readonly compile: (listeners: readonly ListenerConfig[]) => readonly CompiledHost[];
}

const EVERY_HOST = "*";

/** Of the route configuration of that name. */
export function createVirtualHostCompiler(
  name: RouteConfigName,
  compileRoute: (route: RouteConfig) => CompiledRoute,
): VirtualHostCompiler {
  /** By domain, with what it was made of. */
  let known = new Map<string, { readonly from: readonly VirtualHostConfig[]; readonly compiled: CompiledHost }>();
  return {
    compile: (listeners) => {
      const indexed = listeners.map(indexListener);
      const next: typeof known = new Map();
      for (const domain of domainsOf(listeners)) {
        const listener = indexed.find(({ hostname }) => covers(hostname, domain));
        const from = listener === undefined ? [] : hostsFor(domain, listener);
        const before = known.get(domain);
        const isSame = before !== undefined && sameItems(before.from, from);
        next.set(domain, isSame ? before : { from, compiled: compileHost(name, domain, from, compileRoute) });
      }
      known = next;
      return Array.from(next.values(), ({ compiled }) => compiled);
    },
  };
}

const sameItems = <T>(a: readonly T[], b: readonly T[]): boolean =>
  a.length === b.length && a.every((item, index) => item === b[index]);

function compileHost(
  name: RouteConfigName,
  domain: string,
  from: readonly VirtualHostConfig[],
  compileRoute: (route: RouteConfig) => CompiledRoute,
): CompiledHost {
  const compiled = routesOf(from).map(compileRoute);
  return {
    host: create(VirtualHostSchema, {
      // As a resource of its own it goes by that name.
      name: virtualHostName(name, domain),
      domains: [domain],
      routes: compiled.flatMap(({ routes }) => routes),
    }),
    uses: compiled.flatMap(({ uses }) => uses),
    problems: compiled.flatMap(({ problems }) => problems),
  };
}

/** Those of listeners too: where one has no routes for a host, a less specific listener must not take it. */
function domainsOf(listeners: readonly ListenerConfig[]): ReadonlySet<string> {
  const domains = new Set<string>();
  for (const { hostname, virtualHosts } of listeners) {
    domains.add(hostname ?? EVERY_HOST);
    for (const host of virtualHosts) domains.add(host.hostname);
  }
  return domains;
}

/** Whether a hostname takes every host that the domain does. */
function covers(hostname: string, domain: string): boolean {
  if (hostname === EVERY_HOST || hostname === domain) return true;
  return hostname.startsWith("*.") && domain.length > hostname.length - 1 && domain.endsWith(hostname.slice(1));
}

interface IndexedListener {
  readonly hostname: string;
  readonly exact: ReadonlyMap<string, VirtualHostConfig>;
  /** The more specific first. There are few, as a rule. */
  readonly wildcards: readonly VirtualHostConfig[];
}

function indexListener({ hostname, virtualHosts }: ListenerConfig): IndexedListener {
  const exact = new Map<string, VirtualHostConfig>();
  const wildcards: VirtualHostConfig[] = [];
  for (const host of virtualHosts) {
    if (host.hostname.startsWith("*")) wildcards.push(host);
    else exact.set(host.hostname, host);
  }
  return { hostname: hostname ?? EVERY_HOST, exact, wildcards };
}

/** In precedence. */
function hostsFor(domain: string, { exact, wildcards }: IndexedListener): readonly VirtualHostConfig[] {
  const own = exact.get(domain);
  const others = wildcards.filter(({ hostname }) => covers(hostname, domain));
  return own === undefined ? others : [own, ...others];
}

/** What comes after a route that takes everything is never asked, and left out. */
function routesOf(hosts: readonly VirtualHostConfig[]): readonly RouteConfig[] {
  const routes: RouteConfig[] = [];
  for (const route of hosts.flatMap((host) => host.routes)) {
    routes.push(route);
    if (isCatchAll(route.match)) break;
  }
  return routes;
}
