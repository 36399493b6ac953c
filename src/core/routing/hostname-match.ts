/** Hostnames of listeners and routes, and which of several that match a request is the more specific. */

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
