/**
 * Compiles virtual hosts. Envoy uses only the most specific virtual host, even if none of its routes matches. So each virtual host contains
 * the routes of the less specific hostnames too, after its own. Each belongs to the most specific listener (listener isolation).
 */
import type {
  ConfigProblem,
  ListenerConfig,
  RouteConfig,
  VirtualHostConfig,
} from "../../../core/dataplane/gateway-config.ts";
import {
  type Route,
  RouteSchema,
  type VirtualHost,
  VirtualHostSchema,
} from "../../gen/envoy/config/route/v3/route_components_pb.ts";
import { create } from "../../protobuf.ts";
import { canSearch } from "../http-filters/compile-host-filters.ts";
import { type RouteConfigName, virtualHostName } from "../resource-names.ts";
import { EVERYTHING, isCatchAll } from "./compile-match.ts";
import type { ClusterUse, EnvoyRoute } from "./compile-route.ts";

export interface CompiledHost {
  readonly host: VirtualHost;
  readonly uses: readonly ClusterUse[];
  readonly problems: readonly ConfigProblem[];
}

export interface CompiledHosts {
  readonly hosts: readonly CompiledHost[];
  /** The wildcard hostnames, if requests for hosts that only they match get more than a 404. */
  readonly wildcards: readonly string[];
  /** True if each host can have a scope: the filters that search for wildcards need no filters of routes. */
  readonly canHaveScopes: boolean;
}

export interface VirtualHostCompiler {
  /**
   * The domains of the listeners of a port, each once. Unchanged hosts stay the same object. `others`: listeners of the port that other
   * connections are for. Requests for their hosts get a 421.
   */
  readonly compile: (listeners: readonly ListenerConfig[], others?: readonly ListenerConfig[]) => CompiledHosts;
}

const EVERY_HOST = "*";

/** Compiles the route configuration of that name. */
export function createVirtualHostCompiler(
  name: RouteConfigName,
  compileRoute: (route: RouteConfig) => EnvoyRoute,
): VirtualHostCompiler {
  let last: CompiledListeners | undefined;
  const compile: CompileHost = (domain, from) =>
    from === MISDIRECTED ? misdirectedHost(name, domain) : compileHost(name, domain, from, compileRoute);
  return {
    compile: (listeners, others = []) => {
      const foreign = foreignHostnames(listeners, others);
      const isPatchable = last !== undefined && sameItems(last.foreign, foreign);
      const patched = isPatchable && last !== undefined ? patchHosts(last, listeners, compile) : undefined;
      last = patched ?? compileAll({ listeners, foreign }, last, compile);
      return last;
    },
  };
}

/** The last result and its inputs. */
interface CompiledListeners extends CompiledHosts {
  readonly listeners: readonly ListenerConfig[];
  readonly indexed: readonly IndexedListener[];
  /** The hostnames of listeners that other connections are for. */
  readonly foreign: readonly string[];
  /** By domain: its index in `hosts`, and the hosts that it was compiled from. Updated as hosts change. */
  readonly indexes: Map<string, { readonly at: number; readonly from: readonly VirtualHostConfig[] }>;
}

type CompileHost = (domain: string, from: readonly VirtualHostConfig[]) => CompiledHost;

/** Stands for the hosts of a domain whose requests belong to another connection. */
const MISDIRECTED: readonly VirtualHostConfig[] = [];

