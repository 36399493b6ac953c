/**
 * Hostname intersection of a listener and a route
 *
 * A route attaches to a listener only if they have a hostname in common. `*.example.com` means any number of labels before
 * `.example.com`, but not `example.com` itself. A listener without a hostname, or a route without hostnames, means every
 * hostname.
 * Gateway API, "HTTPRouteSpec.hostnames"
 */
export function hostnamesIntersect(listener: string | undefined, route: readonly unknown[]): boolean {
  if (listener === undefined || listener === "" || route.length === 0) return true;
  for (const hostname of route) {
    if (typeof hostname === "string" && (hostname === listener || intersect(listener, hostname))) return true;
  }
  return false;
}

function intersect(a: string, b: string): boolean {
  const left = a.toLowerCase();
  const right = b.toLowerCase();
  if (left === right) return true;
  const leftWild = left.startsWith("*.");
  const rightWild = right.startsWith("*.");
  if (leftWild && rightWild) return left.endsWith(right.slice(1)) || right.endsWith(left.slice(1));
  if (leftWild) return isBelow(right, left);
  return rightWild && isBelow(left, right);
}

/** True if a precise name has at least one label before the wildcard's suffix. */
const isBelow = (name: string, wildcard: string): boolean =>
  name.length >= wildcard.length && name.endsWith(wildcard.slice(1));
