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

/** Envoy takes what is before the last slash for the route configuration. */
export const virtualHostName = (config: RouteConfigName, domain: string): string => `${config}/${domain}`;

/** What a cluster is for besides its backend. Equal settings share one. */
export interface ClusterSettings {
  readonly tryTimeoutMs: number | undefined;
  readonly budget: RetryBudget | undefined;
}

export function clusterName({ id }: BackendConfig, { tryTimeoutMs, budget }: ClusterSettings): ClusterName {
  const parts = [
    ...(tryTimeoutMs === undefined ? [] : [`try ${tryTimeoutMs}ms`]),
    ...(budget === undefined ? [] : [`budget ${budget.percent}% of ${budget.intervalMs}ms`]),
  ];
  return [id, ...parts].join(" | ") as ClusterName;
}

/** The id of the backend that a cluster of that name leads to. */
export const backendOfCluster = (name: string): string => name.split(" | ")[0] ?? name;

/** The same cluster with waits between its tries. */
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
