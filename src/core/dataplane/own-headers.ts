/**
 * The response headers by which a data plane steers itself. Envoy does not retry a response with `x-envoy-ratelimited`, and `x-prevail-waited` marks
 * its waits between attempts. Both data planes drop them from responses of backends, so that a backend cannot change what happens to its requests.
 */
export const WAITED_HEADER = "x-prevail-waited";
export const RATE_LIMITED_HEADER = "x-envoy-ratelimited";

export const OWN_HEADERS: ReadonlySet<string> = new Set([WAITED_HEADER, RATE_LIMITED_HEADER]);