function compileAll(
  { listeners, foreign }: Pick<CompiledListeners, "listeners" | "foreign">,
  last: CompiledListeners | undefined,
  compile: CompileHost,
): CompiledListeners {
  const indexed = listeners.map(indexListener);
  const hosts: CompiledHost[] = [];
  const indexes = new Map<string, { readonly at: number; readonly from: readonly VirtualHostConfig[] }>();
  for (const domain of new Set([...domainsOf(listeners), ...foreign])) {
    const listener = indexed.find(({ hostname }) => covers(hostname, domain));
    const from = isForeign(domain, listener, foreign)
      ? MISDIRECTED
      : listener === undefined
        ? []
        : hostsFor(domain, listener);
    const before = last?.indexes.get(domain);
    const isSame = before !== undefined && isMisdirected(before.from) === isMisdirected(from);
    const kept = isSame && sameItems(before.from, from) ? last?.hosts[before.at] : undefined;
    indexes.set(domain, { at: hosts.length, from });
    const compiled = kept ?? compile(domain, from);
    hosts.push(compiled);
  }
  return { listeners, indexed, foreign, hosts, indexes, ...wildcardsIn(hosts) };
}

function wildcardsIn(hosts: readonly CompiledHost[]): Pick<CompiledHosts, "wildcards" | "canHaveScopes"> {
  const found = hosts.map(({ host }) => host).filter((host) => !isExactHost(host));
  if (!found.some(({ routes }) => routes.length > 0)) return { wildcards: [], canHaveScopes: true };
  const wildcards = found.flatMap(({ domains }) => domains);
  const areFiltered = found.some(({ routes }) => routes.some(hasFilters));
  return { wildcards, canHaveScopes: !areFiltered && canSearch(wildcards) };
}

const hasFilters = ({ typedPerFilterConfig }: Route): boolean => Object.keys(typedPerFilterConfig).length > 0;

const isMisdirected = (from: readonly VirtualHostConfig[]): boolean => from === MISDIRECTED;

/** Up to this number of listeners, each has the hostnames of all others; so there are at most four thousand. */
const MOST_COMPARED = 64;

/**
 * The hostnames whose requests get a 421. With many listeners those that overlap with no listener of this connection are left out, or their number would
 * grow with the square: requests for their hosts get a 404.
 */
function foreignHostnames(own: readonly ListenerConfig[], others: readonly ListenerConfig[]): readonly string[] {
  const hostnames = others.map(({ hostname = EVERY_HOST }) => hostname);
  if (others.length <= MOST_COMPARED) return hostnames;
  const mine = own.map(({ hostname = EVERY_HOST }) => hostname);
  return hostnames.filter((one) => mine.some((hostname) => covers(one, hostname) || covers(hostname, one)));
}

/** True if a request for the host on this connection gets a 421, because another listener matches it better ("Misdirected requests"). */
function isForeign(domain: string, own: IndexedListener | undefined, foreign: readonly string[]): boolean {
  return foreign.some((one) => covers(one, domain) && (own === undefined || covers(own.hostname, one)));
}

const misdirectedHost = (name: RouteConfigName, domain: string): CompiledHost => ({
  host: create(VirtualHostSchema, {
    name: virtualHostName(name, domain),
    domains: [domain],
    routes: [MISDIRECTED_ROUTE],
  }),
  uses: [],
  problems: [],
});

const MISDIRECTED_ROUTE = create(RouteSchema, {
  name: "misdirected",
  match: EVERYTHING,
  action: {
    case: "directResponse",
    value: {
      status: 421,
      body: { specifier: { case: "inlineString", value: "the TLS server name belongs to another listener\n" } },
    },
  },
});

/**
 * Updates only the hosts whose routes have changed, so that the cost of a change does not depend on the number of hosts.
 * Undefined: more has changed.
 */
function patchHosts(
  last: CompiledListeners,
  listeners: readonly ListenerConfig[],
  compile: CompileHost,
): CompiledListeners | undefined {
  const changed = changedHosts(last.listeners, listeners);
  if (changed === undefined) return undefined;
  const hosts = [...last.hosts];
  const { indexes } = last;
  for (const { listener, host } of changed) {
    const index = last.indexed[listener];
    const entry = indexes.get(host.hostname);
    if (index === undefined || entry === undefined) return undefined;
    index.exact.set(host.hostname, host);
    // Another listener serves the host.
    if (last.indexed.find(({ hostname }) => covers(hostname, host.hostname)) !== index) continue;
    if (isMisdirected(entry.from)) continue;
    const from = hostsFor(host.hostname, index);
    hosts[entry.at] = compile(host.hostname, from);
    indexes.set(host.hostname, { at: entry.at, from });
  }
  return changed.length === 0 ? last : { ...last, listeners, hosts };
}

