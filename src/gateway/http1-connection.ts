import { connect as connectPlain, type Socket } from "node:net";
import { Duplex, type Readable } from "node:stream";
import { connect as connectTls } from "node:tls";
import type { Endpoint } from "../core/dataplane/gateway-config.ts";
import { fieldLines } from "./fields.ts";
import type { GatewayClock, GatewayTimer } from "./gateway-clock.ts";
import type { GatewayLimits } from "./gateway-limits.ts";
import { JoinedOutput } from "./joined-output.ts";
import { QuietTime } from "./quiet-time.ts";
import { type AnswerEnd, ResponseReader } from "./response-reader.ts";
import type { AttemptFailure, AttemptSink, UpstreamRequest, UpstreamTls } from "./upstream.ts";
import { upstreamTlsOptions } from "./upstream-tls-options.ts";

export interface ConnectionOptions {
  readonly endpoint: Endpoint;
  readonly tls: UpstreamTls | undefined;
  readonly limits: GatewayLimits;
  readonly clock: GatewayClock;
  /** It can be used for another request. */
  readonly onFree: (connection: Http1Connection) => void;
  /** Once, when it cannot be used any more. */
  readonly onGone: (connection: Http1Connection) => void;
}

/** One connection to an endpoint, and the one request that is on it. */
export class Http1Connection {
  readonly #options: ConnectionOptions;
  readonly #socket: Socket;
  readonly #output: JoinedOutput;
  readonly #reader: ResponseReader;
  #request: UpstreamRequest | undefined;
  #sink: AttemptSink | undefined;
  #connectTimer: GatewayTimer | undefined;
  #isConnected = false;
  #isGone = false;
  /** Whether all of the request has been written. */
  #hasSent = false;
  /** What had been sent when the request came. */
  #piecesBefore = 0;
  /** Until when an idle connection can be used. */
  #usableUntilMs = 0;
  /** The client does not take more at the moment. */
  #isHeldBack = false;
  readonly #quiet = new QuietTime();
  /** Once both ends speak something else than HTTP. */
  #tunnel: Duplex | undefined;

