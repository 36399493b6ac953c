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
import { changedRange } from "../../../core/model/collections/changed-range.ts";
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
  /** By domain: its host, and the hosts that it was compiled from. Updated as hosts change. */
  readonly byDomain: Map<string, DomainHost>;
}

interface DomainHost {
  readonly compiled: CompiledHost;
  readonly from: readonly VirtualHostConfig[];
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
  const byDomain = new Map<string, DomainHost>();
  for (const domain of allDomains({ listeners, foreign })) {
    const from = hostsOf(domain, indexed, foreign);
    const found = domainHost(domain, from, last?.byDomain.get(domain), compile);
    byDomain.set(domain, found);
    hosts.push(found.compiled);
  }
  return { listeners, indexed, foreign, hosts, byDomain, ...wildcardsIn(hosts) };
}

/** An unchanged host stays the same object. */
function domainHost(
  domain: string,
  from: readonly VirtualHostConfig[],
  before: DomainHost | undefined,
  compile: CompileHost,
): DomainHost {
  const isSame = before !== undefined && isMisdirected(before.from) === isMisdirected(from);
  return isSame && sameItems(before.from, from) ? before : { compiled: compile(domain, from), from };
}

const allDomains = ({ listeners, foreign }: Pick<CompiledListeners, "listeners" | "foreign">): Iterable<string> =>
  new Set([...domainsOf(listeners), ...foreign]);

/** The hosts whose routes requests for a domain get. */
function hostsOf(
  domain: string,
  indexed: readonly IndexedListener[],
  foreign: readonly string[],
): readonly VirtualHostConfig[] {
  const listener = indexed.find(({ hostname }) => covers(hostname, domain));
  if (isForeign(domain, listener, foreign)) return MISDIRECTED;
  return listener === undefined ? [] : hostsFor(domain, listener);
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
 * Compiles only the hosts that have come, gone or changed, so that the cost of a change hardly depends on the number of hosts. Undefined: more has changed.
 */
function patchHosts(
  last: CompiledListeners,
  listeners: readonly ListenerConfig[],
  compile: CompileHost,
): CompiledListeners | undefined {
  const changes = changedHosts(last.listeners, listeners);
  if (changes === undefined) return undefined;
  if (changes.hosts.length === 0) return last;
  const { indexed, foreign, byDomain } = last;
  const domains = new Set<string>();
  for (const { listener, hostname, host } of changes.hosts) {
    domains.add(hostname);
    if (host === undefined) indexed[listener]?.exact.delete(hostname);
    else indexed[listener]?.exact.set(hostname, host);
  }
  const compiledAnew = new Map<CompiledHost, CompiledHost>();
  for (const domain of domains) {
    const before = byDomain.get(domain);
    if (!isDomain(domain, indexed, foreign)) {
      byDomain.delete(domain);
      continue;
    }
    const now = domainHost(domain, hostsOf(domain, indexed, foreign), before, compile);
    if (now === before) continue;
    byDomain.set(domain, now);
    if (before !== undefined) compiledAnew.set(before.compiled, now.compiled);
  }
  const hosts = changes.isReordered ? hostsInOrder(listeners, last) : replaced(last.hosts, compiledAnew);
  return { ...last, listeners, hosts };
}

/** True if a listener has the domain as its own hostname, or a host with routes, or if it belongs to other connections. */
const isDomain = (domain: string, indexed: readonly IndexedListener[], foreign: readonly string[]): boolean =>
  indexed.some(({ hostname, exact }) => hostname === domain || exact.has(domain)) || foreign.includes(domain);

function hostsInOrder(
  listeners: readonly ListenerConfig[],
  { foreign, byDomain }: CompiledListeners,
): readonly CompiledHost[] {
  const hosts: CompiledHost[] = [];
  for (const domain of allDomains({ listeners, foreign })) {
    const found = byDomain.get(domain);
    if (found !== undefined) hosts.push(found.compiled);
  }
  return hosts;
}

function replaced(
  hosts: readonly CompiledHost[],
  others: ReadonlyMap<CompiledHost, CompiledHost>,
): readonly CompiledHost[] {
  const next = hosts.slice();
  for (const [before, now] of others) next[next.indexOf(before)] = now;
  return next;
}

/** Up to this number of changes, each host is searched for in the list of all. */
const FEW_HOSTS = 100;

interface ChangedHost {
  /** The index of the listener. */
  readonly listener: number;
  readonly hostname: string;
  /** Undefined: it is gone. */
  readonly host: VirtualHostConfig | undefined;
}

interface ChangedHosts {
  readonly hosts: readonly ChangedHost[];
  /** True if a listener has other hostnames than before, or the same in another order. */
  readonly isReordered: boolean;
}

/** The exact hosts that have come, gone or changed. Undefined: more has changed. */
function changedHosts(before: readonly ListenerConfig[], now: readonly ListenerConfig[]): ChangedHosts | undefined {
  if (before.length !== now.length) return undefined;
  const changed: ChangedHost[] = [];
  let isReordered = false;
  for (const [listener, { hostname, virtualHosts }] of now.entries()) {
    const old = before[listener];
    if (old === undefined || old.hostname !== hostname) return undefined;
    if (old.virtualHosts === virtualHosts) continue;
    const { start, ends } = changedRange(old.virtualHosts, virtualHosts);
    const [gone, come] = [old.virtualHosts.slice(start, ends[0]), virtualHosts.slice(start, ends[1])];
    if (gone.length + come.length > FEW_HOSTS) return undefined;
    if ([...gone, ...come].some((host) => host.hostname.startsWith("*"))) return undefined;
    const hosts = new Map<string, VirtualHostConfig | undefined>(gone.map((host) => [host.hostname, undefined]));
    for (const host of come) hosts.set(host.hostname, host);
    for (const [name, host] of hosts) changed.push({ listener, hostname: name, host });
    isReordered ||= !sameItems(
      gone.map((host) => host.hostname),
      come.map((host) => host.hostname),
    );
  }
  return { hosts: changed, isReordered };
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
