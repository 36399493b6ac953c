import type { RedirectConfig } from "../../core/dataplane/gateway-config.ts";
import { WELL_KNOWN_PORTS } from "../../core/dataplane/well-known-ports.ts";
import type { RequestHead } from "../contract/request-head.ts";
import { parseAuthority } from "../http1/http1.ts";
import { rewritePath } from "./rewrite-path.ts";

/**
 * Redirect location
 *
 * Scheme, host, port and path that the filter does not set stay as in the request. With a new scheme and no port, the port is the scheme's
 * well-known one. A well-known port is left out of the Location header.
 * Gateway API, "HTTPRequestRedirectFilter"
 */
export function redirectLocation(
  { scheme, hostname, path, port }: RedirectConfig,
  { host, path: requestPath, query }: RequestHead,
  listener: { readonly scheme: "http" | "https"; readonly port: number },
): string {
  const toScheme = scheme ?? listener.scheme;
  const toPort = port ?? (scheme === undefined ? listener.port : WELL_KNOWN_PORTS[scheme]);
  const suffix = toPort === WELL_KNOWN_PORTS[toScheme] ? "" : `:${toPort}`;
  const toPath = path === undefined ? requestPath : rewritePath(requestPath, path);
  const toHost = hostname !== undefined && parseAuthority(hostname) !== undefined ? hostname : host;
  return `${toScheme}://${toHost}${suffix}${toPath}${query}`;
}
