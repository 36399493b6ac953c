import { connect as connectPlain, type Socket } from "node:net";
import type { Readable } from "node:stream";
import { connect as connectTls } from "node:tls";
import type { Endpoint } from "../core/dataplane/gateway-config.ts";
import type { GatewayClock, GatewayTimer } from "./gateway-clock.ts";
import type { GatewayLimits } from "./gateway-limits.ts";
import { type AnswerEnd, ResponseReader } from "./response-reader.ts";
import type { TryFailure, TrySink, UpstreamRequest, UpstreamTls } from "./upstream.ts";
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
  readonly #reader: ResponseReader;
  #request: UpstreamRequest | undefined;
  #sink: TrySink | undefined;
  #connectTimer: GatewayTimer | undefined;
  #isConnected = false;
  #isGone = false;
  /** Whether all of the request has been written. */
  #hasSent = false;
  /** Until when an idle connection can be used. */
  #usableUntilMs = 0;

  constructor(options: ConnectionOptions) {
    const { endpoint, tls, limits, clock } = options;
    this.#options = options;
    const where = { host: endpoint.address, port: endpoint.port };
    this.#socket =
      tls === undefined
        ? connectPlain(where)
        : connectTls({ ...where, ALPNProtocols: ["http/1.1"], ...upstreamTlsOptions(tls) });
    this.#socket.setNoDelay(true);
    this.#socket.setTimeout(limits.idleMs);
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
          if (this.#sink?.onData(chunk) === false) this.#socket.pause();
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
  send(request: UpstreamRequest, sink: TrySink): void {
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
    this.#socket.resume();
  }

  #listen(connected: "connect" | "secureConnect"): void {
    const socket = this.#socket;
    socket.on(connected, () => {
      this.#isConnected = true;
      this.#connectTimer?.cancel();
      if (this.#request !== undefined) this.#write(this.#request);
    });
    socket.on("data", (chunk) => this.#read(() => this.#reader.take(chunk)));
    socket.on("end", () => this.#read(() => this.#reader.close()));
    socket.on("drain", () => this.#request?.body?.resume());
    socket.on("timeout", () => this.#giveUp());
    socket.on("error", (error) => this.#fail(this.#isConnected ? "Reset" : "NotConnected", error.message));
    socket.on("close", () => this.#fail(this.#isConnected ? "Reset" : "NotConnected", "the connection was closed"));
  }

  #read(read: () => void): void {
    try {
      read();
    } catch (error) {
      this.#fail("Reset", error instanceof Error ? error.message : String(error));
    }
  }

  #write(request: UpstreamRequest): void {
    const { method, upgrade, body } = request;
    this.#reader.expect(method, upgrade !== undefined);
    this.#hasSent = body === undefined;
    this.#socket.write(headText(request), "latin1");
    if (body !== undefined) this.#writeBody(body, request.contentLength === undefined);
  }

  #writeBody(body: Readable, isChunked: boolean): void {
    const socket = this.#socket;
    body.on("data", (chunk: Buffer) => {
      if (isChunked) socket.write(`${chunk.length.toString(16)}\r\n`, "latin1");
      const hasRoom = socket.write(chunk);
      if (isChunked) socket.write("\r\n", "latin1");
      if (!hasRoom) body.pause();
    });
    body.on("end", () => {
      this.#hasSent = true;
      if (isChunked) socket.write("0\r\n\r\n", "latin1");
    });
    // A body that breaks off leaves a request that is not whole.
    body.on("error", () => this.#fail("Reset", "the client broke off"));
    body.on("close", () => {
      if (this.#request?.body === body && !this.#hasSent) this.#fail("Reset", "the client broke off");
    });
  }

  #switch(head: Parameters<TrySink["onUpgrade"]>[0], rest: Buffer): void {
    const sink = this.#sink;
    const socket = this.#socket;
    this.#sink = undefined;
    this.#isGone = true;
    for (const event of ["data", "end", "drain", "timeout", "error", "close"]) socket.removeAllListeners(event);
    socket.setTimeout(0);
    socket.pause();
    if (rest.length > 0) socket.unshift(rest);
    this.#options.onGone(this);
    if (sink === undefined) socket.destroy();
    else sink.onUpgrade(head, socket);
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
      this.#socket.resume();
      this.#options.onFree(this);
    } else this.#destroy();
    sink?.onEnd(trailers);
    if (!hasSent) body?.destroy();
  }

  /** Nothing came for too long: of an idle connection that is the end, of a request a failure. */
  #giveUp(): void {
    // A client that does not read keeps the backend from sending.
    if (this.#sink === undefined) this.#destroy();
    else this.#fail("TimedOut", "the backend was silent for too long");
  }

  #fail(type: TryFailure["type"], message: string): void {
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

/** All of it has been checked: by the parser in front, or when a filter put it there. */
function headText({ method, path, authority, fields, contentLength, body, upgrade }: UpstreamRequest): string {
  let text = `${method} ${path} HTTP/1.1\r\nhost: ${authority}\r\n`;
  for (let i = 0; i < fields.length; i += 2) text += `${fields[i] ?? ""}: ${fields[i + 1] ?? ""}\r\n`;
  if (upgrade !== undefined) return `${text}connection: upgrade\r\nupgrade: ${upgrade}\r\n\r\n`;
  if (contentLength !== undefined) return `${text}content-length: ${contentLength}\r\n\r\n`;
  return body === undefined ? `${text}\r\n` : `${text}transfer-encoding: chunked\r\n\r\n`;
}
