/** A client connection of HTTP/1.0 or HTTP/1.1: reads its requests one after the other and sends the responses in order. */
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { GatewayClock } from "../contract/gateway-clock.ts";
import { type GatewayLimits, MAX_UNWANTED_BYTES } from "../contract/gateway-limits.ts";
import { clientAddress, type IncomingRequest, type RefusedBytes } from "../contract/http-exchange.ts";
import type { PieceMeter, PieceQueue } from "../contract/piece-meter.ts";
import type { ReadHead } from "../contract/request-head.ts";
import { BatchedOutput } from "./batched-output.ts";
import { ClientBody } from "./client-body.ts";
import { type ExchangeConnection, Http1Exchange } from "./exchange.ts";
import { IdleTime } from "./idle-time.ts";
import { joinConnections } from "./join-connections.ts";
import { BadMessage, BadRequest } from "./read/bad-message.ts";
import { matchHttp2Preface } from "./read/http2-preface.ts";
import { RequestReader } from "./read/request-reader.ts";
import { formatResponseHead } from "./response-head.ts";

/** How many bytes of pipelined requests are read ahead. */
const MAX_AHEAD_BYTES = 65_536;
/** How many parts of a body are read in one turn. */
const MAX_PIECES = 256;
/** The number of parts in one turn up to which the clock is not read. */
const FEW_PIECES = 8;
/** How long a client may take to read the last response and close its side. */
const LINGER_MS = 1000;

const NOTHING = Buffer.alloc(0);

export interface ServerConnectionOptions {
  readonly limits: GatewayLimits;
  readonly clock: GatewayClock;
  readonly pieces: PieceQueue;
  /** Serves a request: it must send a response through the exchange. */
  readonly onRequest: (request: IncomingRequest) => void;
  /** Reports bytes that were not a valid request, or that arrived too slowly. The connection sends the response itself. */
  readonly onRefused: (refused: RefusedBytes) => void;
  /**
   * Takes over the socket of a client that speaks HTTP/2 without TLS (prior knowledge). The bytes that have arrived are in the socket's buffer.
   * Undefined: such a client is refused.
   */
  readonly onHttp2?: () => void;
  /** True if the connection must be closed after the response that is being sent. */
  readonly isDraining: () => boolean;
}

type Phase =
  /** Requests are served. The reader and the exchange have the details. */
  | "serving"
  /** The last response is sent. Further bytes are discarded. */
  | "closing"
  /** The connection switched protocols, or the client speaks HTTP/2. */
  | "joined";

export class Http1ServerConnection implements ExchangeConnection {
  readonly client: string;
  readonly isSecure: boolean;
  readonly output: BatchedOutput;
  readonly #socket: Socket;
  readonly #serverName: string;
  readonly #options: ServerConnectionOptions;
  readonly #reader: RequestReader;
  readonly #onData = (chunk: Buffer): void => this.#take(chunk);
  #phase: Phase = "serving";
  /** The first bytes, while they may be the connection preface of HTTP/2. Undefined: the client speaks HTTP/1. */
  #preface: Buffer | undefined;
  /** The request that is being served. */
  #exchange: Http1Exchange | undefined;
  /** Undefined: the request has no body, or the body is discarded. */
  #body: ClientBody | undefined;
  /** The parts of the body in the last bytes from the client. They are passed on as one, because a chunk of one byte costs a hundred times its size. */
  #pieces: Buffer[] = [];
  /** The response was complete before the request body: the rest of the body is discarded. */
  #isDropping = false;
  #unwantedBytes = 0;
  /** The start of the current timeout: when the connection was opened, a request began, or the last response was sent. */
  #startedMs: number;
  /** The number of requests so far. */
  #requests = 0;
  #hasServed = false;
  #isAdvancing = false;
  readonly #idle = new IdleTime();
  readonly #meter: PieceMeter;
  /** True while nothing is read from the client, because it has sent too many small parts. */
  #isHeld = false;

