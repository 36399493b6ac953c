/**
 * In which of two shapes the hosts of a port reach an Envoy. Shared: all in one route configuration, which Envoy makes anew for each change of
 * one of them. Scoped: each in one of its own, so that a change costs the same however many there are; but finding it costs every request a little.
 */
import type { CompiledHosts } from "./compile-virtual-hosts.ts";
import type { RouteConfigName } from "./resource-names.ts";

export type RouteShape = "Shared" | "Scoped";

/** Up to here Envoy makes all of them anew in some milliseconds. */
const SCOPES_FROM = 100;

/** Another shape is another listener, and connections move there one by one. So nobody goes to and fro: back only at half as many hosts. */
const BACK_AT = 0.5;

export interface ShapeMemory {
  /** As the hosts are now. */
  readonly see: (name: RouteConfigName, hosts: CompiledHosts) => void;
  readonly find: (name: RouteConfigName) => RouteShape;
  /** Forgets all others. */
  readonly keep: (names: { readonly has: (name: RouteConfigName) => boolean }) => void;
}

export function createShapeMemory(scopesFrom: number = SCOPES_FROM): ShapeMemory {
  const scoped = new Set<RouteConfigName>();
  return {
    see: (name, { hosts, takesWildcards }) => {
      const least = scoped.has(name) ? scopesFrom * BACK_AT : scopesFrom;
      // Scopes are found by exact names. A wildcard without routes needs none: what has no scope is answered 404.
      if (!takesWildcards && hosts.length >= least) scoped.add(name);
      else scoped.delete(name);
    },
    find: (name) => (scoped.has(name) ? "Scoped" : "Shared"),
    keep: (names) => {
      for (const name of scoped) if (!names.has(name)) scoped.delete(name);
    },
  };
}
