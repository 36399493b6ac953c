/** Converts between header lists and the header objects of `node:http2`. */
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http2";
import type { HeaderList } from "../contract/header-list.ts";

/** Headers about an HTTP/1 connection, which HTTP/2 does not allow (RFC 9113, 8.2.2). */
const HTTP1_ONLY: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "transfer-encoding",
  "upgrade",
]);

export function toNodeHeaders(list: HeaderList): OutgoingHttpHeaders {
  const headers = new Map<string, string | string[]>();
  for (let i = 0; i < list.length; i += 2) {
    const name = list[i] ?? "";
    const value = list[i + 1] ?? "";
    if (HTTP1_ONLY.has(name)) continue;
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : [before, value].flat());
  }
  return Object.fromEntries(headers);
}

/** Leaves out pseudo-headers such as `:status`. */
export function fromNodeHeaders(headers: IncomingHttpHeaders): HeaderList {
  const list: string[] = [];
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    if (name.startsWith(":") || value === undefined) continue;
    for (const one of Array.isArray(value) ? value : [value]) list.push(name, one);
  }
  return list;
}
