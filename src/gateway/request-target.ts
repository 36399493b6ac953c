/** The second word of a request line: which host, which path, which query. */
import { normalizePath } from "./normalize-path.ts";
import { RecentCache } from "./recent-cache.ts";

export type RequestTarget =
  | {
      readonly state: "value";
      /** Of the absolute form; undefined: the Host header says it. */
      readonly authority: string | undefined;
      readonly path: string;
      /** With its question mark, as it came; empty: none. */
      readonly query: string;
    }
  | { readonly state: "refused"; readonly message: string };

/** Visible ASCII. A fragment is never sent, so a `#` is somebody's mistake or trick. */
const QUERY = /^[!"$-~]*$/;
const ABSOLUTE = /^https?:\/\/([^/?#]*)/i;

export function parseRequestTarget(target: string): RequestTarget {
  const absolute = target.startsWith("/") ? null : ABSOLUTE.exec(target);
  if (absolute === null && !target.startsWith("/")) {
    return { state: "refused", message: "the request target is neither a path nor an http URL" };
  }
  const rest = absolute === null ? target : target.slice(absolute[0].length);
  const mark = rest.indexOf("?");
  const query = mark === -1 ? "" : rest.slice(mark);
  if (!QUERY.test(query))
    return { state: "refused", message: "the query has a character that must be percent-encoded" };
  const normalized = normalizePath(mark === -1 ? rest : rest.slice(0, mark));
  if (normalized.state === "refused") return normalized;
  return { state: "value", authority: absolute?.[1], path: normalized.path, query };
}

export interface Authority {
  /** In lower case, without the port; no dot at its end. */
  readonly host: string;
  /** Undefined: none was said. */
  readonly port: number | undefined;
}

const AUTHORITY = /^([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::([0-9]{1,5}))?$/;

/** A host and perhaps a port, nothing else; undefined: it is something else. */
export const parseAuthority = (text: string): Authority | undefined => authorities.get(text);

const authorities = new RecentCache(readAuthority);

function readAuthority(text: string): Authority | undefined {
  const found = AUTHORITY.exec(text);
  if (found?.[1] === undefined) return undefined;
  const port = found[2] === undefined ? undefined : Number(found[2]);
  if (port !== undefined && (port === 0 || port > 65_535)) return undefined;
  const host = found[1].toLowerCase().replace(/\.$/, "");
  return isHost(host) ? { host, port } : undefined;
}

const isHost = (host: string): boolean =>
  host !== "" && host.length <= 255 && !host.startsWith(".") && !host.includes("..");
