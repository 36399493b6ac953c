/** An open port: its server, and the configuration that it serves. */
import { performServerHandshake } from "node:http2";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import {
  createServer as createSecureServer,
  type SecureContext,
  type SecureContextOptions,
  type Server as SecureServer,
  type TLSSocket,
  type TlsOptions,
} from "node:tls";
import {
  closeFailedHandshakes,
  type HandshakeFailure,
  type HandshakeFailureReason,
  UnknownServerName,
} from "../../adapters/sockets/failed-handshakes.ts";
import type { PortAddress } from "../../core/dataplane/assign-ports.ts";
import type { ListenerConfig } from "../../core/dataplane/gateway-config.ts";
import { isStream } from "../../core/dataplane/is-stream.ts";
import type { GatewayTimer } from "../contract/gateway-clock.ts";
import type { IncomingRequest, RefusedBytes } from "../contract/http-exchange.ts";
import { Http1ServerConnection } from "../http1/http1.ts";
import { Http2ServerConnection } from "../http2/server-connection.ts";
import { peekServerName } from "../streams/peek-server-name.ts";
import { findListener, type PreparedPort } from "./prepared-port.ts";
import { serveRequest } from "./serve-request.ts";
import { serveStream } from "./serve-stream.ts";
import type { ServerCertificates } from "./server-certificates.ts";
import type { ServingContext } from "./serving-context.ts";

/** The interval of the timeout checks. A timeout may take effect this much later, never earlier. */
const CHECK_MS = 1000;

