/** The names of resources. They never contain an index, so that reordering does not replace resources. */
import type {
  BackendConfig,
  BackendTlsConfig,
  EndpointsId,
  ListenerConfig,
  PortConfig,
} from "../../core/dataplane/gateway-config.ts";
import { SCOPE_URL } from "../../core/envoy/scope-url.ts";
import type { ObjectRef } from "../../core/model/refs.ts";
import type { RetryBudget } from "../../core/retry/retry-budget.ts";

export type ListenerName = string & { readonly __brand: "ListenerName" };
export type RouteConfigName = string & { readonly __brand: "RouteConfigName" };
export type ClusterName = string & { readonly __brand: "ClusterName" };
export type SecretName = string & { readonly __brand: "SecretName" };

/** TCP and UDP ports of the same number are two listeners. */
export const listenerName = (
  { namespace, name }: ObjectRef,
  { port, protocol }: Pick<PortConfig, "port" | "protocol">,
): ListenerName => `${namespace}/${name}:${port}${protocol === "UDP" ? "/udp" : ""}` as ListenerName;

/** The gateway of a listener: `namespace/name`. */
export const gatewayOfListener = (listener: ListenerName): string => listener.slice(0, listener.lastIndexOf(":"));

/** The listeners of a plain port share a route configuration. With TLS each has its own, because the connection selects the listener. */
export const routeConfigName = (port: ListenerName, listener?: ListenerConfig): RouteConfigName =>
  (listener === undefined
    ? port
    : `${port}/${listener.owner.kind}/${listener.owner.namespace}/${listener.owner.name}/${listener.name}`) as RouteConfigName;

/** The name of a virtual host. Envoy reads the part before the last slash as the route configuration. With scopes it is also the name of the host's own route configuration. */
export const virtualHostName = (config: RouteConfigName, domain: string): string => `${config}/${domain}`;

/** Parses the name of a virtual host. */
export const routeConfigOf = (host: string): string => host.slice(0, host.lastIndexOf("/"));

/** The filter that handles hosts with capital letters, for listeners with scopes. */
export const LOWER_CASE_FILTER = "prevail.hosts-in-lower-case";

/** The filter that handles hosts of wildcards, for listeners with scopes. */
export const WILDCARD_FILTER = "prevail.hosts-of-wildcards";

/** The name of the route for requests that no other route of a host with a scope matches. */
export const NO_ROUTE_NAME = "no route";

/** The scope of a virtual host. Its name is derived from the host's name. */
export const scopeName = (host: string): string => `${SCOPE_URL}${inUrl(host)}`;

/** The reverse: from the name of the scope to the host's. */
export const hostOfScope = (scope: string): string =>
  scope
    .slice(SCOPE_URL.length)
    .replace(/_([0-9a-f]+)_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));

/** All scopes of a route configuration. */
export const scopesName = (config: RouteConfigName): string => `${SCOPE_URL}${inUrl(config)}/*`;

/** The collection that an Envoy subscribes to for a scope. */
export const scopesOf = (scope: string): string => `${scope.slice(0, scope.lastIndexOf("/"))}/*`;

/** Escapes names, because files may contain any name. */
const inUrl = (name: string): string =>
  name.replace(/[^A-Za-z0-9.:/-]/g, (character) => `_${character.charCodeAt(0).toString(16)}_`);

/** The settings of a cluster. Equal settings share a cluster. */
export interface ClusterSettings {
  readonly tryTimeoutMs: number | undefined;
  readonly budget: RetryBudget | undefined;
}

export function clusterName({ id }: BackendConfig, { tryTimeoutMs, budget }: ClusterSettings): ClusterName {
  const parts = [
    ...(tryTimeoutMs === undefined ? [] : [`attempt ${tryTimeoutMs}ms`]),
    ...(budget === undefined ? [] : [`budget ${budget.percent}% of ${budget.intervalMs}ms`]),
  ];
  return [id, ...parts].join(" | ") as ClusterName;
}

/** The backend of a cluster. */
export const backendOfCluster = (name: string): string => name.split(" | ")[0] ?? name;

/** The composite cluster with waits between attempts. */
export const waitingClusterName = (name: ClusterName, waitsMs: readonly number[]): ClusterName =>
  `${name} | waits ${waitsMs.join(",")}ms` as ClusterName;

/** The name of a waiting cluster and of its internal listener. */
export const delayName = (waitMs: number): ClusterName & ListenerName =>
  `prevail delay ${waitMs}ms` as ClusterName & ListenerName;

export const certificateName = ({ namespace, name }: ObjectRef): SecretName =>
  `certificate/${namespace}/${name}` as SecretName;

export const authoritiesName = (refs: Exclude<BackendTlsConfig["authorities"], "System">): SecretName =>
  `authorities/${refs.map(({ namespace, name }) => `${namespace}/${name}`).join("+")}` as SecretName;

/** ClusterLoadAssignments have the name of the endpoints, because several clusters may use them. */
export const loadAssignmentName = (id: EndpointsId): string => id;
