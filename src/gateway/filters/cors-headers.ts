/** Response headers for cross-origin requests (Fetch, "CORS protocol"), as the CORS filter configures them. */
import type { CorsConfig, FilterConfig } from "../../core/dataplane/gateway-config.ts";
import { findHeader, type HeaderList, headerText } from "../contract/header-list.ts";
import type { RequestHead } from "../contract/request-head.ts";

export const findCors = (filters: readonly FilterConfig[]): CorsConfig | undefined =>
  filters.find((filter) => filter.type === "CORS");

/**
 * CORS preflight requests
 *
 * The gateway responds to a preflight request itself. The response allows the configured methods and headers if the origin is allowed.
 * Undefined: the request is not a preflight request.
 * Gateway API, "HTTPCORSFilter"
 */
export function preflightHeaders(cors: CorsConfig, { method, headers }: RequestHead): HeaderList | undefined {
  const origin = findHeader(headers, "origin");
  const requestedMethod = findHeader(headers, "access-control-request-method");
  if (method !== "OPTIONS" || origin === undefined || requestedMethod === undefined) return undefined;
  const allowed = allowedOrigin(cors, origin);
  if (allowed === undefined) return ["vary", "origin"];
  const requestedHeaders = findHeader(headers, "access-control-request-headers");
  return [
    ...originHeaders(cors, allowed),
    ...listHeader("access-control-allow-methods", cors.allowMethods, requestedMethod, cors),
    ...(requestedHeaders === undefined
      ? []
      : listHeader("access-control-allow-headers", cors.allowHeaders, requestedHeaders, cors)),
    ...exposedHeaders(cors),
    "access-control-max-age",
    String(cors.maxAgeSeconds),
  ];
}

/** The headers of a response to a request that is not a preflight request. */
export function corsHeaders(cors: CorsConfig, { headers }: RequestHead): HeaderList {
  const origin = findHeader(headers, "origin");
  const allowed = origin === undefined ? undefined : allowedOrigin(cors, origin);
  if (allowed === undefined) return ["vary", "origin"];
  return [...originHeaders(cors, allowed), ...exposedHeaders(cors)];
}

/** In responses to preflight requests too (Gateway API, "HTTPCORSFilter.exposeHeaders"). */
const exposedHeaders = ({ exposeHeaders }: CorsConfig): HeaderList =>
  exposeHeaders.length === 0 ? [] : ["access-control-expose-headers", headerText(exposeHeaders.join(", "))];

function originHeaders({ allowCredentials }: CorsConfig, allowed: string): HeaderList {
  const origin = ["access-control-allow-origin", allowed];
  const vary = allowed === "*" ? [] : ["vary", "origin"];
  return [...origin, ...(allowCredentials ? ["access-control-allow-credentials", "true"] : []), ...vary];
}

/** A wildcard is sent as `*` only without credentials; with credentials the requested values are repeated (Fetch, 3.3.5). */
function listHeader(
  name: string,
  allowed: readonly string[],
  requested: string,
  { allowCredentials }: CorsConfig,
): HeaderList {
  if (allowed.length === 0) return [];
  return [name, allowed.includes("*") && allowCredentials ? requested : headerText(allowed.join(", "))];
}

/** The value of Access-Control-Allow-Origin. Undefined: the origin is not allowed. */
function allowedOrigin({ allowOrigins, allowCredentials }: CorsConfig, origin: string): string | undefined {
  if (allowOrigins.includes("*")) return allowCredentials ? origin : "*";
  return allowOrigins.some((pattern) => matchesOrigin(pattern, origin)) ? origin : undefined;
}

/** In `https://*.example.com` the star matches one or more labels. */
function matchesOrigin(pattern: string, origin: string): boolean {
  const wanted = pattern.toLowerCase();
  const found = origin.toLowerCase();
  const star = wanted.indexOf("://*.");
  if (star === -1) return wanted === found;
  const scheme = wanted.slice(0, star + 3);
  const suffix = wanted.slice(star + 4);
  const name = found.slice(scheme.length, -suffix.length);
  return found.startsWith(scheme) && found.endsWith(suffix) && /^[a-z0-9.-]+$/.test(name);
}
