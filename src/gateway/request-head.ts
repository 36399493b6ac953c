/**
 * What the head of a request means, read strictly. That its lines are well formed is settled already; here goes all that two readers could
 * understand in two ways. Whatever is refused is refused with 400, and the connection closed.
 */
import type { RefusalStatus } from "./bad-message.ts";
import type { Fields } from "./fields.ts";
import { withoutNames } from "./fields.ts";
import { connectionWords } from "./hop-by-hop.ts";
import { type Authority, parseAuthority, parseRequestTarget } from "./request-target.ts";

export interface RequestHead {
  readonly method: string;
  /** Of HTTP/1; a request of HTTP/2 counts as one of 1.1. */
  readonly version: "1.0" | "1.1";
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
  /** What the client wants to switch to, if that can be granted. */
  readonly upgrade: "websocket" | undefined;
  /** Whether it wants to switch to anything: what follows may be something else than HTTP. */
  readonly wantsUpgrade: boolean;
  /** Whether it can take trailers. */
  readonly takesTrailers: boolean;
  /** Whether it waits for a word before it sends its body. */
  readonly expectsContinue: boolean;
  /** Whether it would send another request on the same connection. */
  readonly keepsAlive: boolean;
}

export type ReadHead =
  | { readonly state: "value"; readonly head: RequestHead }
  | { readonly state: "refused"; readonly status: RefusalStatus; readonly message: string };

export interface RawHead {
  readonly method: string;
  readonly target: string;
  readonly version: "1.0" | "1.1";
  readonly fields: Fields;
  readonly maxHeaders: number;
}

/** CONNECT asks for a tunnel, and TRACE tells secrets. */
const REFUSED_METHODS: ReadonlySet<string> = new Set(["CONNECT", "TRACE"]);

export function readRequestHead({ method, target, version, fields, maxHeaders }: RawHead): ReadHead {
  if (REFUSED_METHODS.has(method)) return refused(405, `${method} is not allowed`);
  if (fields.length > 2 * maxHeaders) return refused(431, `there are more than ${maxHeaders} headers`);
  const parsed = parseRequestTarget(target);
  if (parsed.state === "refused") return refused(400, parsed.message);
  const scan = scanFields(fields);
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
  // RFC 9110, 7.8 and 10.1.1: HTTP/1.0 has neither of the two.
  const wantsUpgrade = connection.upgrades && isHttp11 && scan.upgrade !== undefined;
  if (wantsUpgrade && hasBody) return refused(400, "a request to upgrade has a body");
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
      fields: connection.named.size === 0 ? scan.fields : withoutNames(scan.fields, connection.named),
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
  readonly fields: string[];
  readonly hosts: string[];
  readonly lengths: string[];
  readonly encodings: string[];
  connection: string | undefined;
  upgrade: string | undefined;
  expect: string | undefined;
  takesTrailers: boolean;
  problem: string | undefined;
}

function scanFields(all: Fields): Scan {
  const scan: Scan = {
    fields: [],
    hosts: [],
    lengths: [],
    encodings: [],
    connection: undefined,
    upgrade: undefined,
    expect: undefined,
    takesTrailers: false,
    problem: undefined,
  };
  for (let i = 0; i < all.length; i += 2) takeField(scan, all[i] ?? "", all[i + 1] ?? "");
  return scan;
}

function takeField(scan: Scan, name: string, value: string): void {
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

/** Of trailers: those, and what is about one connection. */
export const isGuarded = (name: string): boolean =>
  GUARDED.has(name.replaceAll("_", "-")) || ABOUT_CONNECTIONS.has(name);

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
  readonly closes: boolean;
  /** As HTTP/1.0 has to ask for it. */
  readonly keepsAlive: boolean;
  readonly problem?: string;
}

const NOT_SAID: Connection = { named: new Set(), upgrades: false, closes: false, keepsAlive: false };
const KEEP_ALIVE: Connection = { ...NOT_SAID, keepsAlive: true };
const CLOSE: Connection = { ...NOT_SAID, closes: true };
const UPGRADE: Connection = { ...NOT_SAID, upgrades: true };

function readConnection(value: string | undefined): Connection {
  if (value === undefined) return NOT_SAID;
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
  const named = connectionWords(value);
  for (const name of named) {
    if (GUARDED.has(name))
      return { ...NOT_SAID, problem: `Connection names ${name}, which is not about the connection` };
  }
  const [upgrades, closes, keepsAlive] = [named.has("upgrade"), named.has("close"), named.has("keep-alive")];
  return { named, upgrades, closes, keepsAlive };
}

const refused = (status: RefusalStatus, message: string): ReadHead => ({ state: "refused", status, message });
