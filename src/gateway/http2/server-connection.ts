/** A client connection of HTTP/2. Each stream is a request. */
import { constants, type IncomingHttpHeaders, type ServerHttp2Session, type ServerHttp2Stream } from "node:http2";
import type { Socket } from "node:net";
import type { GatewayClock } from "../contract/gateway-clock.ts";
import type { GatewayLimits } from "../contract/gateway-limits.ts";
import type { IncomingRequest, RefusedBytes } from "../contract/http-exchange.ts";
import type { PieceQueue } from "../contract/piece-meter.ts";
import { Http2Exchange, readHttp2Head } from "./exchange.ts";
import { FrameThrottle } from "./frame-throttle.ts";

export interface Http2ConnectionOptions {
  readonly limits: GatewayLimits;
  readonly clock: GatewayClock;
  readonly pieces: PieceQueue;
  readonly onRequest: (request: IncomingRequest) => void;
  /** Reports a request that arrived too slowly. The connection sends the response itself. */
  readonly onRefused: (refused: RefusedBytes) => void;
}

/** From this number on, a connection is closed if its client has aborted more requests than it has let finish. */
const MANY_RESETS = 100;

export class Http2ServerConnection {
  readonly #session: ServerHttp2Session;
  readonly #options: Http2ConnectionOptions;
  readonly #throttle: FrameThrottle;
  readonly #running = new Set<Http2Exchange>();
  #requests = 0;
  #finished = 0;
  #resets = 0;
  /** Since when no request is running. */
  #idleSinceMs: number;

  /** `socket` is the session's, which hides it. */
  constructor(session: ServerHttp2Session, socket: Socket, options: Http2ConnectionOptions) {
    this.#session = session;
    this.#options = options;
    this.#idleSinceMs = options.clock.nowMs();
    this.#throttle = new FrameThrottle(socket, options.pieces.openMeter(), options.clock);
    // An error is followed by `close` of the session and its streams.
    session.on("error", () => {});
    session.on("stream", (stream: ServerHttp2Stream, _: IncomingHttpHeaders, __: number, rawHeaders: string[]) =>
      this.#serve(stream, rawHeaders),
    );
  }

  /** Accepts no new requests, and closes the connection after the running ones. */
  drain(): void {
    this.#session.close();
  }

  /** Called periodically to enforce the timeouts. What is not a request, such as a PING, does not keep a connection open. */
  checkTime(nowMs: number): void {
    const { keepAliveMs, receiveMs } = this.#options.limits;
    if (this.#running.size === 0) {
      if (nowMs - this.#idleSinceMs >= keepAliveMs) this.#session.close();
      return;
    }
    for (const exchange of this.#running) if (exchange.isReceiving(nowMs - receiveMs)) this.#timeOut(exchange);
  }

  #serve(stream: ServerHttp2Stream, rawHeaders: readonly string[]): void {
    const { limits, clock, onRequest } = this.#options;
    this.#requests++;
    if (this.#requests >= limits.maxRequestsPerConnection) this.drain();
    // The client has aborted the request in the same turn.
    if (stream.destroyed || stream.closed) return this.#countReset();
    if (!stream.endAfterHeaders) this.#throttle.watch(stream);
    const read = readHttp2Head(stream, rawHeaders, limits);
    const expectsContinue = read.state === "value" && read.head.expectsContinue;
    const startedMs = clock.nowMs();
    const exchange = new Http2Exchange(stream, { expectsContinue, idleMs: limits.idleMs, startedMs });
    this.#running.add(exchange);
    stream.on("close", () => this.#end(exchange));
    onRequest({ exchange, read, serverName: exchange.serverName, startedMs });
  }

  #end(exchange: Http2Exchange): void {
    this.#running.delete(exchange);
    if (this.#running.size === 0) this.#idleSinceMs = this.#options.clock.nowMs();
    if (exchange.isAborted) this.#countReset();
    else this.#finished++;
  }

  /** Rapid reset: each aborted request costs work, and a backend a connection, but does not count as running. */
  #countReset(): void {
    this.#resets++;
    if (this.#resets < MANY_RESETS || this.#resets <= this.#finished || this.#session.destroyed) return;
    this.#session.destroy(undefined, constants.NGHTTP2_ENHANCE_YOUR_CALM);
  }

  #timeOut(exchange: Http2Exchange): void {
    const reason = "the request arrived too slowly";
    this.#options.onRefused({ client: exchange.client, status: 408, reason });
    exchange.refuse(408, reason);
  }
}