export class PortServer {
  #served: PreparedPort;
  readonly #context: ServingContext;
  readonly #server: Server;
  readonly #secureServers = new Set<SecureServer>();
  /** For the HTTPS listeners of the port. */
  #https: SecureServer | undefined;
  readonly #sockets = new Set<Socket>();
  readonly #connections = new Set<Http1ServerConnection | Http2ServerConnection>();
  readonly #onRequest = (request: IncomingRequest): void => serveRequest(this.#context, this.#served, request);
  readonly #onRefused = (refused: RefusedBytes): void => {
    const { gateway, config } = this.#served;
    this.#context.emit({ type: "RequestRefused", gateway, port: config.port, ...refused });
  };
  #checker: GatewayTimer | undefined;
  #isDraining = false;

  constructor(context: ServingContext, served: PreparedPort) {
    this.#served = served;
    this.#context = context;
    const onConnection = this.#connectionHandler(served);
    this.#server = createServer({ noDelay: true }, onConnection);
    this.#server.maxConnections = context.limits.maxConnections;
    // Before the handler above, which may close the connection.
    this.#server.prependListener("connection", (socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
    });
  }

  get served(): PreparedPort {
    return this.#served;
  }

  /** Replaces the configuration, from the next request on. */
  serve(served: PreparedPort): void {
    const isSame = served.certificates?.clients.key === this.#served.certificates?.clients.key;
    this.#served = served;
    // Connected clients were admitted by other rules.
    if (!isSame) {
      this.#https = this.#createHttps();
      this.#closeConnections();
    }
    for (const server of this.#secureServers) server.setSecureContext(unnamedOptions(served.certificates));
  }

  /** Rejects if the port cannot be opened. */
  listen({ host, port }: PortAddress): Promise<AddressInfo> {
    return new Promise((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen({ port, ...(host === undefined ? {} : { host }) }, () => {
        this.#server.off("error", reject);
        // Later errors concern single connections.
        this.#server.on("error", () => {});
        this.#startChecking();
        const address = this.#server.address();
        if (address === null || typeof address === "string") reject(new Error("the server has no address"));
        else resolve(address);
      });
    });
  }

  /** Accepts no new connections. Resolves when the last request is done; after `drainMs` it aborts the rest. */
  async drain(drainMs: number): Promise<void> {
    this.#isDraining = true;
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#closeConnections();
    const timer = this.#context.clock.startTimer(drainMs, () => {
      for (const socket of this.#sockets) socket.destroy();
    });
    await closed;
    timer.cancel();
    this.#checker?.cancel();
  }

  /** Each after its requests. */
  #closeConnections(): void {
    for (const connection of this.#connections) connection.drain();
  }

  #connectionHandler({ config, certificates }: PreparedPort): (socket: Socket) => void {
    switch (config.protocol) {
      case "HTTP":
        return (socket) => this.#servePlain(socket);
      case "TLS":
        return this.#secureHandler(certificates);
      case "TCP":
      case "UDP":
        return (socket) => this.#serveStream(socket, "");
    }
  }

  /** The server name selects the listener, so it must be known first if not all listeners are HTTPS. */
  #secureHandler(certificates: ServerCertificates | undefined): (socket: Socket) => void {
    this.#https = this.#createHttps();
    // The protocol inside of other connections is not known, so nothing is negotiated.
    const others = this.#createSecure(certificates, {});
    others.on("secureConnection", (socket) => this.#serveStream(socket, serverNameOf(socket)));
    return (socket) => {
      const https = this.#https;
      if (!this.#served.config.listeners.some(isStream)) return void https?.emit("connection", socket);
      this.#peek(socket, (serverName, listener) => {
        const isOpaque = listener.tls === "Passthrough" || !this.#mayServe(listener, serverName);
        if (isOpaque) this.#serveStream(socket, serverName);
        else (isStream(listener) ? others : https)?.emit("connection", socket);
      });
    };
  }

  /** Another way to validate clients gets another server, so that no session is resumed that began under other rules. */
  #createHttps(): SecureServer {
    const { certificates } = this.#served;
    const options: TlsOptions = { ALPNProtocols: ["h2", "http/1.1"], ...clientOptions(certificates) };
    const server = this.#createSecure(certificates, options);
    if (this.#https !== undefined) this.#secureServers.delete(this.#https);
    return server.on("secureConnection", (socket) => {
      if (this.#https !== server) socket.destroy();
      else if (socket.alpnProtocol === "h2") this.#serveHttp2(socket);
      else this.#serveHttp1(socket);
    });
  }

  #peek(socket: Socket, onListener: (serverName: string, listener: ListenerConfig) => void): void {
    const client = socket.remoteAddress ?? "";
    const onFailure = (reason: HandshakeFailureReason, message: string): void =>
      this.#failHandshake({ reason, client, message });
    const { clock, limits } = this.#context;
    peekServerName(socket, {
      clock,
      patienceMs: limits.headersMs,
      onFailure,
      onName: (serverName) => {
        const listener = findListener(this.#served, serverName);
        if (listener !== undefined) return onListener(serverName, listener);
        socket.destroy();
        onFailure("server_name", "no listener matches this server name");
      },
    });
  }

  /** A connection that would be closed after its handshake is closed before it. */
  #mayServe(listener: ListenerConfig, serverName: string): boolean {
    if (!isStream(listener)) return true;
    return this.#served.routes.findStream(listener, serverName)?.rule.action.type === "Forward";
  }

  #failHandshake(failure: HandshakeFailure): void {
    const { gateway, config } = this.#served;
    this.#context.emit({ type: "HandshakeFailed", gateway, port: config.port, failure });
  }

  /** A server that does not listen: it gets the connections of the port. */
  #createSecure(certificates: ServerCertificates | undefined, options: TlsOptions): SecureServer {
    const server = createSecureServer({
      minVersion: "TLSv1.2",
      handshakeTimeout: this.#context.limits.headersMs,
      ...options,
      ...unnamedOptions(certificates),
      SNICallback: (serverName, done) => this.#chooseContext(serverName, done),
    });
    closeFailedHandshakes(server, (failure) => this.#failHandshake(failure));
    // An error is followed by `close`.
    server.on("secureConnection", (socket) => socket.on("error", () => {}));
    this.#secureServers.add(server);
    return server;
  }

  #serveStream(socket: Socket, serverName: string): void {
    const { config } = this.#served;
    const listener = config.protocol === "TLS" ? findListener(this.#served, serverName) : config.listeners[0];
    if (listener === undefined || !isStream(listener)) return void socket.destroy();
    serveStream(this.#context, this.#served, { socket, serverName, listener });
  }

  #chooseContext(serverName: string, done: (error: Error | null, context?: SecureContext) => void): void {
    const context = this.#served.certificates?.find(serverName);
    if (context === undefined) done(new UnknownServerName("no listener matches this server name"));
    else done(null, context);
  }

  /** Without TLS nothing is negotiated: the client's first bytes distinguish HTTP/2 from HTTP/1. */
  #servePlain(socket: Socket): void {
    const connection = this.#serveHttp1(socket, () => {
      this.#connections.delete(connection);
      this.#serveHttp2(socket);
    });
  }

  #serveHttp1(socket: Socket, onHttp2?: () => void): Http1ServerConnection {
    const { limits, clock, pieces } = this.#context;
    const https = this.#https;
    const connection = new Http1ServerConnection(socket, {
      limits,
      clock,
      pieces,
      onRequest: this.#onRequest,
      ...(onHttp2 === undefined ? {} : { onHttp2 }),
      onRefused: this.#onRefused,
      isDraining: () => this.#isDraining || this.#https !== https,
    });
    this.#connections.add(connection);
    socket.on("close", () => this.#connections.delete(connection));
    return connection;
  }

  #serveHttp2(socket: Socket): void {
    const { limits, clock, pieces } = this.#context;
    const { maxHeaders, maxHeaderBytes, maxStreams } = limits;
    const session = performServerHandshake(socket, {
      maxHeaderListPairs: maxHeaders + 8,
      settings: { maxConcurrentStreams: maxStreams, maxHeaderListSize: maxHeaderBytes, enablePush: false },
    });
    const options = { limits, clock, pieces, onRequest: this.#onRequest, onRefused: this.#onRefused };
    const connection = new Http2ServerConnection(session, socket, options);
    this.#connections.add(connection);
    session.on("close", () => this.#connections.delete(connection));
  }

  /** One timer checks all connections, because a timer per request is more expensive. */
  #startChecking(): void {
    const { clock, limits } = this.#context;
    this.#checker = clock.startTimer(Math.min(CHECK_MS, limits.headersMs), () => {
      const nowMs = clock.nowMs();
      for (const connection of this.#connections) connection.checkTime(nowMs);
      this.#startChecking();
    });
  }
}

function clientOptions(certificates: ServerCertificates | undefined): TlsOptions {
  switch (certificates?.clients.mode) {
    case undefined:
      return {};
    case "AllowValidOnly":
      return { requestCert: true, rejectUnauthorized: true };
    case "AllowInsecureFallback":
      return { requestCert: true, rejectUnauthorized: false };
  }
}

/** The server name of a finished handshake, in lower case. Empty: the client sent none. */
const serverNameOf = ({ servername }: TLSSocket & { readonly servername?: unknown }): string =>
  typeof servername === "string" ? servername.toLowerCase() : "";

/** Without such a certificate, clients that send no server name are refused. */
function unnamedOptions(certificates: ServerCertificates | undefined): SecureContextOptions {
  if (certificates?.unnamed === undefined) return {};
  const { chain, privateKey, authorities } = certificates.unnamed;
  return { cert: chain, key: privateKey, ...(authorities === undefined ? {} : { ca: authorities }) };
}
