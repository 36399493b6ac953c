/**
 * Whether a listener and a route have a hostname in common (Gateway API, "Hostname" of Listener and "Hostnames" of each
 * route kind). `*.example.com` stands for any number of labels before `.example.com`, never for `example.com` itself.
 * No listener hostname, or no route hostnames: everything.
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

/** Whether a precise name has at least one label before the wildcard's suffix. */
const isBelow = (name: string, wildcard: string): boolean =>
  name.length >= wildcard.length && name.endsWith(wildcard.slice(1));
