/** Adds the headers that describe the client to a forwarded request. */

import { type HeaderList, headerValues, withoutHeaders } from "../contract/header-list.ts";
import type { HttpExchange } from "../contract/http-exchange.ts";
import type { RequestHead } from "../contract/request-head.ts";

/** Headers that clients could use to impersonate others. */
const SPOOFABLE: ReadonlySet<string> = new Set([
  "forwarded",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-port",
  "x-forwarded-proto",
  "x-real-ip",
]);
const REPLACED: ReadonlySet<string> = new Set(["x-forwarded-for", "x-forwarded-host", "x-forwarded-proto"]);

/** `Overwrite` drops the values that the client sent, so that it cannot impersonate another client. `Append` keeps them, for a trusted proxy in front. */
export function addForwardedHeaders(
  { headers, host, hostPort }: RequestHead,
  { client, isSecure, protocol }: HttpExchange,
  forwarded: "Overwrite" | "Append",
): HeaderList {
  const kept = withoutHeaders(headers, forwarded === "Overwrite" ? SPOOFABLE : REPLACED);
  const before = forwarded === "Overwrite" ? [] : headerValues(headers, "x-forwarded-for");
  kept.push(
    "x-forwarded-for",
    before.length === 0 ? client : [...before, client].join(", "),
    "x-forwarded-proto",
    first(headers, "x-forwarded-proto", forwarded) ?? (isSecure ? "https" : "http"),
    "x-forwarded-host",
    first(headers, "x-forwarded-host", forwarded) ?? (hostPort === undefined ? host : `${host}:${hostPort}`),
    "via",
    protocol === "HTTP/2" ? "2 prevail" : "1.1 prevail",
  );
  return kept;
}

/** With `Append`, the value that the proxy in front has set. */
function first(headers: HeaderList, name: string, forwarded: "Overwrite" | "Append"): string | undefined {
  return forwarded === "Append" ? headerValues(headers, name)[0] : undefined;
}
