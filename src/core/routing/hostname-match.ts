/** Matches hosts of requests with hostnames of listeners and routes. */
import { hostnamesIntersect } from "../topology/hostnames-intersect.ts";

/**
 * Hostname match
 *
 * A hostname matches the equal host. `*.example.com` matches one or more labels before `.example.com`. No hostname matches every host.
 * Gateway API, "Hostname"
 */
export function matchesHost(hostname: string | undefined, host: string): boolean {
  if (hostname === undefined || hostname === "" || hostname === "*") return true;
  const wanted = hostname.toLowerCase();
  if (!wanted.startsWith("*.")) return wanted === host;
  return host.length >= wanted.length && host.endsWith(wanted.slice(1));
}

/**
 * The more specific hostname first
 *
 * The hostname with more characters in a non-wildcard match comes first, then the one with more characters in any match. Negative: `a`
 * comes first.
 * Gateway API, "HTTPRouteSpec.hostnames"
 */
export function compareHostnames(a: string | undefined, b: string | undefined): number {
  return precise(b) - precise(a) || (b?.length ?? 0) - (a?.length ?? 0);
}

const precise = (hostname: string | undefined): number =>
  hostname === undefined || hostname.startsWith("*") ? 0 : hostname.length;

/** The most specific of a route's hostnames that matches the host; without hostnames, the listener's. Undefined: none matches. */
export function matchingHostname(
  hostnames: readonly string[],
  listener: string | undefined,
  host: string,
): { readonly hostname: string | undefined } | undefined {
  if (hostnames.length === 0) return matchesHost(listener, host) ? { hostname: listener } : undefined;
  const [best] = hostnames
    .map((hostname) => hostname.toLowerCase())
    .filter((hostname) => matchesHost(hostname, host))
    .sort(compareHostnames);
  return best === undefined ? undefined : { hostname: best };
}

/** A host of a route at a listener, and the hostname that its precedence depends on. */
export interface RouteHost {
  /** The intersection of both hostnames. `*`: every host. */
  readonly hostname: string;
  /** The route's own hostname, even if the listener's is more specific. Of several, the most specific one. */
  readonly ranksAs: string | undefined;
}

/**
 * The hosts of a route at a listener. `matchingHostname` gives the same precedence for each request: the hostnames that match a host are
 * the host itself and wildcards that contain each other, so the intersection is the more specific of the two.
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

/** The more specific of two hostnames that intersect. */
function commonHostname(listener: string | undefined, route: string): string {
  if (listener === undefined) return route === "" ? "*" : route;
  return route === "" || compareHostnames(listener, route) <= 0 ? listener : route;
}
