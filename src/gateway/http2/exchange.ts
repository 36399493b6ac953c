import { STATUS_CODES } from "node:http";
import { constants, type ServerHttp2Stream } from "node:http2";
import type { Readable } from "node:stream";
import { type GatewayLimits, MAX_UNWANTED_BYTES } from "../contract/gateway-limits.ts";
import type { HeaderList } from "../contract/header-list.ts";
import {
  type ClientProtocol,
  type ClientResponseHead,
  clientAddress,
  type HttpExchange,
} from "../contract/http-exchange.ts";
import type { ReadHead } from "../contract/request-head.ts";
import { readRequestHead, refuseMethod } from "../http1/http1.ts";
import { Http2ClientBody } from "./client-body.ts";
import { toNodeHeaders } from "./node-headers.ts";

export interface Http2ExchangeOptions {
  readonly expectsContinue: boolean;
  readonly idleMs: number;
  readonly startedMs: number;
}

/** One request of HTTP/2, which is a stream of a connection. */
export class Http2Exchange implements HttpExchange {
  readonly protocol: ClientProtocol = "HTTP/2";
  readonly client: string;
  readonly isSecure: boolean;
  /** The TLS server name that the client sent. Empty: plain text, or no name. */
  readonly serverName: string;
  readonly body: Readable | undefined;
  onGone: () => void = () => {};
  onDrain: () => void = () => {};
  readonly #stream: ServerHttp2Stream;
  readonly #startedMs: number;
  #owesContinue: boolean;
  #hasEnded = false;
  #isCut = false;
  #trailers: HeaderList = [];

  constructor(stream: ServerHttp2Stream, options: Http2ExchangeOptions) {
    const socket = stream.session?.socket;
    // `session.socket` is a proxy whose properties have no types.
    const serverName: unknown = socket === undefined ? undefined : Reflect.get(socket, "servername");
    this.client = clientAddress(socket?.remoteAddress);
    this.isSecure = stream.session?.encrypted === true;
    this.serverName = typeof serverName === "string" ? serverName : "";
    this.body = stream.endAfterHeaders ? undefined : new Http2ClientBody(stream);
    this.#stream = stream;
    this.#startedMs = options.startedMs;
    this.#owesContinue = options.expectsContinue;
    stream.on("close", () => {
      if (!this.#hasEnded || stream.rstCode !== constants.NGHTTP2_NO_ERROR) this.onGone();
    });
    stream.on("drain", () => this.onDrain());
    // An error is followed by `close`.
    stream.on("error", () => {});
    stream.setTimeout(options.idleMs, () => this.cut());
  }

  /** True if the client has aborted the request before its response was complete. */
  get isAborted(): boolean {
    return !this.#isCut && (!this.#hasEnded || this.#stream.rstCode !== constants.NGHTTP2_NO_ERROR);
  }

  /** True if the request began at that time or earlier, is not complete, and has no response yet. */
  isReceiving(sinceMs: number): boolean {
    return (
      this.#startedMs <= sinceMs && this.body !== undefined && !this.#stream.readableEnded && !this.#stream.headersSent
    );
  }

  /** Responds in place of the backend. */
  refuse(status: number, message: string): void {
    const body = `${status} ${STATUS_CODES[status] ?? ""}: ${message}\n`;
    const headers = ["content-type", "text/plain; charset=utf-8", "content-length", String(body.length)];
    this.onGone();
    this.sendHead({ status, statusText: "", headers, isLast: true });
    this.write(Buffer.from(body));
    this.end([]);
  }

  sendContinue(): void {
    if (!this.#owesContinue) return;
    this.#owesContinue = false;
    if (!this.#stream.destroyed) this.#stream.additionalHeaders({ ":status": 100 });
  }

  sendHints(headers: HeaderList): void {
    if (!this.#stream.destroyed) this.#stream.additionalHeaders({ ":status": 103, ...toNodeHeaders(headers) });
  }

  sendHead({ status, headers, isWhole = false }: ClientResponseHead): void {
    if (this.#stream.destroyed) return;
    if (isWhole) return this.#stream.respond({ ":status": status, ...toNodeHeaders(headers) }, { endStream: true });
    this.#stream.respond({ ":status": status, ...toNodeHeaders(headers) }, { waitForTrailers: true });
    this.#stream.on("wantTrailers", () => this.#stream.sendTrailers(toNodeHeaders(this.#trailers)));
  }

  write(chunk: Buffer): boolean {
    return this.#stream.destroyed || this.#stream.write(Buffer.from(chunk));
  }

  end(trailers: HeaderList): void {
    this.#hasEnded = true;
    this.#trailers = trailers;
    if (!this.#stream.writableEnded) this.#stream.end();
    if (this.body !== undefined && !this.#stream.readableEnded) this.#discardBody();
  }

  switchProtocols(): void {
    this.cut();
  }

  cut(): void {
    this.#isCut = true;
    this.#stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  }

  #discardBody(): void {
    let bytes = 0;
    this.body?.destroy();
    this.#stream.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_UNWANTED_BYTES) this.#stream.close(constants.NGHTTP2_NO_ERROR);
    });
    this.#stream.resume();
  }
}

/** The number of bytes that each header adds to the size of a header list (RFC 9113, 6.5.2). */
const HEADER_OVERHEAD = 32;

/** Checks a head as for HTTP/1.1. `node:http2` has already checked what is specific to HTTP/2. */
export function readHttp2Head(
  { endAfterHeaders }: ServerHttp2Stream,
  rawHeaders: readonly string[],
  { maxHeaders, maxHeaderBytes }: Pick<GatewayLimits, "maxHeaders" | "maxHeaderBytes">,
): ReadHead {
  let bytes = 0;
  const pseudo = new Map<string, string>();
  const others: string[] = [];
  const hosts: string[] = [];
  const cookies: string[] = [];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? "";
    const value = rawHeaders[i + 1] ?? "";
    bytes += name.length + value.length + HEADER_OVERHEAD;
    if (name.startsWith(":")) pseudo.set(name, value);
    else if (name === "host") hosts.push(value);
    else if (name === "cookie") cookies.push(value);
    else others.push(name, value);
  }
  // `node:http2` enforces the limit only after the client has acknowledged it.
  if (bytes > maxHeaderBytes) return { state: "refused", status: 431, message: "the headers are too large" };
  const method = pseudo.get(":method") ?? "";
  const unknown = refuseMethod(method);
  if (unknown !== undefined) return unknown;
  const authority = pseudo.get(":authority") ?? hosts[0];
  if (hosts.some((host) => host.toLowerCase() !== authority?.toLowerCase())) {
    return { state: "refused", status: 400, message: "the :authority and the Host header name different hosts" };
  }
  if (authority !== undefined) others.push("host", authority);
  // HTTP/2 may split the Cookie header (RFC 9113, 8.2.3).
  if (cookies.length > 0) others.push("cookie", cookies.join("; "));
  const read = readRequestHead({
    method,
    target: pseudo.get(":path") ?? "",
    version: "1.1",
    headers: others,
    maxHeaders,
  });
  if (read.state === "refused") return read;
  return { state: "value", head: { ...read.head, hasBody: !endAfterHeaders, upgrade: undefined, wantsUpgrade: false } };
}
