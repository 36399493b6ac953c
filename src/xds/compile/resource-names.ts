/** What resources are called: after what they are about, never after a position, so that reordering replaces nothing. */
import type {
  BackendConfig,
  BackendTlsConfig,
  EndpointsId,
  ListenerConfig,
} from "../../core/dataplane/gateway-config.ts";
import type { ObjectRef } from "../../core/model/refs.ts";
import type { RetryBudget } from "../../core/retry/retry-budget.ts";

export type ListenerName = string & { readonly __brand: "ListenerName" };
export type RouteConfigName = string & { readonly __brand: "RouteConfigName" };
export type ClusterName = string & { readonly __brand: "ClusterName" };
export type SecretName = string & { readonly __brand: "SecretName" };

export const listenerName = ({ namespace, name }: ObjectRef, port: number): ListenerName =>
  `${namespace}/${name}:${port}` as ListenerName;

/** All listeners of a plain port share one; with TLS each has its own, as the connection already belongs to one of them. */
export const routeConfigName = (port: ListenerName, listener?: ListenerConfig): RouteConfigName =>
  (listener === undefined
    ? port
    : `${port}/${listener.owner.kind}/${listener.owner.namespace}/${listener.owner.name}/${listener.name}`) as RouteConfigName;

/** Envoy takes what is before the last slash for the route configuration. Where each host has one of its own, that goes by this name too. */
export const virtualHostName = (config: RouteConfigName, domain: string): string => `${config}/${domain}`;

/** Of the name of a virtual host. */
export const routeConfigOf = (host: string): string => host.slice(0, host.lastIndexOf("/"));

/** Each route configuration has its own collection of scopes, and only an Envoy that needs it asks for it. */
const SCOPES = "xdstp:///envoy.config.route.v3.ScopedRouteConfiguration/";

/** The scope of a virtual host. Its name follows from the host's: whoever has the routes of a host has its scope. */
export const scopeName = (host: string): string => `${SCOPES}${inUrl(host)}`;

/** The other way round. */
export const hostOfScope = (scope: string): string =>
  scope
    .slice(SCOPES.length)
    .replace(/_([0-9a-f]+)_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));

/** All scopes of a route configuration. */
export const scopesName = (config: RouteConfigName): string => `${SCOPES}${inUrl(config)}/*`;

/** Of the name of a scope: what an Envoy asks for to have it. */
export const scopesOf = (scope: string): string => `${scope.slice(0, scope.lastIndexOf("/"))}/*`;

/** Names of objects need nothing of this; files may hold any. */
const inUrl = (name: string): string =>
  name.replace(/[^A-Za-z0-9.:/-]/g, (character) => `_${character.charCodeAt(0).toString(16)}_`);

/** What a cluster is for besides its backend. Equal settings share one. */
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

/** The id of the backend that a cluster of that name leads to. */
export const backendOfCluster = (name: string): string => name.split(" | ")[0] ?? name;

/** The same cluster with waits between its attempts. */
export const waitingClusterName = (name: ClusterName, waitsMs: readonly number[]): ClusterName =>
  `${name} | waits ${waitsMs.join(",")}ms` as ClusterName;

/** A cluster and an internal listener of the same name. */
export const delayName = (waitMs: number): ClusterName & ListenerName =>
  `prevail delay ${waitMs}ms` as ClusterName & ListenerName;

export const certificateName = ({ namespace, name }: ObjectRef): SecretName =>
  `certificate/${namespace}/${name}` as SecretName;

export const authoritiesName = (refs: Exclude<BackendTlsConfig["authorities"], "System">): SecretName =>
  `authorities/${refs.map(({ namespace, name }) => `${namespace}/${name}`).join("+")}` as SecretName;

/** ClusterLoadAssignments go by the name of the endpoints, whatever cluster uses them. */
export const loadAssignmentName = (id: EndpointsId): string => id;