/** The exact hosts whose routes have changed, by the index of their listener. Undefined: more has changed. */
function changedHosts(
  before: readonly ListenerConfig[],
  now: readonly ListenerConfig[],
): ReadonlyArray<{ readonly listener: number; readonly host: VirtualHostConfig }> | undefined {
  if (before.length !== now.length) return undefined;
  const changed: { readonly listener: number; readonly host: VirtualHostConfig }[] = [];
  for (const [listener, { hostname, virtualHosts }] of now.entries()) {
    const old = before[listener];
    if (old === undefined || old.hostname !== hostname || old.virtualHosts.length !== virtualHosts.length)
      return undefined;
    if (old.virtualHosts === virtualHosts) continue;
    for (let index = 0; index < virtualHosts.length; index++) {
      const host = virtualHosts[index];
      const was = old.virtualHosts[index];
      if (host === was) continue;
      if (host === undefined || was?.hostname !== host.hostname || host.hostname.startsWith("*")) return undefined;
      changed.push({ listener, host });
    }
  }
  return changed;
}

const sameItems = <T>(a: readonly T[], b: readonly T[]): boolean =>
  a.length === b.length && a.every((item, index) => item === b[index]);

function compileHost(
  name: RouteConfigName,
  domain: string,
  from: readonly VirtualHostConfig[],
  compileRoute: (route: RouteConfig) => EnvoyRoute,
): CompiledHost {
  const compiled = routesOf(from).map(compileRoute);
  return {
    host: create(VirtualHostSchema, {
      // The name of the host as a separate resource.
      name: virtualHostName(name, domain),
      domains: [domain],
      routes: compiled.flatMap(({ routes }) => routes),
    }),
    uses: compiled.flatMap(({ uses }) => uses),
    problems: compiled.flatMap(({ problems }) => problems),
  };
}

/** Includes the hostnames of listeners: a less specific listener must not serve a host of a listener without routes. */
function domainsOf(listeners: readonly ListenerConfig[]): ReadonlySet<string> {
  const domains = new Set<string>();
  for (const { hostname, virtualHosts } of listeners) {
    domains.add(hostname ?? EVERY_HOST);
    for (const host of virtualHosts) domains.add(host.hostname);
  }
  return domains;
}

export const isExactHost = ({ domains }: VirtualHost): boolean => !domains.some((domain) => domain.startsWith("*"));

/** True if a hostname matches every host that the domain matches. */
export function covers(hostname: string, domain: string): boolean {
  if (hostname === EVERY_HOST || hostname === domain) return true;
  return hostname.startsWith("*.") && domain.length > hostname.length - 1 && domain.endsWith(hostname.slice(1));
}

interface IndexedListener {
  readonly hostname: string;
  /** Updated as hosts change. */
  readonly exact: Map<string, VirtualHostConfig>;
  /** The more specific first. Usually there are few. */
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

/** In the order of precedence. */
function hostsFor(domain: string, { exact, wildcards }: IndexedListener): readonly VirtualHostConfig[] {
  const own = exact.get(domain);
  const others = wildcards.filter(({ hostname }) => covers(hostname, domain));
  return own === undefined ? others : [own, ...others];
}

/** Leaves out the routes after one that matches everything. */
function routesOf(hosts: readonly VirtualHostConfig[]): readonly RouteConfig[] {
  const routes: RouteConfig[] = [];
  for (const route of hosts.flatMap((host) => host.routes)) {
    routes.push(route);
    if (isCatchAll(route.match)) break;
  }
  return routes;
}
