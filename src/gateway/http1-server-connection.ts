/** A connection of a client that speaks HTTP/1.0 or HTTP/1.1: one request after the other is read, served and answered. */
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { BadMessage, BadRequest } from "./bad-message.ts";
import { ClientBody } from "./client-body.ts";
import { clientAddress } from "./client-exchange.ts";
import { buildAnswerHead } from "./http1-answer-head.ts";
import { type ExchangeConnection, Http1Exchange } from "./http1-exchange.ts";
import { joinConnections } from "./join-connections.ts";
import { JoinedOutput } from "./joined-output.ts";
import { QuietTime } from "./quiet-time.ts";
import type { ReadHead } from "./request-head.ts";
import { RequestReader } from "./request-reader.ts";
import { serveRequest } from "./serve-request.ts";
import type { ServedPort } from "./served-port.ts";
import type { ServingContext } from "./serving-context.ts";

/** What is left of a body that nobody wants is read up to here, so that the connection can be used again. */
const MAX_UNWANTED_BYTES = 65_536;
/** Requests that come before their turn are read so far ahead. */
const MAX_AHEAD_BYTES = 65_536;
/** A client that does not close its end either has had its time to read the last answer. */
const LINGER_MS = 1000;

export interface ServerConnectionOptions {
  readonly context: ServingContext;
  readonly served: () => ServedPort;
  /** Whether connections are to be closed as soon as their answer is out. */
  readonly isDraining: () => boolean;
}

type Phase =
  /** Requests are served; which part of that is going on is for the reader and the exchange to say. */
  | "serving"
  /** The last answer is out; what still comes is thrown away. */
  | "closing"
  /** Not HTTP any more. */
  | "joined";

export class Http1ServerConnection implements ExchangeConnection {
  readonly client: string;
  readonly isSecure: boolean;
  readonly output: JoinedOutput;
  readonly #socket: Socket;
  readonly #serverName: string;
  readonly #options: ServerConnectionOptions;
  readonly #reader: RequestReader;
  #phase: Phase = "serving";
  /** The request that is being answered. */
  #exchange: Http1Exchange | undefined;
  /** Undefined: the request has none, or nobody wants it any more. */
  #body: ClientBody | undefined;
  /** Of the body, what the last bytes from the client have brought. Passed on as one: chunks of one byte each would cost a hundred times what they hold. */
  #pieces: Buffer[] = [];
  /** The answer was complete before the body was: the rest of it is read for the sake of the next request. */
  #isDropping = false;
  #unwantedBytes = 0;
  /** Of the connection at first, then of each request, its first byte; in the end of the last wait. */
  #startedMs: number;
  #hasServed = false;
  #isAdvancing = false;
  readonly #quiet = new QuietTime();

