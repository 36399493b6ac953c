import { connect as connectPlain, type Socket } from "node:net";
import { Duplex, type Readable } from "node:stream";
import { connect as connectTls } from "node:tls";
import type { Endpoint } from "../../core/dataplane/gateway-config.ts";
import type { GatewayClock, GatewayTimer } from "../contract/gateway-clock.ts";
import type { GatewayLimits } from "../contract/gateway-limits.ts";
import { formatHeaders } from "../contract/header-list.ts";
import type { AttemptFailure, AttemptSink, UpstreamRequest, UpstreamTlsOptions } from "../contract/upstream.ts";
import { BatchedOutput } from "./batched-output.ts";
import { IdleTime } from "./idle-time.ts";
import { type ResponseEnd, ResponseReader } from "./read/response-reader.ts";

export interface ConnectionOptions {
  readonly endpoint: Endpoint;
  readonly tls: UpstreamTlsOptions | undefined;
  readonly limits: GatewayLimits;
  readonly clock: GatewayClock;
  /** Called when the connection can be used for another request. */
  readonly onFree: (connection: Http1Connection) => void;
  /** Called once, when the connection cannot be used any more. */
  readonly onGone: (connection: Http1Connection) => void;
}

/** One connection to an endpoint. It carries one request at a time. */
export class Http1Connection {
  readonly #options: ConnectionOptions;
  readonly #socket: Socket;
  readonly #output: BatchedOutput;
  readonly #reader: ResponseReader;
  #request: UpstreamRequest | undefined;
  #sink: AttemptSink | undefined;
  #connectTimer: GatewayTimer | undefined;
  #isConnected = false;
  #isGone = false;
  /** True if the whole request has been written. */
  #hasSent = false;
  /** The number of pieces that were sent before the current request. */
  #piecesBefore = 0;
  /** When an idle connection becomes too old to be used. */
  #usableUntilMs = 0;
  /** True while the client cannot accept more data. */
  #isPaused = false;
  readonly #idle = new IdleTime();
  /** Set once the connection has switched protocols. */
  #tunnel: Duplex | undefined;

