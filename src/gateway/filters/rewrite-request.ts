/** Applies the filters of a rule or a backendRef to a request on its way to the backend, and to the response on its way back. */
import type { FilterConfig } from "../../core/dataplane/gateway-config.ts";
import { type HeaderList, withoutHeaders } from "../contract/header-list.ts";
import { HOP_BY_HOP } from "../contract/hop-by-hop.ts";
import { parseAuthority } from "../http1/http1.ts";
import { modifyHeaders } from "./modify-headers.ts";
import { rewritePath } from "./rewrite-path.ts";

export interface ForwardedRequest {
  readonly authority: string;
  readonly path: string;
  readonly headers: HeaderList;
}

export function rewriteRequest(request: ForwardedRequest, filters: readonly FilterConfig[]): ForwardedRequest {
  if (filters.length === 0) return request;
  let { authority, path, headers } = request;
  for (const filter of filters) {
    if (filter.type === "RequestHeaderModifier") {
      headers = modifyHeaders(headers, filter);
      authority = hostOr(authority, [...filter.add, ...filter.set].find(({ name }) => name === "host")?.value);
    } else if (filter.type === "URLRewrite") {
      authority = hostOr(authority, filter.hostname);
      if (filter.path !== undefined) path = rewritePath(path, filter.path);
    }
  }
  return { authority, path, headers: withoutHeaders(headers, NOT_FOR_FILTERS) };
}

/** A configured value that is not a valid host is ignored. */
const hostOr = (authority: string, configured: string | undefined): string =>
  configured !== undefined && parseAuthority(configured) !== undefined ? configured : authority;

/**
 * Headers that frame the message. The gateway sets them itself: a second length from a filter would let a request on the shared backend
 * connection end too early.
 */
const NOT_FOR_FILTERS: ReadonlySet<string> = new Set([...HOP_BY_HOP, "host", "content-length", "expect"]);

export function changeResponseHeaders(headers: HeaderList, filters: readonly FilterConfig[]): HeaderList {
  let changed = headers;
  for (const filter of filters) {
    if (filter.type === "ResponseHeaderModifier") changed = modifyHeaders(changed, filter);
  }
  return changed;
}
