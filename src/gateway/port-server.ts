/** A port that is open: the server behind it, and the configuration that it serves at the moment. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import {
  createSecureServer,
  type Http2SecureServer,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { SecureContext } from "node:tls";
import type { GatewayLimits } from "./gateway-limits.ts";
import { Http1Front } from "./http1-front.ts";
import { Http2Exchange, readHttp2Head } from "./http2-exchange.ts";
import { serveRequest } from "./serve-request.ts";
import type { ServedPort } from "./served-port.ts";
import type { ServerCertificates } from "./server-certificates.ts";
import type { ServingContext } from "./serving-context.ts";

export interface BindAddress {
  /** Undefined: all addresses, IPv4 and IPv6. */
  readonly host?: string;
  readonly port: number;
}

export class PortServer {
  #served: ServedPort;
  readonly #context: ServingContext;
  readonly #front: Http1Front;
  readonly #server: Server | Http2SecureServer;
  readonly #sockets = new Set<Socket>();
  readonly #sessions = new Set<ServerHttp2Session>();
  #isDraining = false;

  constructor(context: ServingContext, served: ServedPort) {
    this.#served = served;
    this.#context = context;
    this.#front = new Http1Front(context, { served: () => this.#served, isDraining: () => this.#isDraining });
    this.#server = served.certificates === undefined ? this.#createPlain() : this.#createSecure(served.certificates);
    this.#listenTo(this.#server);
  }

  get served(): ServedPort {
    return this.#served;
  }

  /** The next request sees it. */
  serve(served: ServedPort): void {
    this.#served = served;
    if ("setSecureContext" in this.#server) this.#server.setSecureContext(unnamedOptions(served.certificates));
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
    // This also closes the connections of HTTP/1.1 that are idle.
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const session of this.#sessions) session.close();
    const timer = this.#context.clock.startTimer(drainMs, () => {
      for (const socket of this.#sockets) socket.destroy();
    });
    await closed;
    timer.cancel();
  }

  #createPlain(): Server {
    return createServer({ noDelay: true, ...http1Options(this.#context.limits) });
  }

  /** HTTP/2 and HTTP/1.1, as the client prefers. */
  #createSecure(certificates: ServerCertificates): Http2SecureServer {
    const { limits } = this.#context;
    const server = createSecureServer({
      allowHTTP1: true,
      minVersion: "TLSv1.2",
      handshakeTimeout: limits.headersMs,
      ...unnamedOptions(certificates),
      SNICallback: (serverName, done) => this.#chooseContext(serverName, done),
      maxHeaderListPairs: limits.maxHeaders + 8,
      settings: { maxConcurrentStreams: 250, maxHeaderListSize: limits.maxHeaderBytes, enablePush: false },
    });
    // The server for HTTP/2 takes these as properties only.
    Object.assign(server, http1Options(limits));
    server.on("session", (session) => {
      this.#sessions.add(session);
      session.setTimeout(limits.idleMs, () => session.close());
      session.on("error", () => {});
      session.on("close", () => this.#sessions.delete(session));
    });
    return server;
  }

  #chooseContext(serverName: string, done: (error: Error | null, context?: SecureContext) => void): void {
    const context = this.#served.certificates?.find(serverName);
    if (context === undefined) done(new Error("no listener takes this host"));
    else done(null, context);
  }

  #listenTo(server: Server | Http2SecureServer): void {
    const { limits } = this.#context;
    server.maxConnections = limits.maxConnections;
    server.setTimeout(limits.idleMs);
    const emitter: NodeJS.EventEmitter = server;
    emitter.on("connection", (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
    });
    emitter.on("request", (request: IncomingMessage, response: ServerResponse) =>
      this.#front.serve(request, response, "at once"),
    );
    emitter.on("checkContinue", (request: IncomingMessage, response: ServerResponse) =>
      this.#front.serve(request, response, "after 100"),
    );
    emitter.on("upgrade", (request: IncomingMessage, _: Duplex, early: Buffer) =>
      this.#front.serveUpgrade(request, early),
    );
    emitter.on("connect", (request: IncomingMessage) => this.#front.refuseConnect(request));
    emitter.on("clientError", (error: Error, socket: Duplex) => this.#front.refuse(error, socket));
    // Streams of HTTP/2 are served as streams: the listener that dresses them up as requests of HTTP/1.1 goes.
    emitter.removeAllListeners("stream");
    emitter.on("stream", (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, _: number, rawHeaders: string[]) =>
      this.#serveStream(stream, headers, rawHeaders),
    );
  }

  #serveStream(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, rawHeaders: readonly string[]): void {
    const { limits } = this.#context;
    const expectsContinue = headers.expect?.toLowerCase() === "100-continue";
    const exchange = new Http2Exchange(stream, { expectsContinue, idleMs: limits.idleMs });
    const read = readHttp2Head(stream, rawHeaders, limits.maxHeaders);
    serveRequest(this.#context, this.#served, { exchange, read, serverName: exchange.serverName });
  }
}

function http1Options(limits: GatewayLimits): {
  readonly maxHeaderSize: number;
  readonly maxHeadersCount: number;
  readonly headersTimeout: number;
  readonly requestTimeout: number;
  readonly keepAliveTimeout: number;
  readonly connectionsCheckingInterval: number;
  readonly requireHostHeader: boolean;
} {
  return {
    maxHeaderSize: limits.maxHeaderBytes,
    // More are dropped in silence: one more tells that there were too many.
    maxHeadersCount: limits.maxHeaders + 1,
    headersTimeout: limits.headersMs,
    requestTimeout: limits.receiveMs,
    keepAliveTimeout: limits.keepAliveMs,
    connectionsCheckingInterval: Math.min(1000, limits.headersMs),
    // Asked of HTTP/1.0 too, and answered in our own words.
    requireHostHeader: false,
  };
}

/** Without a certificate of its own a client that names no host is turned away. */
function unnamedOptions(certificates: ServerCertificates | undefined): {
  readonly cert?: string;
  readonly key?: string;
} {
  const unnamed = certificates?.unnamed;
  return unnamed === undefined ? {} : { cert: unnamed.chain, key: unnamed.privateKey };
}
