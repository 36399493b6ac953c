/**
 * Encodes hosts in both shapes: with a route configuration and a scope each, or as virtual hosts of a shared route configuration. The
 * listeners determine which shape an Envoy requests, and both are in use while a listener is replaced. So both are offered, and each is
 * encoded on first use.
 */
import { changedRange } from "../../../core/model/collections/changed-range.ts";
import { remember } from "../../../core/model/collections/remember.ts";
import type { XdsResources } from "../../compile/compile-gateway.ts";
import { HOST_ROUTES, splitRouteConfiguration } from "../../compile/config-sources.ts";
import {
  hostOfScope,
  NO_ROUTE_NAME,
  type RouteConfigName,
  routeConfigOf,
  scopeName,
  scopesOf,
} from "../../compile/resource-names.ts";
import { covers, isExactHost } from "../../compile/routes/compile-virtual-hosts.ts";
import {
  RouteSchema,
  type VirtualHost,
  VirtualHostSchema,
} from "../../gen/envoy/config/route/v3/route_components_pb.ts";
import { RouteConfigurationSchema } from "../../gen/envoy/config/route/v3/route_pb.ts";
import {
  ScopedRouteConfiguration_Key_FragmentSchema,
  ScopedRouteConfiguration_KeySchema,
  ScopedRouteConfigurationSchema,
} from "../../gen/envoy/config/route/v3/scoped_route_pb.ts";
import { create, type EncodedField, toBinary, withFields } from "../../protobuf.ts";
import { createHostEncoder } from "./encode-host.ts";
import {
  type EncodedResource,
  encodedResource,
  encodeResource,
  type ResourceTable,
  type TableEdition,
} from "./encoded-resource.ts";
import type { ResourceType } from "./resource-type.ts";

type Routes = XdsResources["routes"];

export type EncodedRoutes = Readonly<Record<Extract<ResourceType, "Scope" | "Route" | "VirtualHost">, ResourceTable>>;

/** Encodes one gateway repeatedly. An unchanged table stays the same object. */
export function createRouteEncoder(): (routes: Routes) => EncodedRoutes {
  const encode = createHostEncoders();
  let last: Routes = new Map();
  let hosts = new Map<string, VirtualHost>();
  let own = hostsOfTheirOwn([]);
  let scopes = scopesOfHosts(own);
  let edition: TableEdition = { of: hosts, number: 0, changed: [] };
  let tables: EncodedRoutes = { Scope: new Map(), Route: new Map(), VirtualHost: new Map() };
  const useAnew = (routes: Routes): void => {
    const all = [...routes.values()].flat().map(({ host }) => host);
    hosts = new Map(all.map((host) => [host.name, host]));
    own = hostsOfTheirOwn(all);
    edition = { of: hosts, number: 0, changed: [] };
    scopes = scopesOfHosts(own);
    tables = { ...tables, Scope: scopeTable(scopes, own, encode.scope, { of: scopes, number: 0, changed: [] }) };
  };
  // Reuses the maps, because copying thousands of hosts for one change is too slow.
  const useChanges = ({ set, added, removed }: EncodedHosts): void => {
    for (const host of set) {
      hosts.set(host.name, host);
      own.all.set(host.name, host);
    }
    for (const { name } of removed) {
      hosts.delete(name);
      own.all.delete(name);
    }
    edition = { of: hosts, number: edition.number + 1, changed: [...set, ...removed].map(({ name }) => name) };
    if (added.length + removed.length === 0) return;
    for (const host of added) scopes.set(scopeName(host.name), host);
    for (const { name } of removed) scopes.delete(scopeName(name));
    const changed = [...added, ...removed].map(({ name }) => scopeName(name));
    const next = { of: scopes, number: (tables.Scope.edition?.number ?? 0) + 1, changed };
    tables = { ...tables, Scope: scopeTable(scopes, own, encode.scope, next) };
  };
  return (routes) => {
    const changes = changedHosts(last, routes);
    last = routes;
    if (changes?.set.length === 0 && changes.removed.length === 0) return tables;
    if (changes === undefined || ![...changes.set, ...changes.removed].every(isExactHost)) useAnew(routes);
    else useChanges(changes);
    const shared = new Map<string, RouteConfigName>(Array.from(routes.keys(), (name) => [name, name]));
    const { find, all } = own;
    tables = {
      ...tables,
      Route: {
        ...both(tableOf(shared, encode.shared), tableOf({ get: find, keys: () => all.keys() }, encode.own)),
        edition,
      },
      VirtualHost: { ...tableOf(hosts, encode.host), edition },
    };
    return tables;
  };
}

interface OwnHosts {
  readonly all: Map<string, VirtualHost>;
  /**
   * Includes hosts that only a wildcard matches. Connections from before the first wildcard still find
   * hosts by their scopes, so a host with a scope keeps it.
   */
  readonly find: (name: string) => VirtualHost | undefined;
}

function hostsOfTheirOwn(all: readonly VirtualHost[]): OwnHosts {
  const byName = new Map(all.map((host) => [host.name, host]));
  const wildcards = all
    .filter((host) => !isExactHost(host) && host.routes.length > 0)
    .sort((a, b) => b.name.length - a.name.length);
  const written = new Map<string, VirtualHost>();
  const findTaken = (name: string): VirtualHost | undefined => {
    const config = routeConfigOf(name);
    const domain = name.slice(config.length + 1);
    if (domain.startsWith("*")) return undefined;
    const wildcard = wildcards.find(
      (host) => routeConfigOf(host.name) === config && host.domains.some((pattern) => covers(pattern, domain)),
    );
    if (wildcard === undefined) return undefined;
    return remember(written, name, () =>
      create(VirtualHostSchema, { name, domains: [domain], routes: wildcard.routes }),
    );
  };
  return { all: byName, find: (name) => byName.get(name) ?? (wildcards.length === 0 ? undefined : findTaken(name)) };
}

