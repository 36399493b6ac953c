/**
 * Interprets the head of a request whose lines are well formed. A head that two readers could interpret differently is refused, and the
 * connection is closed. HTTP/1 and HTTP/2 use it, so that both refuse the same heads.
 */
import { type HeaderList, withoutHeaders } from "../../contract/header-list.ts";
import { connectionOptions } from "../../contract/hop-by-hop.ts";
import type { ReadHead, RefusalStatus } from "../../contract/request-head.ts";
import { type Authority, parseAuthority, parseRequestTarget } from "./request-target.ts";

export interface RawHead {
  readonly method: string;
  readonly target: string;
  readonly version: "1.0" | "1.1";
  readonly headers: HeaderList;
  readonly maxHeaders: number;
}

/** CONNECT opens a tunnel, and TRACE reveals headers that the client does not know. */
const REFUSED_METHODS: ReadonlySet<string> = new Set(["CONNECT", "TRACE"]);

export function readRequestHead({ method, target, version, headers, maxHeaders }: RawHead): ReadHead {
  if (REFUSED_METHODS.has(method)) return refused(405, `${method} is not allowed`);
  if (headers.length > 2 * maxHeaders) return refused(431, `there are more than ${maxHeaders} headers`);
  const parsed = parseRequestTarget(target);
  if (parsed.state === "refused") return refused(400, parsed.message);
  const scan = scanHeaders(headers);
  if (scan.problem !== undefined) return refused(400, scan.problem);
  const framing = framingProblem(scan, version);
  if (framing !== undefined) return refused(400, framing);
  if (scan.expect !== undefined && scan.expect.toLowerCase() !== "100-continue") {
    return refused(417, "only 100-continue can be expected");
  }
  const authority = readAuthority(scan.hosts, parsed.authority);
  if (typeof authority === "string") return refused(400, authority);
  const connection = readConnection(scan.connection);
  if (connection.problem !== undefined) return refused(400, connection.problem);
  const isHttp11 = version === "1.1";
  const [length] = scan.lengths;
  const hasBody = scan.encodings.length > 0 || (length ?? "0") !== "0";
  // RFC 9110, 7.8 and 10.1.1: HTTP/1.0 has neither Upgrade nor Expect.
  const wantsUpgrade = connection.upgrades && isHttp11 && scan.upgrade !== undefined;
  if (wantsUpgrade && hasBody) return refused(400, "a request for an upgrade has a body");
  const isWebSocket = wantsUpgrade && method === "GET" && scan.upgrade?.toLowerCase() === "websocket";
  return {
    state: "value",
    head: {
      method,
      version,
      host: authority.host,
      hostPort: authority.port,
      path: parsed.path,
      query: parsed.query,
      headers: connection.named.size === 0 ? scan.headers : withoutHeaders(scan.headers, connection.named),
      contentLength: length === undefined ? undefined : Number(length),
      hasBody,
      upgrade: isWebSocket ? "websocket" : undefined,
      wantsUpgrade,
      takesTrailers: scan.takesTrailers,
      expectsContinue: scan.expect !== undefined && isHttp11,
      keepsAlive: !connection.closes && !wantsUpgrade && (isHttp11 || connection.keepsAlive),
    },
  };
}

interface Scan {
  readonly headers: string[];
  readonly hosts: string[];
  readonly lengths: string[];
  readonly encodings: string[];
  connection: string | undefined;
  upgrade: string | undefined;
  expect: string | undefined;
  takesTrailers: boolean;
  problem: string | undefined;
}

function scanHeaders(all: HeaderList): Scan {
  const scan: Scan = {
    headers: [],
    hosts: [],
    lengths: [],
    encodings: [],
    connection: undefined,
    upgrade: undefined,
    expect: undefined,
    takesTrailers: false,
    problem: undefined,
  };
  for (let i = 0; i < all.length; i += 2) takeHeader(scan, all[i] ?? "", all[i + 1] ?? "");
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
      return;
    case "expect":
      scan.expect = scan.expect === undefined ? value : `${scan.expect}, ${value}`;
      return;
    default:
      // Servers that turn headers into variables do not distinguish an underscore from a dash.
      if (name.includes("_")) scan.problem ??= `${name} has an underscore; write ${name.replaceAll("_", "-")}`;
      scan.headers.push(name, value);
  }
}

/** Headers about where a request ends, where it goes or who sent it. Connection must not list them. */
const GUARDED: ReadonlySet<string> = new Set([
  "host",
  "content-length",
  "transfer-encoding",
  "connection",
  "authorization",
  "cookie",
  "forwarded",
  "via",
  "x-forwarded-client-cert",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-proto",
  "x-forwarded-port",
  "x-real-ip",
]);

/** True if a header is not allowed as a trailer. */
export const isGuarded = (name: string): boolean =>
  GUARDED.has(name) || ABOUT_CONNECTIONS.has(name) || name.includes("_");

const ABOUT_CONNECTIONS: ReadonlySet<string> = new Set([
  "expect",
  "http2-settings",
  "keep-alive",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "upgrade",
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

/** Returns the host of the request, or the reason why it is refused. */
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
  /** The headers that it lists. They are not forwarded. */
  readonly named: ReadonlySet<string>;
  readonly upgrades: boolean;
  readonly closes: boolean;
  /** Only relevant for HTTP/1.0. */
  readonly keepsAlive: boolean;
  readonly problem?: string;
}

const NO_OPTIONS: Connection = { named: new Set(), upgrades: false, closes: false, keepsAlive: false };
const KEEP_ALIVE: Connection = { ...NO_OPTIONS, keepsAlive: true };
const CLOSE: Connection = { ...NO_OPTIONS, closes: true };
const UPGRADE: Connection = { ...NO_OPTIONS, upgrades: true };

function readConnection(value: string | undefined): Connection {
  if (value === undefined) return NO_OPTIONS;
  switch (value.toLowerCase()) {
    case "keep-alive":
      return KEEP_ALIVE;
    case "close":
      return CLOSE;
    case "upgrade":
      return UPGRADE;
    default:
      return readConnectionList(value);
  }
}

function readConnectionList(value: string): Connection {
  const named = connectionOptions(value);
  for (const name of named) {
    if (GUARDED.has(name))
      return { ...NO_OPTIONS, problem: `Connection names ${name}, which is not about the connection` };
  }
  const [upgrades, closes, keepsAlive] = [named.has("upgrade"), named.has("close"), named.has("keep-alive")];
  return { named, upgrades, closes, keepsAlive };
}

const refused = (status: RefusalStatus, message: string): ReadHead => ({ state: "refused", status, message });