  constructor(options: ConnectionOptions) {
    const { tls, limits, clock } = options;
    this.#options = options;
    this.#socket = this.#connect();
    this.#output = new BatchedOutput(this.#socket);
    this.#connectTimer = clock.startTimer(limits.connectMs, () =>
      this.#fail("NotConnected", "connecting took too long"),
    );
    this.#reader = new ResponseReader(
      {
        onInterim: (head) => {
          if (head.status === 103) this.#sink?.onHints(head.headers);
        },
        onSwitch: (head, rest) => this.#switch(head, rest),
        onHead: (head) => this.#sink?.onHead(head),
        onData: (chunk) => {
          if (this.#sink?.onData(chunk) === false) this.#isPaused = true;
        },
        onEnd: (trailers, end) => this.#end(trailers, end),
      },
      limits.maxHeaderBytes,
    );
    this.#listen(tls === undefined ? "connect" : "secureConnect");
  }

  /** True if the backend has probably not closed the connection. */
  isUsable(nowMs: number): boolean {
    return !this.#isGone && nowMs < this.#usableUntilMs;
  }

  /** Calls the sink later, never before it returns. */
  send(request: UpstreamRequest, sink: AttemptSink): void {
    this.#request = request;
    this.#sink = sink;
    if (this.#isConnected) this.#write(request);
  }

  /** Closes the connection. The sink is not called any more. */
  cancel(): void {
    this.#sink = undefined;
    this.#destroy();
  }

  /**
   * Aborts the request. The sink is not called any more. A connection that is still being opened is kept for another request: requests that clients
   * abort at once would cost a backend a connection each.
   */
  abandon(): void {
    if (this.#isConnected || this.#isGone) return this.cancel();
    const { clock, limits } = this.#options;
    const body = this.#request?.body;
    this.#sink = undefined;
    this.#request = undefined;
    this.#usableUntilMs = clock.nowMs() + limits.upstreamKeepAliveMs;
    body?.destroy();
    this.#options.onFree(this);
  }

  resume(): void {
    this.#isPaused = false;
    this.#socket.resume();
  }

  /** Called periodically to enforce the idle timeout. */
  checkTime(nowMs: number): void {
    if (this.#idle.checkMs(nowMs) < this.#options.limits.idleMs || this.#tunnel !== undefined) return;
    if (this.#sink === undefined) this.#destroy();
    else this.#fail("TimedOut", "the backend sent nothing for too long");
  }

  #connect(): Socket {
    const { endpoint, tls } = this.#options;
    const where = { host: endpoint.address, port: endpoint.port, noDelay: true };
    if (tls === undefined) {
      const callback = (bytes: number): boolean => this.#take(READ_BUFFER.subarray(0, bytes));
      return connectPlain({ ...where, onread: { buffer: READ_BUFFER, callback } });
    }
    const socket = connectTls({ ...where, ALPNProtocols: ["http/1.1"], ...tls });
    socket.on("data", (chunk: Buffer) => {
      if (!this.#take(chunk)) socket.pause();
    });
    return socket;
  }

  /** True if more data can be accepted at once. */
  #take(bytes: Buffer): boolean {
    this.#idle.touch();
    if (this.#tunnel !== undefined) return this.#tunnel.push(Buffer.from(bytes));
    // Data that arrives before the request was sent is not the response to it.
    if (this.#isUnsent()) this.#break("unexpected data from the backend");
    else this.#read(bytes);
    return !this.#isPaused;
  }

  #listen(connected: "connect" | "secureConnect"): void {
    const socket = this.#socket;
    socket.on(connected, () => {
      this.#isConnected = true;
      this.#connectTimer?.cancel();
      if (this.#request !== undefined) this.#write(this.#request);
    });
    socket.on("end", () => {
      if (this.#tunnel !== undefined) this.#tunnel.push(null);
      else if (this.#isUnsent()) this.#break("the connection was closed");
      else this.#read(undefined);
    });
    socket.on("drain", () => {
      this.#idle.touch();
      this.#request?.body?.resume();
    });
    socket.on("error", (error) => this.#break(error.message));
    socket.on("close", () => this.#break("the connection was closed"));
  }

  /** Undefined: the backend has closed its side. */
  #read(bytes: Buffer | undefined): void {
    try {
      if (bytes === undefined) this.#reader.close();
      else this.#reader.take(bytes);
    } catch (error) {
      this.#fail("Reset", error instanceof Error ? error.message : String(error));
    }
  }

  #break(message: string): void {
    this.#tunnel?.destroy();
    this.#fail(this.#isConnected && !this.#isUnsent() ? "Reset" : "NotConnected", message);
  }

  /** True if no byte of the request was sent. A reused connection may turn out to be closed before that. */
  #isUnsent(): boolean {
    return this.#request !== undefined && this.#isConnected && this.#output.pieces === this.#piecesBefore;
  }

  #write(request: UpstreamRequest): void {
    const { method, upgrade, body } = request;
    this.#reader.expect(method, upgrade !== undefined);
    this.#hasSent = body === undefined;
    this.#piecesBefore = this.#output.pieces;
    this.#idle.touch();
    this.#output.addText(formatRequestHead(request));
    if (body !== undefined) this.#writeBody(body, request.contentLength === undefined);
  }

  #writeBody(body: Readable, isChunked: boolean): void {
    const output = this.#output;
    body.on("data", (chunk: Buffer) => {
      const hasRoom = isChunked ? output.addChunk(chunk) : output.addBytes(chunk);
      if (!hasRoom) body.pause();
    });
    body.on("end", () => {
      this.#hasSent = true;
      if (isChunked) output.addText("0\r\n\r\n");
    });
    // Without the rest of its body the request is incomplete.
    body.on("error", () => this.#fail("Reset", "the client aborted the request"));
    body.on("close", () => {
      if (this.#request?.body === body && !this.#hasSent) this.#fail("Reset", "the client aborted the request");
    });
  }

  /** Hands the connection over as a byte stream. */
  #switch(head: Parameters<AttemptSink["onUpgrade"]>[0], rest: Buffer): void {
    const sink = this.#sink;
    const socket = this.#socket;
    this.#sink = undefined;
    this.#isGone = true;
    this.#options.onGone(this);
    if (sink === undefined) {
      socket.destroy();
      return;
    }
    const tunnel = tunnelThrough(socket);
    this.#tunnel = tunnel;
    if (rest.length > 0) tunnel.push(Buffer.from(rest));
    sink.onUpgrade(head, tunnel);
  }

  #end(trailers: readonly string[], { isReusable, keepAliveMs }: ResponseEnd): void {
    const sink = this.#sink;
    const { limits } = this.#options;
    const body = this.#request?.body;
    const hasSent = this.#hasSent;
    this.#sink = undefined;
    this.#request = undefined;
    // One second less than the backend announces, so that no request is sent on a connection that the backend closes.
    const idleMs = Math.min(limits.upstreamKeepAliveMs, keepAliveMs === undefined ? Infinity : keepAliveMs - 1000);
    // Before `onEnd`, because that may start the next request.
    if (isReusable && hasSent && idleMs > 0 && !this.#isGone) {
      this.#usableUntilMs = this.#options.clock.nowMs() + idleMs;
      this.#isPaused = false;
      this.#options.onFree(this);
    } else this.#destroy();
    sink?.onEnd(trailers);
    if (!hasSent) body?.destroy();
  }

  #fail(type: AttemptFailure["type"], message: string): void {
    const sink = this.#sink;
    this.#sink = undefined;
    this.#destroy();
    sink?.onFail({ type, message });
  }

  #destroy(): void {
    const body = this.#request?.body;
    this.#request = undefined;
    this.#connectTimer?.cancel();
    if (this.#isGone) return;
    this.#isGone = true;
    this.#socket.destroy();
    body?.destroy();
    this.#options.onGone(this);
  }
}

/** One buffer for all connections, because received bytes are processed completely before the next read. */
const READ_BUFFER = Buffer.allocUnsafeSlow(65_536);

/** The reading side is fed by `push` from the socket's read callback. */
function tunnelThrough(socket: Socket): Duplex {
  return new Duplex({
    read: () => void socket.resume(),
    write: (chunk: Buffer, _, done) => void socket.write(chunk, done),
    final: (done) => void socket.end(done),
    destroy: (error, done) => {
      socket.destroy();
      done(error);
    },
  });
}

/** The parts have been checked: by the request reader, or when a filter set them. */
function formatRequestHead({
  method,
  path,
  authority,
  headers,
  contentLength,
  body,
  upgrade,
}: UpstreamRequest): string {
  const text = `${method} ${path} HTTP/1.1\r\nhost: ${authority}\r\n${formatHeaders(headers)}`;
  if (upgrade !== undefined) return `${text}connection: upgrade\r\nupgrade: ${upgrade}\r\n\r\n`;
  if (contentLength !== undefined) return `${text}content-length: ${contentLength}\r\n\r\n`;
  return body === undefined ? `${text}\r\n` : `${text}transfer-encoding: chunked\r\n\r\n`;
}