  constructor(socket: Socket, options: ServerConnectionOptions) {
    const { limits, clock } = options;
    this.client = clientAddress(socket.remoteAddress);
    this.isSecure = "encrypted" in socket;
    this.output = new BatchedOutput(socket);
    this.#socket = socket;
    this.#serverName = "servername" in socket && typeof socket.servername === "string" ? socket.servername : "";
    this.#options = options;
    this.#startedMs = clock.nowMs();
    this.#preface = options.onHttp2 === undefined ? undefined : NOTHING;
    this.#reader = new RequestReader(
      {
        onHead: (read) => this.#serve(read),
        onData: (chunk) => this.#takeBody(chunk),
        onEnd: () => this.#endBody(),
      },
      { ...limits, maxPieces: MAX_PIECES },
    );
    this.#meter = options.pieces.openMeter();
    this.#listen();
  }

  /** Closes an idle connection now, any other after its response. */
  drain(): void {
    if (this.#phase !== "serving" || this.#exchange !== undefined || this.#reader.hasBegun) return;
    if (this.#hasSent()) this.#socket.destroy();
    else this.#close();
  }

  /** Called periodically to enforce the timeouts. */
  checkTime(nowMs: number): void {
    const idleForMs = this.#idle.checkMs(nowMs);
    switch (this.#phase) {
      case "serving":
        return this.#checkServing(nowMs - this.#startedMs, idleForMs);
      case "closing":
        if (!this.#socket.writableFinished) this.#startedMs = nowMs;
        if (nowMs - this.#startedMs >= LINGER_MS) this.#socket.destroy();
        else this.#checkIdle(idleForMs);
        return;
      case "joined":
        return;
    }
  }

  #checkServing(sinceMs: number, idleForMs: number): void {
    const { headersMs, receiveMs, keepAliveMs } = this.#options.limits;
    const { state, hasBegun } = this.#reader;
    // A response that has begun shows that the backend takes the body as it comes.
    if (state === "body" && sinceMs >= receiveMs && this.#exchange?.hasBegun !== true) this.#refuse(TOO_SLOW);
    // The backend is processing the request, or the client is reading a response.
    else if (state !== "head" || (!hasBegun && !this.#hasSent())) this.#checkIdle(idleForMs);
    else if (this.#hasServed && !hasBegun) {
      if (idleForMs >= keepAliveMs) this.#socket.destroy();
    } else if (sinceMs >= headersMs) this.#refuse(TOO_SLOW);
  }

  #checkIdle(idleForMs: number): void {
    if (idleForMs >= this.#options.limits.idleMs) this.#socket.destroy();
  }

  get keepAliveMs(): number {
    return this.#options.limits.keepAliveMs;
  }

  wallClockMs(): number {
    return this.#options.clock.wallClockMs();
  }

  canServeMore(): boolean {
    const { limits, isDraining } = this.#options;
    return this.#reader.state !== "over" && !isDraining() && this.#requests < limits.maxRequestsPerConnection;
  }

  finish(exchange: Http1Exchange, keepsAlive: boolean): void {
    if (exchange !== this.#exchange) return;
    this.#idle.touch();
    this.#exchange = undefined;
    this.#hasServed = true;
    this.#body?.destroy();
    this.#body = undefined;
    if (!keepsAlive || this.#reader.state === "over") return this.#close();
    if (this.#reader.state === "body") this.#dropBody();
    this.#advance();
  }

  join(backend: Duplex, onOver: () => void): void {
    const socket = this.#socket;
    const { idleMs } = this.#options.limits;
    this.#phase = "joined";
    this.#exchange = undefined;
    const early = this.#reader.takeRest();
    if (early.length > 0) backend.write(early);
    joinConnections(socket, backend, { idleMs, onOver });
  }

  cut(exchange: Http1Exchange): void {
    if (exchange !== this.#exchange) return;
    this.output.flush();
    // With TLS the missing close_notify marks the response as incomplete.
    if (exchange.endsByClosing && !this.isSecure) this.#socket.resetAndDestroy();
    else this.#socket.destroy();
  }

  #listen(): void {
    const socket = this.#socket;
    socket.on("data", this.#onData);
    // A client that half-closes is treated as disconnected, because that is how most clients disconnect.
    socket.on("end", () => this.#leave());
    socket.on("drain", () => {
      this.#idle.touch();
      if (this.#exchange === undefined) this.#advance();
      else this.#exchange.onDrain();
    });
    // An error is followed by `close`.
    socket.on("error", () => {});
    socket.on("close", () => this.#leave());
  }

  #take(chunk: Buffer): void {
    if (this.#phase !== "serving") return;
    if (this.#preface !== undefined) return this.#takeFirst(this.#preface, chunk);
    this.#idle.touch();
    if (!this.#reader.hasBegun) this.#startedMs = this.#options.clock.nowMs();
    this.#read(chunk);
    this.#meterPieces();
    if (this.#reader.state !== "body" && this.#reader.waitingBytes > MAX_AHEAD_BYTES) this.#socket.pause();
    this.#advance();
  }

  /** Decides by the first bytes of a connection whether the client speaks HTTP/2. Until that is clear, the time limit of a head runs. */
  #takeFirst(before: Buffer, chunk: Buffer): void {
    const bytes = before.length === 0 ? chunk : Buffer.concat([before, chunk]);
    const match = matchHttp2Preface(bytes);
    this.#preface = match === "Begun" ? bytes : undefined;
    if (match === "None") return this.#take(bytes);
    if (match === "Whole") this.#handOver(bytes);
  }

  #handOver(bytes: Buffer): void {
    const socket = this.#socket;
    this.#phase = "joined";
    socket.off("data", this.#onData);
    socket.pause();
    socket.unshift(bytes);
    this.#options.onHttp2?.();
  }

  /** Bodies in tiny parts are read a few parts at a time, so that other connections get their turn. */
  #meterPieces(): void {
    const pieces = this.#reader.takePieces();
    const waitMs = pieces <= FEW_PIECES ? 0 : this.#meter.count(pieces);
    if (this.#phase !== "serving" || (waitMs === 0 && !this.#reader.isHeld)) return;
    this.#isHeld = true;
    this.#socket.pause();
    if (waitMs === 0) setImmediate(() => this.#release());
    else this.#options.clock.startTimer(waitMs, () => this.#release());
  }

  #release(): void {
    this.#isHeld = false;
    if (this.#phase !== "serving" || this.#socket.destroyed) return;
    this.#read("Held");
    this.#meterPieces();
    this.#advance();
    if (this.#body === undefined || this.#body.isWanted) this.#resume();
  }

  #resume(): void {
    if (!this.#isHeld) this.#socket.resume();
  }

  /** `Next`: the bytes that have already arrived, of the next request. `Held`: those of the current body. */
  #read(chunk: Buffer | "Next" | "Held"): void {
    try {
      if (chunk === "Next") this.#reader.proceed();
      else if (chunk === "Held") this.#reader.goOn();
      else this.#reader.take(chunk);
      this.#passPieces();
    } catch (error) {
      this.#refuse(refusalOf(error));
    }
  }

  /**
   * Starts the next request once the current one was read and its response was sent. A loop instead of recursion, because thousands of
   * requests may be pipelined.
   */
  #advance(): void {
    if (this.#isAdvancing) return;
    this.#isAdvancing = true;
    while (this.#isFree() && this.#phase === "serving") {
      if (this.#options.isDraining() && this.#reader.waitingBytes === 0) this.#close();
      else {
        if (this.#reader.waitingBytes > 0) this.#startedMs = this.#options.clock.nowMs();
        this.#read("Next");
        this.#meterPieces();
      }
    }
    this.#isAdvancing = false;
    if (this.#exchange === undefined && this.#phase === "serving" && this.#socket.isPaused()) this.#resume();
  }

  /** True if everything that was written has been handed to the operating system. */
  #hasSent(): boolean {
    return this.output.isEmpty && this.#socket.writableLength === 0;
  }

  #isFree(): boolean {
    return this.#exchange === undefined && this.#reader.state === "done" && !this.#socket.writableNeedDrain;
  }

  #serve(read: ReadHead): void {
    const head = read.state === "value" ? read.head : undefined;
    this.#body = head?.hasBody === true ? new ClientBody(() => this.#resume()) : undefined;
    this.#isDropping = false;
    this.#unwantedBytes = 0;
    this.#requests++;
    const exchange = new Http1Exchange(this, head, this.#body);
    this.#exchange = exchange;
    this.#options.onRequest({ exchange, read, serverName: this.#serverName, startedMs: this.#startedMs });
  }

  #takeBody(chunk: Buffer): void {
    if (this.#body === undefined) {
      this.#unwantedBytes += chunk.length;
      if (this.#unwantedBytes > MAX_UNWANTED_BYTES && this.#phase === "serving") this.#close();
    } else this.#pieces.push(chunk);
  }

  #passPieces(): void {
    if (this.#pieces.length === 0) return;
    const [first] = this.#pieces;
    const bytes = first !== undefined && this.#pieces.length === 1 ? first : Buffer.concat(this.#pieces);
    this.#pieces = [];
    if (this.#body?.push(bytes) === false) this.#socket.pause();
  }

  /** Trailers of requests are not forwarded, because some backends treat them as headers. */
  #endBody(): void {
    this.#isDropping = false;
    this.#passPieces();
    this.#body?.push(null);
  }

  #dropBody(): void {
    this.#isDropping = true;
    this.#resume();
  }

  /** Responds to bytes that are not a valid request, or that arrive too slowly. */
  #refuse({ status, reason, message }: Refusal): void {
    this.#options.onRefused({ client: this.client, status, reason });
    // A second response in the middle of the first would be read as a part of it, and after it as the next response.
    if (this.#exchange?.hasBegun === true) return this.cut(this.#exchange);
    if (this.#isDropping) return this.#close();
    const body = `${status} ${STATUS_CODES[status] ?? ""}: ${message}\n`;
    const headers = ["content-type", "text/plain; charset=utf-8", "content-length", String(body.length)];
    const { text } = formatResponseHead(
      { status, statusText: "", headers, isLast: true },
      { isHead: false, isHttp10: false, keepsAlive: false, keepAliveMs: 0, wallClockMs: () => this.wallClockMs() },
    );
    this.output.addText(`${text}${body}`);
    this.#close();
    this.#leave();
  }

  #close(): void {
    this.#phase = "closing";
    this.#idle.touch();
    this.output.flush();
    this.#socket.end();
    // Unread data at close would reset the connection, and the client could lose the response.
    this.#socket.resume();
  }

  /** The client has disconnected, or is treated as if it had. */
  #leave(): void {
    const exchange = this.#exchange;
    const body = this.#body;
    this.#exchange = undefined;
    this.#body = undefined;
    body?.destroy(new Error("the client disconnected"));
    exchange?.onGone();
    if (exchange !== undefined && this.#phase === "serving") this.#socket.destroy();
  }
}

interface Refusal {
  readonly status: number;
  /** For the log. */
  readonly reason: string;
  /** For the client. */
  readonly message: string;
}

const refusal = (status: number, message: string): Refusal => ({ status, reason: message, message });

const TOO_SLOW = refusal(408, "the request arrived too slowly");

/** An internal error ends only this connection. */
function refusalOf(error: unknown): Refusal {
  if (error instanceof BadRequest) return refusal(error.status, error.message);
  if (error instanceof BadMessage) return refusal(400, error.message);
  const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { status: 500, reason, message: "internal error" };
}
