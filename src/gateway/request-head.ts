/**
 * The head of a request, read strictly. The parser underneath has already turned down most of what is malformed; here go the rest and
 * all that two readers could understand in two ways. Whatever is refused is refused with 400, and the connection closed.
 */
import type { Fields } from "./fields.ts";
import { withoutNames } from "./fields.ts";
import { type Authority, parseAuthority, parseRequestTarget } from "./request-target.ts";

export interface RequestHead {
  readonly method: string;
  readonly host: string;
  /** Of the Host header; undefined: none was said. */
  readonly hostPort: number | undefined;
  readonly path: string;
  /** With its question mark; empty: none. */
  readonly query: string;
  /** Those from end to end: not Host, not those that frame a message, not those about the connection. */
  readonly fields: Fields;
  /** Undefined: not said. */
  readonly contentLength: number | undefined;
  readonly hasBody: boolean;
  /** What the client wants to switch to, in lower case; undefined: nothing. */
  readonly upgrade: string | undefined;
  /** Whether it can take trailers. */
  readonly takesTrailers: boolean;
}

export type ReadHead =
  | { readonly state: "value"; readonly head: RequestHead }
  | { readonly state: "refused"; readonly status: 400 | 405 | 431 | 505; readonly message: string };

export interface RawHead {
  readonly method: string;
  readonly target: string;
  readonly version: string;
  /** As they came, name and value in turn. */
  readonly rawHeaders: readonly string[];
  readonly maxHeaders: number;
}

/** RTSP and Icecast share the parser, CONNECT asks for a tunnel, and TRACE tells secrets. */
const REFUSED_METHODS: ReadonlySet<string> = new Set([
  "CONNECT",
  "TRACE",
  "SOURCE",
  "PRI",
  "DESCRIBE",
  "ANNOUNCE",
  "SETUP",
  "PLAY",
  "PAUSE",
  "TEARDOWN",
  "GET_PARAMETER",
  "SET_PARAMETER",
  "REDIRECT",
  "RECORD",
  "FLUSH",
]);

export function readRequestHead(raw: RawHead): ReadHead {
  const { method, target, version, rawHeaders, maxHeaders } = raw;
  if (version !== "1.1" && version !== "1.0") return refused(505, "only HTTP/1.0 and HTTP/1.1 are spoken here");
  if (REFUSED_METHODS.has(method)) return refused(405, `${method} is not allowed`);
  if (rawHeaders.length > 2 * maxHeaders) return refused(431, `there are more than ${maxHeaders} headers`);
  const parsed = parseRequestTarget(target);
  if (parsed.state === "refused") return refused(400, parsed.message);
  const scan = scanHeaders(rawHeaders);
  if (scan.problem !== undefined) return refused(400, scan.problem);
  const framing = framingProblem(scan, version);
  if (framing !== undefined) return refused(400, framing);
  const authority = readAuthority(scan.hosts, parsed.authority);
  if (typeof authority === "string") return refused(400, authority);
  const connection = readConnection(scan.connection);
  if (connection.problem !== undefined) return refused(400, connection.problem);
  return {
    state: "value",
    head: {
      method,
      host: authority.host,
      hostPort: authority.port,
      path: parsed.path,
      query: parsed.query,
      fields: connection.named.size === 0 ? scan.fields : withoutNames(scan.fields, connection.named),
      contentLength: scan.lengths[0] === undefined ? undefined : Number(scan.lengths[0]),
      hasBody: scan.encodings.length > 0 || (scan.lengths[0] ?? "0") !== "0",
      upgrade: connection.upgrades ? scan.upgrade?.toLowerCase() : undefined,
      takesTrailers: scan.takesTrailers,
    },
  };
}

interface Scan {
  readonly fields: string[];
  readonly hosts: string[];
  readonly lengths: string[];
  readonly encodings: string[];
  connection: string | undefined;
  upgrade: string | undefined;
  takesTrailers: boolean;
  problem: string | undefined;
}