/** By the name of the scope: cached, because every Envoy needs the names. */
const scopesOfHosts = ({ all }: OwnHosts): Map<string, VirtualHost> =>
  new Map(Array.from(all, ([name, host]) => [scopeName(name), host]));

function scopeTable(
  scopes: ReadonlyMap<string, VirtualHost>,
  { find }: OwnHosts,
  encode: (host: VirtualHost) => EncodedResource,
  edition: TableEdition,
): ResourceTable {
  // The name of the whole collection is not that of the host `*`, which is escaped.
  const get = (scope: string): VirtualHost | undefined =>
    scopes.get(scope) ?? (scopesOf(scope) === scope ? undefined : find(hostOfScope(scope)));
  return { ...tableOf({ get, keys: () => scopes.keys() }, encode), edition };
}

interface HostEncoders {
  readonly scope: (host: VirtualHost) => EncodedResource;
  readonly own: (host: VirtualHost) => EncodedResource;
  readonly host: (host: VirtualHost) => EncodedResource;
  readonly shared: (name: RouteConfigName) => EncodedResource;
}

/** Encodes each host once. */
function createHostEncoders(): HostEncoders {
  const shared = new Map<RouteConfigName, EncodedResource>();
  const encodeHost = createHostEncoder();
  return {
    scope: once((host) => encodedResource("Scope", scopeName(host.name), scopeOf(host))),
    own: once((host) => encodedResource("Route", host.name, routesOfHost(host.name, encodeHost(host)))),
    host: once((host) => encodedResource("VirtualHost", host.name, encodeHost(host))),
    shared: (name) =>
      remember(shared, name, () =>
        encodeResource("Route", name, RouteConfigurationSchema, splitRouteConfiguration(name)),
      ),
  };
}

/** Requests that no other route of the host matches. Without it they would be searched for at wildcards, which may belong to another listener. */
const NO_ROUTE: EncodedField = [
  VirtualHostSchema.field.routes.number,
  toBinary(
    RouteSchema,
    create(RouteSchema, {
      name: NO_ROUTE_NAME,
      match: { pathSpecifier: { case: "prefix", value: "" } },
      action: { case: "directResponse", value: { status: 404 } },
    }),
  ),
];

const ROUTES = RouteConfigurationSchema.field;
const IN_COMMON = toBinary(RouteConfigurationSchema, HOST_ROUTES);

/** The common part is encoded once, because thousands may be needed when an Envoy starts. */
const routesOfHost = (name: string, host: Uint8Array): Uint8Array =>
  withFields(IN_COMMON, [
    [ROUTES.name.number, name],
    [ROUTES.virtualHosts.number, withFields(host, [NO_ROUTE])],
  ]);

const SCOPE = ScopedRouteConfigurationSchema.field;
const KEY = ScopedRouteConfiguration_KeySchema.field;
const FRAGMENT = ScopedRouteConfiguration_Key_FragmentSchema.field;
const NOTHING = new Uint8Array();

/** The scope that maps the host to its route configuration. */
function scopeOf({ name, domains }: VirtualHost): Uint8Array {
  const fragments = domains.map((domain) => withFields(NOTHING, [[FRAGMENT.stringKey.number, domain]]));
  return withFields(NOTHING, [
    [SCOPE.name.number, scopeName(name)],
    [SCOPE.routeConfigurationName.number, name],
    [
      SCOPE.key.number,
      withFields(
        NOTHING,
        fragments.map((fragment) => [KEY.fragments.number, fragment]),
      ),
    ],
  ]);
}

function once(encode: (host: VirtualHost) => EncodedResource): (host: VirtualHost) => EncodedResource {
  const known = new WeakMap<VirtualHost, EncodedResource>();
  return (host) => remember(known, host, () => encode(host));
}

const tableOf = <T>(
  items: Pick<ReadonlyMap<string, T>, "get" | "keys">,
  encode: (item: T) => EncodedResource,
): ResourceTable => ({
  get: (name) => {
    const item = items.get(name);
    return item === undefined ? undefined : encode(item);
  },
  keys: () => items.keys(),
});

const both = (one: ResourceTable, other: ResourceTable): ResourceTable => ({
  get: (name) => one.get(name) ?? other.get(name),
  keys: () => [...one.keys(), ...other.keys()].values(),
});

interface EncodedHosts {
  /** The hosts that are new or different. */
  readonly set: readonly VirtualHost[];
  /** The part of them that is new. */
  readonly added: readonly VirtualHost[];
  readonly removed: readonly VirtualHost[];
}

/** Undefined: other ports than before have hosts. */
function changedHosts(before: Routes, now: Routes): EncodedHosts | undefined {
  if (before.size !== now.size) return undefined;
  const [set, added, removed]: VirtualHost[][] = [[], [], []];
  for (const [name, hosts] of now) {
    const old = before.get(name);
    if (old === undefined) return undefined;
    if (old === hosts) continue;
    const { start, ends } = changedRange(old, hosts);
    const known = new Map(old.slice(start, ends[0]).map(({ host }) => [host.name, host]));
    for (const { host } of hosts.slice(start, ends[1])) {
      const same = known.get(host.name);
      known.delete(host.name);
      if (same === host) continue;
      set?.push(host);
      if (same === undefined) added?.push(host);
    }
    removed?.push(...known.values());
  }
  return { set: set ?? [], added: added ?? [], removed: removed ?? [] };
}
