import type { RedirectConfig } from "../core/dataplane/gateway-config.ts";
import { changePath } from "./change-request.ts";
import type { RequestHead } from "./request-head.ts";
import { parseAuthority } from "./request-target.ts";

const WELL_KNOWN = { http: 80, https: 443 } as const;

/** Gateway API, HTTPRequestRedirectFilter: what is not said stays as in the request; a well-known port is not written. */
export function redirectLocation(
  { scheme, hostname, path, port }: RedirectConfig,
  { host, path: asked, query }: RequestHead,
  listener: { readonly scheme: "http" | "https"; readonly port: number },
): string {
  const toScheme = scheme ?? listener.scheme;
  const toPort = port ?? (scheme === undefined ? listener.port : WELL_KNOWN[scheme]);
  const suffix = toPort === WELL_KNOWN[toScheme] ? "" : `:${toPort}`;
  const toPath = path === undefined ? asked : changePath(asked, path);
  const toHost = hostname !== undefined && parseAuthority(hostname) !== undefined ? hostname : host;
  return `${toScheme}://${toHost}${suffix}${toPath}${query}`;
}