function scanHeaders(rawHeaders: readonly string[]): Scan {
  const scan: Scan = {
    fields: [],
    hosts: [],
    lengths: [],
    encodings: [],
    connection: undefined,
    upgrade: undefined,
    takesTrailers: false,
    problem: undefined,
  };
  for (let i = 0; i < rawHeaders.length; i += 2) {
    takeHeader(scan, (rawHeaders[i] ?? "").toLowerCase(), rawHeaders[i + 1] ?? "");
  }
  return scan;
}

function takeHeader(scan: Scan, name: string, value: string): void {
  switch (name) {
    case "host":
      scan.hosts.push(value);
      return;
    case "content-length":
      scan.lengths.push(value);
      return;
    case "transfer-encoding":
      scan.encodings.push(value);
      return;
    case "connection":
      scan.connection = scan.connection === undefined ? value : `${scan.connection},${value}`;
      return;
    case "upgrade":
      scan.upgrade = value;
      return;
    case "te":
      scan.takesTrailers ||= /(?:^|,)[ \t]*trailers[ \t]*(?:;|,|$)/i.test(value);
      return;
    case "keep-alive":
    case "proxy-connection":
    case "proxy-authorization":
    case "http2-settings":
    case "expect":
      return;
    default:
      // Servers that turn headers into variables read an underscore as a dash.
      if (name.includes("_") && GUARDED.has(name.replaceAll("_", "-")))
        scan.problem ??= `${name} is not ${name.replaceAll("_", "-")}`;
      scan.fields.push(name, value);
  }
}

/** What decides where a request ends, where it goes, or who sent it: no header of that kind may have a second spelling or vanish by the way. */
const GUARDED: ReadonlySet<string> = new Set([
  "host",
  "content-length",
  "transfer-encoding",
  "connection",
  "authorization",
  "cookie",
  "forwarded",
  "via",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-proto",
  "x-forwarded-port",
  "x-real-ip",
]);

function framingProblem({ lengths, encodings }: Scan, version: string): string | undefined {
  if (lengths.length > 1) return "there are several Content-Length headers";
  if (lengths[0] !== undefined && !/^(?:0|[1-9][0-9]{0,14})$/.test(lengths[0]))
    return "Content-Length is not a plain number";
  if (encodings.length === 0) return undefined;
  if (lengths.length > 0) return "there are both Content-Length and Transfer-Encoding";
  if (version !== "1.1") return "HTTP/1.0 has no Transfer-Encoding";
  if (encodings.length > 1 || encodings[0]?.toLowerCase() !== "chunked")
    return "Transfer-Encoding is not exactly chunked";
  return undefined;
}

/** The host that is meant, or why nobody can tell. */
function readAuthority(hosts: readonly string[], absolute: string | undefined): Authority | string {
  const [host, ...more] = hosts;
  if (host === undefined) return "there is no Host header";
  if (more.length > 0) return "there are several Host headers";
  const authority = parseAuthority(host);
  if (authority === undefined) return "the Host header is not a host";
  if (absolute !== undefined && absolute.toLowerCase() !== host.toLowerCase()) {
    return "the request target and the Host header name different hosts";
  }
  return authority;
}

interface Connection {
  /** Headers that it names, which end here. */
  readonly named: ReadonlySet<string>;
  readonly upgrades: boolean;
  readonly problem?: string;
}

const NO_NAMES: ReadonlySet<string> = new Set();
const KEEP_ALIVE: Connection = { named: NO_NAMES, upgrades: false };
const UPGRADE: Connection = { named: NO_NAMES, upgrades: true };

function readConnection(value: string | undefined): Connection {
  if (value === undefined) return KEEP_ALIVE;
  const lower = value.toLowerCase();
  if (lower === "keep-alive" || lower === "close") return KEEP_ALIVE;
  if (lower === "upgrade") return UPGRADE;
  const named = new Set(lower.split(",").map((name) => name.trim()));
  for (const name of named) {
    if (GUARDED.has(name))
      return { named, upgrades: false, problem: `Connection names ${name}, which is not about the connection` };
  }
  return { named, upgrades: named.has("upgrade") };
}

const refused = (status: 400 | 405 | 431 | 505, message: string): ReadHead => ({ state: "refused", status, message });
