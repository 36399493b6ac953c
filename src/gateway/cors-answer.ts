/** Cross-origin requests (Fetch, "CORS protocol"), as Gateway API's CORS filter has it. */
import type { CorsConfig, FilterConfig } from "../core/dataplane/gateway-config.ts";
import { type Fields, findValue, headerText } from "./fields.ts";
import type { RequestHead } from "./request-head.ts";

export const findCors = (filters: readonly FilterConfig[]): CorsConfig | undefined =>
  filters.find((filter) => filter.type === "CORS");

/** The headers of the answer to a preflight request; undefined: it is none. */
export function preflightFields(cors: CorsConfig, { method, fields }: RequestHead): Fields | undefined {
  const origin = findValue(fields, "origin");
  const wanted = findValue(fields, "access-control-request-method");
  if (method !== "OPTIONS" || origin === undefined || wanted === undefined) return undefined;
  const allowed = allowedOrigin(cors, origin);
  if (allowed === undefined) return ["vary", "origin"];
  const askedHeaders = findValue(fields, "access-control-request-headers");
  return [
    ...originFields(cors, allowed),
    ...listField("access-control-allow-methods", cors.allowMethods, wanted, cors),
    ...(askedHeaders === undefined
      ? []
      : listField("access-control-allow-headers", cors.allowHeaders, askedHeaders, cors)),
    "access-control-max-age",
    String(cors.maxAgeSeconds),
  ];
}

/** The headers of an answer to any other request. */
export function corsFields(cors: CorsConfig, { fields }: RequestHead): Fields {
  const origin = findValue(fields, "origin");
  const allowed = origin === undefined ? undefined : allowedOrigin(cors, origin);
  if (allowed === undefined) return ["vary", "origin"];
  const exposed =
    cors.exposeHeaders.length === 0 ? [] : ["access-control-expose-headers", headerText(cors.exposeHeaders.join(", "))];
  return [...originFields(cors, allowed), ...exposed];
}

function originFields({ allowCredentials }: CorsConfig, allowed: string): Fields {
  const origin = ["access-control-allow-origin", allowed];
  const vary = allowed === "*" ? [] : ["vary", "origin"];
  return [...origin, ...(allowCredentials ? ["access-control-allow-credentials", "true"] : []), ...vary];
}

/** A wildcard stands for itself only where no credentials are allowed; else what was asked for is named (Fetch, 3.3.5). */
function listField(name: string, allowed: readonly string[], asked: string, { allowCredentials }: CorsConfig): Fields {
  if (allowed.length === 0) return [];
  return [name, allowed.includes("*") && allowCredentials ? asked : headerText(allowed.join(", "))];
}

/** What to send as the allowed origin; undefined: it is not. */
function allowedOrigin({ allowOrigins, allowCredentials }: CorsConfig, origin: string): string | undefined {
  if (allowOrigins.includes("*")) return allowCredentials ? origin : "*";
  return allowOrigins.some((pattern) => takesOrigin(pattern, origin)) ? origin : undefined;
}

/** `https://*.example.com` takes any number of labels in the place of the star. */
function takesOrigin(pattern: string, origin: string): boolean {
  const wanted = pattern.toLowerCase();
  const found = origin.toLowerCase();
  const star = wanted.indexOf("://*.");
  if (star === -1) return wanted === found;
  const scheme = wanted.slice(0, star + 3);
  const suffix = wanted.slice(star + 4);
  const name = found.slice(scheme.length, -suffix.length);
  return found.startsWith(scheme) && found.endsWith(suffix) && /^[a-z0-9.-]+$/.test(name);
}