  constructor(socket: Socket, options: ServerConnectionOptions) {
    const { context } = options;
    this.client = clientAddress(socket.remoteAddress);
    this.isSecure = "encrypted" in socket;
    this.output = new JoinedOutput(socket);
    this.#socket = socket;
    this.#serverName = "servername" in socket && typeof socket.servername === "string" ? socket.servername : "";
    this.#options = options;
    this.#startedMs = context.clock.nowMs();
    this.#reader = new RequestReader(
      {
        onHead: (read) => this.#serve(read),
        onData: (chunk) => this.#takeBody(chunk),
        onEnd: () => this.#endBody(),
      },
      context.limits,
    );
    this.#listen();
  }

  /** Idle: it is closed. Else it is once the answer is out. */
  drain(): void {
    if (this.#phase !== "serving" || this.#exchange !== undefined || this.#reader.hasBegun) return;
    if (this.#hasSent()) this.#socket.destroy();
    else this.#close();
  }

  /** Called now and then: what takes too long is given up, never before its time. */
  checkTime(nowMs: number): void {
    const quietMs = this.#quiet.lookMs(nowMs);
    switch (this.#phase) {
      case "serving":
        return this.#checkServing(nowMs - this.#startedMs, quietMs);
      case "closing":
        if (!this.#socket.writableFinished) this.#startedMs = nowMs;
        if (nowMs - this.#startedMs >= LINGER_MS) this.#socket.destroy();
        else this.#checkQuiet(quietMs);
        return;
      case "joined":
        return;
    }
  }

  #checkServing(sinceMs: number, quietMs: number): void {
    const { headersMs, receiveMs, keepAliveMs } = this.#options.context.limits;
    const { state, hasBegun } = this.#reader;
    if (state === "body" && sinceMs >= receiveMs) this.#refuse(TOO_SLOW);
    // The backend's turn, or that of a client that has an answer to read.
    else if (state !== "head" || (!hasBegun && !this.#hasSent())) this.#checkQuiet(quietMs);
    else if (this.#hasServed && !hasBegun) {
      if (quietMs >= keepAliveMs) this.#socket.destroy();
    } else if (sinceMs >= headersMs) this.#refuse(TOO_SLOW);
  }

  #checkQuiet(quietMs: number): void {
    if (quietMs >= this.#options.context.limits.idleMs) this.#socket.destroy();
  }

  get keepAliveMs(): number {
    return this.#options.context.limits.keepAliveMs;
  }

  wallClockMs(): number {
    return this.#options.context.clock.wallClockMs();
  }

  canGoOn(): boolean {
    return this.#reader.state !== "over" && !this.#options.isDraining();
  }

  finish(exchange: Http1Exchange, keepsAlive: boolean): void {
    if (exchange !== this.#exchange) return;
    this.#quiet.note();
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
    const { idleMs } = this.#options.context.limits;
    this.#phase = "joined";
    this.#exchange = undefined;
    const early = this.#reader.takeRest();
    if (early.length > 0) backend.write(early);
    joinConnections(socket, backend, { idleMs, onOver });
  }

  cut(exchange: Http1Exchange): void {
    if (exchange !== this.#exchange) return;
    this.output.flush();
    // With TLS it is the missing farewell that tells it.
    if (exchange.endsByClosing && !this.isSecure) this.#socket.resetAndDestroy();
    else this.#socket.destroy();
  }

  #listen(): void {
    const socket = this.#socket;
    socket.on("data", (chunk) => this.#take(chunk));
    // Whoever says no more does not listen either: most programs that go away look like this.
    socket.on("end", () => this.#leave());
    socket.on("drain", () => {
      this.#quiet.note();
      if (this.#exchange === undefined) this.#advance();
      else this.#exchange.onDrain();
    });
    // What breaks a connection also closes it.
    socket.on("error", () => {});
    socket.on("close", () => this.#leave());
  }

  #take(chunk: Buffer): void {
    if (this.#phase !== "serving") return;
    this.#quiet.note();
    if (!this.#reader.hasBegun) this.#startedMs = this.#options.context.clock.nowMs();
    this.#read(chunk);
    if (this.#reader.state !== "body" && this.#reader.waitingBytes > MAX_AHEAD_BYTES) this.#socket.pause();
    this.#advance();
  }

  /** Undefined: what has come already. */
  #read(chunk: Buffer | undefined): void {
    try {
      if (chunk === undefined) this.#reader.proceed();
      else this.#reader.take(chunk);
      this.#passPieces();
    } catch (error) {
      this.#refuse(refusalOf(error));
    }
  }

  /** The next request, once the one before has been read and its answer has gone out. Not by recursion: there may be thousands. */
  #advance(): void {
    if (this.#isAdvancing) return;
    this.#isAdvancing = true;
    while (this.#isFree() && this.#phase === "serving") {
      if (this.#options.isDraining() && this.#reader.waitingBytes === 0) this.#close();
      else {
        if (this.#reader.waitingBytes > 0) this.#startedMs = this.#options.context.clock.nowMs();
        this.#read(undefined);
      }
    }
    this.#isAdvancing = false;
    if (this.#exchange === undefined && this.#phase === "serving" && this.#socket.isPaused()) this.#socket.resume();
  }

  /** Whether the client, or the system on its behalf, has taken all that was written. */
  #hasSent(): boolean {
    return this.output.isEmpty && this.#socket.writableLength === 0;
  }

  #isFree(): boolean {
    return this.#exchange === undefined && this.#reader.state === "done" && !this.#socket.writableNeedDrain;
  }

  #serve(read: ReadHead): void {
    const { context, served } = this.#options;
    const head = read.state === "value" ? read.head : undefined;
    this.#body = head?.hasBody === true ? new ClientBody(() => this.#socket.resume()) : undefined;
    this.#isDropping = false;
    this.#unwantedBytes = 0;
    const exchange = new Http1Exchange(this, head, this.#body);
    this.#exchange = exchange;
    serveRequest(context, served(), { exchange, read, serverName: this.#serverName, startedMs: this.#startedMs });
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

  /** Trailers end here: some backends take them for headers. */
  #endBody(): void {
    this.#isDropping = false;
    this.#passPieces();
    this.#body?.push(null);
  }

  #dropBody(): void {
    this.#isDropping = true;
    this.#socket.resume();
  }

  /** What came was no request, or came too slowly. */
  #refuse({ status, reason, message }: Refusal): void {
    const { context, served } = this.#options;
    const { gateway, config } = served();
    context.emit({ type: "RequestRefused", client: this.client, gateway, port: config.port, status, reason });
    // In the middle of an answer this one would be taken for a part of it, and after it for the next.
    if (this.#exchange?.hasBegun === true) return this.cut(this.#exchange);
    if (this.#isDropping) return this.#close();
    const body = `${status} ${STATUS_CODES[status] ?? ""}: ${message}\n`;
    const fields = ["content-type", "text/plain; charset=utf-8", "content-length", String(body.length)];
    const { text } = buildAnswerHead(
      { status, statusText: "", fields, isLast: true },
      { isHead: false, isHttp10: false, keepsAlive: false, keepAliveMs: 0, wallClockMs: () => this.wallClockMs() },
    );
    this.output.addText(`${text}${body}`);
    this.#close();
    this.#leave();
  }

  #close(): void {
    this.#phase = "closing";
    this.#quiet.note();
    this.output.flush();
    this.#socket.end();
    // What still comes must be read, or the answer might be lost on its way.
    this.#socket.resume();
  }

  /** The client is gone, or as good as. */
  #leave(): void {
    const exchange = this.#exchange;
    const body = this.#body;
    this.#exchange = undefined;
    this.#body = undefined;
    body?.destroy(new Error("the client went away"));
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

const TOO_SLOW = refusal(408, "the request came too slowly");

/** A mistake of ours ends one connection, and no other. */
function refusalOf(error: unknown): Refusal {
  if (error instanceof BadRequest) return refusal(error.status, error.message);
  if (error instanceof BadMessage) return refusal(400, error.message);
  const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { status: 500, reason, message: "the gateway failed" };
}
