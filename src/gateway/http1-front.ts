/** Requests of HTTP/1.0 and HTTP/1.1 as they come off a connection. */
import { type IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { remember } from "../core/model/remember.ts";
import { AnswerQueue } from "./answer-queue.ts";
import { clientAddress } from "./client-exchange.ts";
import { Http1Exchange } from "./http1-exchange.ts";
import { type ReadHead, readRequestHead } from "./request-head.ts";
import { serveRequest } from "./serve-request.ts";
import type { ServedPort } from "./served-port.ts";
import type { ServingContext } from "./serving-context.ts";

const LINGER_MS = 1000;

interface FrontOptions {
  readonly served: () => ServedPort;
  readonly isDraining: () => boolean;
}

interface StartOptions {
  readonly read: ReadHead;
  readonly expectsContinue: boolean;
  /** What the client sent after a request to upgrade. */
  readonly early?: Buffer;
}

export class Http1Front {
  readonly #context: ServingContext;
  readonly #options: FrontOptions;
  readonly #queues = new WeakMap<Duplex, AnswerQueue>();

  constructor(context: ServingContext, options: FrontOptions) {
    this.#context = context;
    this.#options = options;
  }

  serve(request: IncomingMessage, response: ServerResponse, sendsBody: "at once" | "after 100"): void {
    const read = this.#readHead(request);
    this.#start(request, response, { read, expectsContinue: sendsBody === "after 100" });
  }

  /** Only WebSockets are upgraded. Another wish is not granted, and its request answered like any other. */
  serveUpgrade(request: IncomingMessage, early: Buffer): void {
    const read = this.#readHead(request);
    if (read.state === "refused") return this.#startAlone(request, { read, expectsContinue: false });
    const { head } = read;
    const isWebSocket = head.upgrade === "websocket" && head.method === "GET";
    if (head.hasBody || (!isWebSocket && early.length > 0)) {
      const message = "a request to upgrade has a body";
      const refused = { state: "refused", status: 400, message } as const;
      return this.#startAlone(request, { read: refused, expectsContinue: false });
    }
    const served: ReadHead = isWebSocket ? read : { state: "value", head: { ...head, upgrade: undefined } };
    this.#startAlone(request, { read: served, expectsContinue: false, early });
  }

  refuseConnect(request: IncomingMessage): void {
    const read = { state: "refused", status: 405, message: "CONNECT is not allowed" } as const;
    this.#startAlone(request, { read, expectsContinue: false });
  }

  /** What the parser turned down, or what came too slowly. */
  refuse(error: Error, socket: Duplex): void {
    const code = "code" in error ? error.code : undefined;
    const queue = this.#queues.get(socket);
    // In the middle of another answer, or before one, this one would be taken for it.
    if (code === "ECONNRESET" || !socket.writable || queue?.isPromised === true) {
      socket.destroy();
      return;
    }
    queue?.end();
    const { status, text, reason } = refusalOf(code);
    const { gateway, config } = this.#options.served();
    const client = socket instanceof Socket ? clientAddress(socket.remoteAddress) : "";
    this.#context.emit({ type: "RequestRefused", client, gateway, port: config.port, status, reason });
    const body = `${status} ${text}: ${reason}\n`;
    // A client that does not close its end either has had its time to read.
    socket.on("finish", () => this.#context.clock.startTimer(LINGER_MS, () => socket.destroy()));
    socket.end(
      `HTTP/1.1 ${status} ${text}\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
    );
  }

  /** For a request after which the connection is no longer one of HTTP: the parser has let go of it. */
  #startAlone(request: IncomingMessage, options: StartOptions): void {
    const { socket } = request;
    if (this.#queues.get(socket)?.isBusy === true) {
      socket.destroy();
      return;
    }
    // The server has taken its listeners off. What breaks a connection also closes it.
    socket.on("error", () => {});
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.on("finish", () => socket.destroySoon());
    this.#start(request, response, options);
  }

  #start(request: IncomingMessage, response: ServerResponse, options: StartOptions): void {
    const { socket } = request;
    const queue = remember(this.#queues, socket, () => new AnswerQueue());
    const isFine = queue.add(response, () => this.#answer(request, response, options));
    if (options.read.state === "refused") queue.end();
    if (!isFine) socket.destroy();
  }

  #answer(request: IncomingMessage, response: ServerResponse, { read, expectsContinue, early }: StartOptions): void {
    const { socket } = request;
    const exchange = new Http1Exchange(request, response, {
      hasBody: read.state === "value" && read.head.hasBody,
      expectsContinue,
      isDraining: this.#options.isDraining,
      idleMs: this.#context.limits.idleMs,
      ...(early === undefined ? {} : { early }),
    });
    const serverName = "servername" in socket && typeof socket.servername === "string" ? socket.servername : "";
    serveRequest(this.#context, this.#options.served(), { exchange, read, serverName });
  }

  #readHead(request: IncomingMessage): ReadHead {
    return readRequestHead({
      method: request.method ?? "",
      target: request.url ?? "",
      version: request.httpVersion,
      rawHeaders: request.rawHeaders,
      maxHeaders: this.#context.limits.maxHeaders,
    });
  }
}

function refusalOf(code: unknown): { readonly status: number; readonly text: string; readonly reason: string } {
  if (code === "HPE_HEADER_OVERFLOW") {
    return { status: 431, text: "Request Header Fields Too Large", reason: "the headers are too large" };
  }
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") {
    return { status: 408, text: "Request Timeout", reason: "the request came too slowly" };
  }
  return { status: 400, text: "Bad Request", reason: "this is not a valid HTTP request" };
}
