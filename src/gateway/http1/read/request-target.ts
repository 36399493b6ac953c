/** Parses the target of a request line: host, path and query. */
import { normalizePath } from "./normalize-path.ts";
import { RecentCache } from "./recent-cache.ts";

export type RequestTarget =
  | {
      readonly state: "value";
      /** The authority of an absolute URL. Undefined: the target is a path. */
      readonly authority: string | undefined;
      readonly path: string;
      /** With the question mark, unchanged. Empty: there is no query. */
      readonly query: string;
    }
  | { readonly state: "refused"; readonly message: string };

/** Visible ASCII without `#`: a fragment is never sent. */
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
  /** In lower case, without the port and without a final dot. */
  readonly host: string;
  /** Undefined: there is no port. */
  readonly port: number | undefined;
}

const AUTHORITY = /^([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::([0-9]{1,5}))?$/;

/** Parses `host` or `host:port`. Undefined: the text is neither. */
export const parseAuthority = (text: string): Authority | undefined => authorities.get(text);

/** Parsed hosts. Shared by all connections: the function is pure, and the cache is bounded. */
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
