/**
 * The headers by which backends identify the client. A client cannot impersonate another: what it says about itself is dropped, unless it
 * is a trusted proxy.
 */
import { isIP } from "node:net";
import { findHeader, type HeaderList, headerValues } from "../contract/header-list.ts";
import type { HttpExchange } from "../contract/http-exchange.ts";
import type { RequestHead } from "../contract/request-head.ts";

export interface ClientIdentity {
  /** The address of the client in front of all trusted proxies. */
  readonly client: string;
  /** The headers of the request for routes and backends. */
  readonly headers: HeaderList;
}

/** `trustedHops`: the number of trusted proxies in front of this gateway. */
export function identifyClient(
  { headers, host, hostPort }: RequestHead,
  { client: peer, isSecure, protocol }: HttpExchange,
  trustedHops: number,
): ClientIdentity {
  const client = trustedHops === 0 ? peer : (findClient(headers, trustedHops) ?? peer);
  const fromProxy = (name: string): string | undefined => (trustedHops === 0 ? undefined : findHeader(headers, name));
  const kept = withoutIdentity(headers, trustedHops === 0 ? isUntrusted : isReplaced);
  kept.push(
    "x-forwarded-for",
    client,
    "x-forwarded-proto",
    fromProxy("x-forwarded-proto") ?? (isSecure ? "https" : "http"),
    "x-forwarded-host",
    fromProxy("x-forwarded-host") ?? (hostPort === undefined ? host : `${host}:${hostPort}`),
    "via",
    protocol === "HTTP/2" ? "2 prevail" : "1.1 prevail",
  );
  return { client, headers: kept };
}

/** Each proxy appends the address of the connection that it got the request from, so the last ones are those that trusted proxies wrote. */
function findClient(headers: HeaderList, trustedHops: number): string | undefined {
  const addresses = headerValues(headers, "x-forwarded-for").join(",").split(",");
  const address = addresses.at(-trustedHops)?.trim();
  return address !== undefined && isIP(address) !== 0 ? address : undefined;
}

function withoutIdentity(headers: HeaderList, isDropped: (name: string) => boolean): string[] {
  const kept: string[] = [];
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i] ?? "";
    if (!isDropped(name)) kept.push(name, headers[i + 1] ?? "");
  }
  return kept;
}

/** Includes the headers that change what an Envoy behind this gateway does. */
function isUntrusted(name: string): boolean {
  if (!name.startsWith("x-")) return name === "forwarded";
  return name.startsWith("x-forwarded-") || name.startsWith("x-envoy-") || name === "x-real-ip";
}

const REPLACED: ReadonlySet<string> = new Set([
  "forwarded",
  "x-forwarded-client-cert",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-proto",
  "x-real-ip",
]);

/** Other headers of a trusted proxy are forwarded: `x-forwarded-port`, `x-forwarded-prefix` … */
const isReplaced = (name: string): boolean => REPLACED.has(name) || name.startsWith("x-envoy-");
