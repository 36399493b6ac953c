/** A port that is open: the server behind it, and the configuration that it serves at the moment. */
import { performServerHandshake, type ServerHttp2Session } from "node:http2";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import {
  createServer as createSecureServer,
  type SecureContext,
  Server as SecureServer,
  type TLSSocket,
} from "node:tls";
import type { GatewayTimer } from "./gateway-clock.ts";
import { Http1ServerConnection } from "./http1-server-connection.ts";
import { serveHttp2Session } from "./http2-session.ts";
import type { ServedPort } from "./served-port.ts";
import type { ServerCertificates } from "./server-certificates.ts";
import type { ServingContext } from "./serving-context.ts";

export interface BindAddress {
  /** Undefined: all addresses, IPv4 and IPv6. */
  readonly host?: string;
  readonly port: number;
}

/** How often connections are looked at: what has a limit may take this much longer, and never less. */
const CHECK_MS = 1000;

export class PortServer {
  #served: ServedPort;
  readonly #context: ServingContext;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #connections = new Set<Http1ServerConnection>();
  readonly #sessions = new Set<ServerHttp2Session>();
  #checker: GatewayTimer | undefined;
  #isDraining = false;

  constructor(context: ServingContext, served: ServedPort) {
    this.#served = served;
    this.#context = context;
    this.#server = served.certificates === undefined ? this.#createPlain() : this.#createSecure(served.certificates);
    this.#server.maxConnections = context.limits.maxConnections;
    this.#server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
    });
  }

  get served(): ServedPort {
    return this.#served;
  }

  /** The next request sees it. */
  serve(served: ServedPort): void {
    this.#served = served;
    if (this.#server instanceof SecureServer) this.#server.setSecureContext(unnamedOptions(served.certificates));
  }

  /** Rejects if the machine does not give the port. */
  listen({ host, port }: BindAddress): Promise<AddressInfo> {
    return new Promise((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen({ port, ...(host === undefined ? {} : { host }) }, () => {
        this.#server.off("error", reject);
        // Whatever a server tells later is about one connection.
        this.#server.on("error", () => {});
        this.#startChecking();
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
    for (const connection of this.#connections) connection.drain();
    for (const session of this.#sessions) session.close();
    const timer = this.#context.clock.startTimer(drainMs, () => {
      for (const socket of this.#sockets) socket.destroy();
    });
    await closed;
    timer.cancel();
    this.#checker?.cancel();
  }

  #createPlain(): Server {
    const server = createServer({ noDelay: true });
    server.on("connection", (socket) => this.#serveHttp1(socket));
    return server;
  }

  /** HTTP/2 and HTTP/1.1, as the client prefers. */
  #createSecure(certificates: ServerCertificates): Server {
    const server = createSecureServer({
      noDelay: true,
      minVersion: "TLSv1.2",
      handshakeTimeout: this.#context.limits.headersMs,
      ALPNProtocols: ["h2", "http/1.1"],
      ...unnamedOptions(certificates),
      SNICallback: (serverName, done) => this.#chooseContext(serverName, done),
    });
    server.on("secureConnection", (socket) => {
      // What breaks a connection also closes it.
      socket.on("error", () => {});
      if (socket.alpnProtocol === "h2") this.#serveHttp2(socket);
      else this.#serveHttp1(socket);
    });
    return server;
  }

  #chooseContext(serverName: string, done: (error: Error | null, context?: SecureContext) => void): void {
    const context = this.#served.certificates?.find(serverName);
    if (context === undefined) done(new Error("no listener takes this host"));
    else done(null, context);
  }

  #serveHttp1(socket: Socket): void {
    const connection = new Http1ServerConnection(socket, {
      context: this.#context,
      served: () => this.#served,
      isDraining: () => this.#isDraining,
    });
    this.#connections.add(connection);
    socket.on("close", () => this.#connections.delete(connection));
  }

  #serveHttp2(socket: TLSSocket): void {
    const { maxHeaders, maxHeaderBytes } = this.#context.limits;
    const session = performServerHandshake(socket, {
      maxHeaderListPairs: maxHeaders + 8,
      settings: { maxConcurrentStreams: 250, maxHeaderListSize: maxHeaderBytes, enablePush: false },
    });
    this.#sessions.add(session);
    session.on("close", () => this.#sessions.delete(session));
    serveHttp2Session(session, this.#context, () => this.#served);
  }

  /** One clock for all connections: timers of their own would cost each request more than this costs in a second. */
  #startChecking(): void {
    const { clock, limits } = this.#context;
    this.#checker = clock.startTimer(Math.min(CHECK_MS, limits.headersMs), () => {
      const nowMs = clock.nowMs();
      for (const connection of this.#connections) connection.checkTime(nowMs);
      this.#startChecking();
    });
  }
}

/** Without a certificate of its own a client that names no host is turned away. */
function unnamedOptions(certificates: ServerCertificates | undefined): {
  readonly cert?: string;
  readonly key?: string;
} {
  const unnamed = certificates?.unnamed;
  return unnamed === undefined ? {} : { cert: unnamed.chain, key: unnamed.privateKey };
}
