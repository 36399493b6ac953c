import { constants, type OutgoingHttpHeaders, type ServerHttp2Stream } from "node:http2";
import type { Readable } from "node:stream";
import { type AnswerHead, type ClientExchange, clientAddress } from "./client-exchange.ts";
import type { Fields } from "./fields.ts";
import type { ClientProtocol } from "./gateway-event.ts";
import { type ReadHead, readRequestHead } from "./request-head.ts";

/** What is left of a body that nobody wants is read up to here, then the client is told to stop. */
const MAX_UNWANTED_BYTES = 65_536;

/** HTTP/2: a stream of a connection that has many. */
export class Http2Exchange implements ClientExchange {
  readonly protocol: ClientProtocol = "HTTP/2";
  readonly client: string;
  readonly isSecure = true;
  /** The name that the client asked for when it set up TLS. */
  readonly serverName: string;
  readonly body: Readable | undefined;
  onGone: () => void = () => {};
  onDrain: () => void = () => {};
  readonly #stream: ServerHttp2Stream;
  #owesContinue: boolean;
  #hasEnded = false;
  #trailers: Fields = [];

  constructor(stream: ServerHttp2Stream, options: { readonly expectsContinue: boolean; readonly idleMs: number }) {
    const socket = stream.session?.socket;
    // A stand-in for the real socket: what it has can only be found by asking for it.
    const serverName: unknown = socket === undefined ? undefined : Reflect.get(socket, "servername");
    this.client = clientAddress(socket?.remoteAddress);
    this.serverName = typeof serverName === "string" ? serverName : "";
    this.body = stream.endAfterHeaders ? undefined : stream;
    this.#stream = stream;
    this.#owesContinue = options.expectsContinue;
    stream.on("close", () => {
      if (!this.#hasEnded || stream.rstCode !== constants.NGHTTP2_NO_ERROR) this.onGone();
    });
    stream.on("drain", () => this.onDrain());
    // What breaks a stream also closes it.
    stream.on("error", () => {});
    stream.setTimeout(options.idleMs, () => this.cut());
  }

  sendContinue(): void {
    if (!this.#owesContinue) return;
    this.#owesContinue = false;
    if (!this.#stream.destroyed) this.#stream.additionalHeaders({ ":status": 100 });
  }

  sendHints(fields: Fields): void {
    if (!this.#stream.destroyed) this.#stream.additionalHeaders({ ":status": 103, ...headersOf(fields) });
  }

  sendHead({ status, fields }: AnswerHead): void {
    if (this.#stream.destroyed) return;
    this.#stream.respond({ ":status": status, ...headersOf(fields) }, { waitForTrailers: true });
    this.#stream.on("wantTrailers", () => this.#stream.sendTrailers(headersOf(this.#trailers)));
  }

  write(chunk: Buffer): boolean {
    return this.#stream.destroyed || this.#stream.write(Buffer.from(chunk));
  }

  end(trailers: Fields): void {
    this.#hasEnded = true;
    this.#trailers = trailers;
    this.#stream.end();
    if (this.body !== undefined && !this.#stream.readableEnded) this.#discardBody();
  }

  switchProtocols(): void {
    this.cut();
  }

  cut(): void {
    this.#stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  }

  #discardBody(): void {
    let bytes = 0;
    this.#stream.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_UNWANTED_BYTES) this.#stream.close(constants.NGHTTP2_NO_ERROR);
    });
    this.#stream.resume();
  }
}

const OF_HTTP1: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "transfer-encoding",
  "upgrade",
]);

export function headersOf(fields: Fields): OutgoingHttpHeaders {
  const headers = new Map<string, string | string[]>();
  for (let i = 0; i < fields.length; i += 2) {
    const name = fields[i] ?? "";
    const value = fields[i + 1] ?? "";
    if (OF_HTTP1.has(name)) continue;
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : [before, value].flat());
  }
  return Object.fromEntries(headers);
}

/** The same checks as for HTTP/1.1; the library has made sure of what is HTTP/2's own. */
export function readHttp2Head(
  { endAfterHeaders }: ServerHttp2Stream,
  rawHeaders: readonly string[],
  maxHeaders: number,
): ReadHead {
  const pseudo = new Map<string, string>();
  const others: string[] = [];
  const hosts: string[] = [];
  const cookies: string[] = [];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? "";
    const value = rawHeaders[i + 1] ?? "";
    if (name.startsWith(":")) pseudo.set(name, value);
    else if (name === "host") hosts.push(value);
    else if (name === "cookie") cookies.push(value);
    else others.push(name, value);
  }
  const authority = pseudo.get(":authority") ?? hosts[0];
  if (hosts.some((host) => host.toLowerCase() !== authority?.toLowerCase())) {
    return { state: "refused", status: 400, message: "the :authority and the Host header name different hosts" };
  }
  if (authority !== undefined) others.push("host", authority);
  // HTTP/2 may send a cookie in pieces, which no other protocol understands (RFC 9113, 8.2.3).
  if (cookies.length > 0) others.push("cookie", cookies.join("; "));
  const read = readRequestHead({
    method: pseudo.get(":method") ?? "",
    target: pseudo.get(":path") ?? "",
    version: "1.1",
    fields: others,
    maxHeaders,
  });
  if (read.state === "refused") return read;
  return { state: "value", head: { ...read.head, hasBody: !endAfterHeaders, upgrade: undefined, wantsUpgrade: false } };
}
