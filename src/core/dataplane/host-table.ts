/** The virtual hosts of one listener, kept in order while routes come and go. Versions share what did not change. */
import { LayeredMap } from "../model/layered-map.ts";
import { compareText } from "../model/refs.ts";
import { compareHostnames } from "../routing/hostname-match.ts";
import { comparePrecedence } from "../routing/match-precedence.ts";
import type { RankedRoute } from "./compile-route.ts";
import type { RouteConfig, VirtualHostConfig } from "./gateway-config.ts";

interface Host {
  readonly config: VirtualHostConfig;
  /** The routes of `config`, with what their order rests on. */
  readonly ranked: readonly RankedRoute[];
}

export interface HostTable {
  readonly byName: LayeredMap<string, Host>;
  /** The more specific hostname first. */
  readonly hosts: readonly VirtualHostConfig[];
}

/** What changes at one hostname: the routes that go, and those that come. */
export interface HostChange {
  readonly gone: Set<RouteConfig>;
  readonly come: RankedRoute[];
}

export const NO_HOSTS: HostTable = { byName: LayeredMap.from<string, Host>(new Map()), hosts: [] };

export function changedHosts(table: HostTable, changes: ReadonlyMap<string, HostChange>): HostTable {
  const next = new Map<string, Host | undefined>();
  for (const [hostname, change] of changes) {
    const ranked = changedRoutes(table.byName.get(hostname)?.ranked ?? [], change);
    const config = { hostname, routes: ranked.map((route) => route.config) };
    next.set(hostname, ranked.length === 0 ? undefined : { config, ranked });
  }
  return { byName: changedNames(table.byName, next), hosts: changedList(table.hosts, next) };
}

/** A merge of what stays and what comes: both in order, so a host of thousands of routes is not sorted again for one. */
function changedRoutes(before: readonly RankedRoute[], { gone, come }: HostChange): readonly RankedRoute[] {
  const stay = gone.size === 0 ? before : before.filter(({ config }) => !gone.has(config));
  const added = come.length === 0 ? come : [...come].sort(inOrder);
  if (stay.length === 0) return added;
  const merged: RankedRoute[] = [];
  let from = 0;
  for (const route of added) {
    const at = placeOf(stay, route, from);
    for (; from < at; from++) merged.push(stay[from] ?? route);
    merged.push(route);
  }
  for (; from < stay.length; from++) {
    const route = stay[from];
    if (route !== undefined) merged.push(route);
  }
  return merged;
}

const inOrder = (a: RankedRoute, b: RankedRoute): number => comparePrecedence(a, b).order;

/** The first place from `from` on whose route comes after it. */
function placeOf(routes: readonly RankedRoute[], route: RankedRoute, from: number): number {
  let low = from;
  let high = routes.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const there = routes[middle];
    if (there !== undefined && inOrder(there, route) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

function changedNames(
  before: LayeredMap<string, Host>,
  next: ReadonlyMap<string, Host | undefined>,
): LayeredMap<string, Host> {
  if (before.size === 0) {
    const hosts = new Map<string, Host>();
    for (const [hostname, host] of next) if (host !== undefined) hosts.set(hostname, host);
    return LayeredMap.from(hosts);
  }
  let names = before;
  for (const [hostname, host] of next)
    names = host === undefined ? names.without(hostname) : names.with(hostname, host);
  return names;
}

function changedList(
  before: readonly VirtualHostConfig[],
  next: ReadonlyMap<string, Host | undefined>,
): readonly VirtualHostConfig[] {
  const hosts: VirtualHostConfig[] = [];
  const met = new Set<string>();
  for (const config of before) {
    if (!next.has(config.hostname)) {
      hosts.push(config);
      continue;
    }
    met.add(config.hostname);
    const host = next.get(config.hostname);
    if (host !== undefined) hosts.push(host.config);
  }
  const added: VirtualHostConfig[] = [];
  for (const [hostname, host] of next) if (host !== undefined && !met.has(hostname)) added.push(host.config);
  if (added.length === 0) return hosts;
  return [...hosts, ...added].sort(byHostname);
}

const byHostname = (a: VirtualHostConfig, b: VirtualHostConfig): number =>
  compareHostnames(a.hostname, b.hostname) || compareText(a.hostname, b.hostname);
