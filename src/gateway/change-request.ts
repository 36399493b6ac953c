/** What filters make of a request on its way to a backend, and of the answer on its way back. */
import type { FilterConfig, PathChange } from "../core/dataplane/gateway-config.ts";
import { changeFields, type Fields, withoutNames } from "./fields.ts";
import { HOP_BY_HOP } from "./hop-by-hop.ts";
import { parseAuthority } from "./request-target.ts";

export interface ForwardedRequest {
  readonly authority: string;
  readonly path: string;
  readonly fields: Fields;
}

export function changeRequest(request: ForwardedRequest, filters: readonly FilterConfig[]): ForwardedRequest {
  if (filters.length === 0) return request;
  let { authority, path, fields } = request;
  for (const filter of filters) {
    if (filter.type === "RequestHeaderModifier") {
      fields = changeFields(fields, filter);
      authority = hostOr(authority, [...filter.add, ...filter.set].find(({ name }) => name === "host")?.value);
    } else if (filter.type === "URLRewrite") {
      authority = hostOr(authority, filter.hostname);
      if (filter.path !== undefined) path = changePath(path, filter.path);
    }
  }
  return { authority, path, fields: withoutNames(fields, NOT_FOR_FILTERS) };
}

/** What is no host is left out. */
const hostOr = (authority: string, wanted: string | undefined): string =>
  wanted !== undefined && parseAuthority(wanted) !== undefined ? wanted : authority;

/** Set by whoever sends a request: a second length would leave the backend's connection, which others use next, in doubt. */
const NOT_FOR_FILTERS: ReadonlySet<string> = new Set([...HOP_BY_HOP, "host", "content-length", "expect"]);

export function changeResponseFields(fields: Fields, filters: readonly FilterConfig[]): Fields {
  let changed = fields;
  for (const filter of filters) {
    if (filter.type === "ResponseHeaderModifier") changed = changeFields(changed, filter);
  }
  return changed;
}

/** Gateway API, HTTPPathModifier: by path element, and never without a slash at the beginning. */
export function changePath(path: string, change: PathChange): string {
  if (change.type === "ReplaceFullPath") return pathText(change.path);
  const prefix = change.prefix.replace(/\/$/, "");
  const replacement = change.path.replace(/\/$/, "");
  return pathText(`${replacement}${path.slice(prefix.length)}`);
}

/** What no request line can hold is encoded. */
function pathText(path: string): string {
  const text = path.replace(/[^\x21-\x7e]/gu, encodeURIComponent);
  return text.startsWith("/") ? text : `/${text}`;
}
