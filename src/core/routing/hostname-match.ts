/** Hostnames of listeners and routes, and which of several that match a request is the more specific. */
import { hostnamesIntersect } from "../topology/hostnames-intersect.ts";

/** `*.example.com` takes any number of labels before `.example.com`. No hostname takes every host. */
export function takesHost(hostname: string | undefined, host: string): boolean {
  if (hostname === undefined || hostname === "" || hostname === "*") return true;
  const wanted = hostname.toLowerCase();
  if (!wanted.startsWith("*.")) return wanted === host;
  return host.length >= wanted.length && host.endsWith(wanted.slice(1));
}

/**
 * Gateway API, HTTPRoute "hostnames": first the number of characters in a matching non-wildcard hostname, then those in a
 * matching hostname. Negative: `a` comes first.
 */
export function compareHostnames(a: string | undefined, b: string | undefined): number {
  return precise(b) - precise(a) || (b?.length ?? 0) - (a?.length ?? 0);
}

const precise = (hostname: string | undefined): number =>
  hostname === undefined || hostname.startsWith("*") ? 0 : hostname.length;

/** The most specific of a route's hostnames that takes the host. `undefined`: none does; no hostnames: whatever the listener has. */
export function matchingHostname(
  hostnames: readonly string[],
  listener: string | undefined,
  host: string,
): { readonly hostname: string | undefined } | undefined {
  if (hostnames.length === 0) return takesHost(listener, host) ? { hostname: listener } : undefined;
  const [best] = hostnames
    .map((hostname) => hostname.toLowerCase())
    .filter((hostname) => takesHost(hostname, host))
    .sort(compareHostnames);
  return best === undefined ? undefined : { hostname: best };
}

/** A host that a route is found under at a listener, and the hostname by which it takes precedence there. */
export interface RouteHost {
  /** What both have in common; `*`: everything. */
  readonly hostname: string;
  /** The route's own, even where the listener's is more specific; of several the most specific. */
  readonly ranksAs: string | undefined;
}

/**
 * The hosts of a route at a listener. For each request `matchingHostname` gives the same precedence: whatever takes the request's host
 * is either that host or a wildcard above it, one above the other, and the more specific of listener and route is what they share.
 */
export function routeHosts(hostnames: readonly string[], listener: string | undefined): readonly RouteHost[] {
  if (hostnames.length === 0) return [{ hostname: listener ?? "*", ranksAs: listener }];
  const hosts = new Map<string, RouteHost>();
  for (const written of hostnames) {
    const ranksAs = written.toLowerCase();
    if (!hostnamesIntersect(listener, [ranksAs])) continue;
    const hostname = commonHostname(listener, ranksAs);
    const known = hosts.get(hostname);
    if (known === undefined || compareHostnames(ranksAs, known.ranksAs) < 0) hosts.set(hostname, { hostname, ranksAs });
  }
  return [...hosts.values()];
}

/** The more specific of two that have hosts in common. */
function commonHostname(listener: string | undefined, route: string): string {
  if (listener === undefined) return route === "" ? "*" : route;
  return route === "" || compareHostnames(listener, route) <= 0 ? listener : route;
}