  constructor(options: ConnectionOptions) {
    const { tls, limits, clock } = options;
    this.#options = options;
    this.#socket = this.#connect();
    this.#output = new JoinedOutput(this.#socket);
    this.#connectTimer = clock.startTimer(limits.connectMs, () =>
      this.#fail("NotConnected", "connecting took too long"),
    );
    this.#reader = new ResponseReader(
      {
        onInterim: (head) => {
          if (head.status === 103) this.#sink?.onHints(head.fields);
        },
        onSwitch: (head, rest) => this.#switch(head, rest),
        onHead: (head) => this.#sink?.onHead(head),
        onData: (chunk) => {
          if (this.#sink?.onData(chunk) === false) this.#isHeldBack = true;
        },
        onEnd: (trailers, end) => this.#end(trailers, end),
      },
      limits.maxHeaderBytes,
    );
    this.#listen(tls === undefined ? "connect" : "secureConnect");
  }

  /** Whether the backend will not have closed it in the meantime. */
  isUsable(nowMs: number): boolean {
    return !this.#isGone && nowMs < this.#usableUntilMs;
  }

  /** What becomes of it is told to the sink, never before this returns. */
  send(request: UpstreamRequest, sink: AttemptSink): void {
    this.#request = request;
    this.#sink = sink;
    if (this.#isConnected) this.#write(request);
  }

  /** The sink hears nothing more, and what is on its way is broken off. */
  cancel(): void {
    this.#sink = undefined;
    this.#destroy();
  }

  resume(): void {
    this.#isHeldBack = false;
    this.#socket.resume();
  }

  /** Called now and then: nothing came or went for too long. */
  checkTime(nowMs: number): void {
    if (this.#quiet.lookMs(nowMs) < this.#options.limits.idleMs || this.#tunnel !== undefined) return;
    if (this.#sink === undefined) this.#destroy();
    else this.#fail("TimedOut", "the backend was silent for too long");
  }

  #connect(): Socket {
    const { endpoint, tls } = this.#options;
    const where = { host: endpoint.address, port: endpoint.port, noDelay: true };
    if (tls === undefined) {
      const callback = (bytes: number): boolean => this.#take(READ_BUFFER.subarray(0, bytes));
      return connectPlain({ ...where, onread: { buffer: READ_BUFFER, callback } });
    }
    const socket = connectTls({ ...where, ALPNProtocols: ["http/1.1"], ...upstreamTlsOptions(tls) });
    socket.on("data", (chunk: Buffer) => {
      if (!this.#take(chunk)) socket.pause();
    });
    return socket;
  }

  /** Whether more can come at once. */
  #take(bytes: Buffer): boolean {
    this.#quiet.note();
    if (this.#tunnel !== undefined) return this.#tunnel.push(Buffer.from(bytes));
    // What comes before the first byte of a request is not the answer to it.
    if (this.#isUnsent()) this.#break("an answer that nobody asked for");
    else this.#read(bytes);
    return !this.#isHeldBack;
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
      this.#quiet.note();
      this.#request?.body?.resume();
    });
    socket.on("error", (error) => this.#break(error.message));
    socket.on("close", () => this.#break("the connection was closed"));
  }

  /** Undefined: no more will come. */
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

  /** Nothing of the request has left this machine: a kept connection may turn out to be closed before it does. */
  #isUnsent(): boolean {
    return this.#request !== undefined && this.#isConnected && this.#output.pieces === this.#piecesBefore;
  }

  #write(request: UpstreamRequest): void {
    const { method, upgrade, body } = request;
    this.#reader.expect(method, upgrade !== undefined);
    this.#hasSent = body === undefined;
    this.#piecesBefore = this.#output.pieces;
    this.#quiet.note();
    this.#output.addText(headText(request));
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
    // A body that breaks off leaves a request that is not whole.
    body.on("error", () => this.#fail("Reset", "the client broke off"));
    body.on("close", () => {
      if (this.#request?.body === body && !this.#hasSent) this.#fail("Reset", "the client broke off");
    });
  }

  /** What is left of the connection is a stream of bytes. */
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

  #end(trailers: readonly string[], { isReusable, keepAliveMs }: AnswerEnd): void {
    const sink = this.#sink;
    const { limits } = this.#options;
    const body = this.#request?.body;
    const hasSent = this.#hasSent;
    this.#sink = undefined;
    this.#request = undefined;
    // A second less than the backend says: a request must not meet a closing door.
    const idleMs = Math.min(limits.upstreamKeepAliveMs, keepAliveMs === undefined ? Infinity : keepAliveMs - 1000);
    // Before the answer is passed on: the next request may come of that.
    if (isReusable && hasSent && idleMs > 0 && !this.#isGone) {
      this.#usableUntilMs = this.#options.clock.nowMs() + idleMs;
      this.#isHeldBack = false;
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

/** The bytes of an answer are read to their end before the next read of any connection: one buffer is enough for all. */
const READ_BUFFER = Buffer.allocUnsafeSlow(65_536);

/** Whoever reads the socket pushes into it. */
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

/** All of it has been checked: by the reader in front, or when a filter put it there. */
function headText({ method, path, authority, fields, contentLength, body, upgrade }: UpstreamRequest): string {
  const text = `${method} ${path} HTTP/1.1\r\nhost: ${authority}\r\n${fieldLines(fields)}`;
  if (upgrade !== undefined) return `${text}connection: upgrade\r\nupgrade: ${upgrade}\r\n\r\n`;
  if (contentLength !== undefined) return `${text}content-length: ${contentLength}\r\n\r\n`;
  return body === undefined ? `${text}\r\n` : `${text}transfer-encoding: chunked\r\n\r\n`;
}
