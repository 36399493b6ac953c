/**
 * How the hosts of a port are sent to an Envoy. Shared: all hosts in one route configuration, which Envoy rebuilds for each change. Scoped:
 * one route configuration per host, so that the cost of a change does not depend on the number of hosts, but each request costs a little more.
 */

import type { RouteConfigName } from "../resource-names.ts";
import type { CompiledHosts } from "./compile-virtual-hosts.ts";

export type RouteShape = "Shared" | "Scoped";

/** Up to this number Envoy rebuilds all hosts in a few milliseconds. */
const SCOPES_FROM = 100;

/** Changing the shape replaces the listener. To avoid frequent changes, the shape goes back to Shared only at half as many hosts. */
const BACK_AT = 0.5;

export interface ShapeMemory {
  /** The shape for the current hosts. */
  readonly see: (name: RouteConfigName, hosts: CompiledHosts) => void;
  readonly find: (name: RouteConfigName) => RouteShape;
  /** Removes all others. */
  readonly keep: (names: { readonly has: (name: RouteConfigName) => boolean }) => void;
}

export function createShapeMemory(scopesFrom: number = SCOPES_FROM): ShapeMemory {
  const scoped = new Set<RouteConfigName>();
  return {
    see: (name, { hosts, canHaveScopes }) => {
      const least = scoped.has(name) ? scopesFrom * BACK_AT : scopesFrom;
      if (canHaveScopes && hosts.length >= least) scoped.add(name);
      else scoped.delete(name);
    },
    find: (name) => (scoped.has(name) ? "Scoped" : "Shared"),
    keep: (names) => {
      for (const name of scoped) if (!names.has(name)) scoped.delete(name);
    },
  };
}
