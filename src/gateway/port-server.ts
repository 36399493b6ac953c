/** A port that is open: the server behind it, and the configuration that it serves at the moment. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { AnswerQueue } from "./answer-queue.ts";
import { Http1Exchange, responseOn } from "./http1-exchange.ts";
import { remember } from "./remember.ts";
import { type ReadHead, readRequestHead } from "./request-head.ts";
import { serveRequest } from "./serve-request.ts";
import type { ServedPort } from "./served-port.ts";
import type { ServingContext } from "./serving-context.ts";

export interface BindAddress {
  /** Undefined: all addresses, IPv4 and IPv6. */
  readonly host?: string;
  readonly port: number;
}

interface StartOptions {
  readonly read: ReadHead;
  readonly expectsContinue: boolean;
  /** What the client sent after a request to upgrade. */
  readonly early?: Buffer;
}

export class PortServer {
  served: ServedPort;
  readonly #context: ServingContext;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #queues = new WeakMap<Duplex, AnswerQueue>();
  #isDraining = false;

  constructor(context: ServingContext, served: ServedPort) {
    this.served = served;
    this.#context = context;
    this.#server = this.#createServer();
  }

  /** Rejects if the machine does not give the port. */
  listen({ host, port }: BindAddress): Promise<AddressInfo> {
    return new Promise((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen({ port, ...(host === undefined ? {} : { host }) }, () => {
        this.#server.off("error", reject);
        // Whatever a server tells later is about one connection.
        this.#server.on("error", () => {});
        const address = this.#server.address();
        if (address === null || typeof address === "string") reject(new Error("the server has no address"));
        else resolve(address);
      });
    });
  }

  /** No new connections from now on. Resolves when the last request is done, or after that time without it. */
  async drain(drainMs: number): Promise<void> {
    this.#isDraining = true;
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeIdleConnections();
    const timer = this.#context.clock.startTimer(drainMs, () => {
      for (const socket of this.#sockets) socket.destroy();
    });
    await closed;
    timer.cancel();
  }

  #createServer(): Server {
    const { limits } = this.#context;
    const server = createServer({
      maxHeaderSize: limits.maxHeaderBytes,
      headersTimeout: limits.headersMs,
      requestTimeout: limits.receiveMs,
      keepAliveTimeout: limits.keepAliveMs,
      connectionsCheckingInterval: Math.min(1000, limits.headersMs),
      // Asked of HTTP/1.0 too, and answered in our own words.
      requireHostHeader: false,
      noDelay: true,
    });
    server.maxConnections = limits.maxConnections;
    // More are dropped in silence: one more tells that there were too many.
    server.maxHeadersCount = limits.maxHeaders + 1;
    server.timeout = limits.idleMs;
    server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
    });
    server.on("request", (request, response) => this.#serve(request, response, false));
    server.on("checkContinue", (request, response) => this.#serve(request, response, true));
    server.on("upgrade", (request, _, early) => this.#serveUpgrade(request, early));
    server.on("connect", (request, socket) => this.#refuseConnect(request, socket));
    server.on("clientError", (error, socket) => this.#refuse(error, socket));
    return server;
  }

  #serve(request: IncomingMessage, response: ServerResponse, expectsContinue: boolean): void {
    const read = this.#readHead(request);
    this.#start(request, response, { read, expectsContinue });
  }

  /** Only WebSockets are upgraded. Another wish is not granted, and its request answered like any other. */
  #serveUpgrade(request: IncomingMessage, early: Buffer): void {
    const read = this.#readHead(request);
    const response = responseOn(request);
    if (read.state === "value" && (read.head.hasBody || (read.head.upgrade !== "websocket" && early.length > 0))) {
      const message = "a request to upgrade has a body";
      return this.#start(request, response, {
        read: { state: "refused", status: 400, message },
        expectsContinue: false,
      });
    }
    const isWebSocket = read.state === "value" && read.head.upgrade === "websocket" && read.head.method === "GET";
    const plain: ReadHead =
      read.state === "value" && !isWebSocket ? { ...read, head: { ...read.head, upgrade: undefined } } : read;
    this.#start(request, response, { read: plain, expectsContinue: false, early });
  }

  #start(request: IncomingMessage, response: ServerResponse, options: StartOptions): void {
    const { socket } = request;
    const queue = remember(this.#queues, socket, () => new AnswerQueue());
    const isFine = queue.add(response, () => this.#answer(request, response, options));
    if (options.read.state === "refused") queue.end();
    if (!isFine) socket.destroy();
  }

  #answer(request: IncomingMessage, response: ServerResponse, { read, expectsContinue, early }: StartOptions): void {
    const exchange = new Http1Exchange(request, response, {
      hasBody: read.state === "value" && read.head.hasBody,
      expectsContinue,
      isDraining: () => this.#isDraining,
      idleMs: this.#context.limits.idleMs,
      ...(early === undefined ? {} : { early }),
    });
    serveRequest(this.#context, this.served, { exchange, read, serverName: undefined });
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

  #refuseConnect(request: IncomingMessage, _: Duplex): void {
    const read = { state: "refused", status: 405, message: "CONNECT is not allowed" } as const;
    this.#start(request, responseOn(request), { read, expectsContinue: false });
  }

  /** What the parser turned down, or what came too slowly. */
  #refuse(error: Error, socket: Duplex): void {
    const code = "code" in error ? error.code : undefined;
    // In the middle of another answer, or before one, this one would be taken for it.
    const queue = this.#queues.get(socket);
    if (code === "ECONNRESET" || !socket.writable || queue?.isPromised === true) {
      socket.destroy();
      return;
    }
    queue?.end();
    const { status, text, reason } = refusalOf(code);
    const { gateway, config } = this.served;
    const client = "remoteAddress" in socket && typeof socket.remoteAddress === "string" ? socket.remoteAddress : "";
    this.#context.emit({ type: "RequestRefused", client, gateway, port: config.port, status, reason });
    const body = `${status} ${text}: ${reason}\n`;
    socket.end(
      `HTTP/1.1 ${status} ${text}\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
    );
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
