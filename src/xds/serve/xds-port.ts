/** Opens the port or the Unix socket of an xDS server. Connections are passed on after their TLS handshake. */
import { chmod, lstat, rm } from "node:fs/promises";
import { connect, createServer, type ListenOptions, type Server, type Socket } from "node:net";
import { createServer as createSecureServer, type SecureContextOptions, type Server as SecureServer } from "node:tls";
import { closeFailedHandshakes, type HandshakeFailure } from "../../adapters/sockets/failed-handshakes.ts";
import { formatListenError } from "../../adapters/sockets/format-listen-error.ts";
import { formatXdsAddress, type XdsAddress } from "../../core/envoy/xds-address.ts";

export interface XdsPortOptions {
  readonly address: XdsAddress;
  /** Undefined: plain text. */
  readonly tls: XdsServerTls | undefined;
  /** Further connections are closed at once. */
  readonly maxConnections: number;
  readonly handshakeMs: number;
  readonly onConnection: (socket: Socket) => void;
  readonly onFailedHandshake: (failure: HandshakeFailure) => void;
}

/** In PEM. A client needs a certificate of these authorities. */
export interface XdsServerTls {
  readonly certificate: string;
  readonly privateKey: string;
  readonly authorities: string;
}

export interface XdsPort {
  /** 0 for a Unix socket. */
  readonly port: number;
  /** New connections get this certificate. Those that are open stay. */
  readonly useTls: (tls: XdsServerTls) => void;
  /** Closes all connections. A Unix socket is removed. */
  readonly close: () => Promise<void>;
}

/** Rejects with a message for users if the address cannot be opened. */
export async function openXdsPort(options: XdsPortOptions): Promise<XdsPort> {
  const { address, maxConnections } = options;
  const secure = options.tls === undefined ? undefined : createSecure(options.tls, options);
  const server = secure ?? createPlain(options);
  const sockets = new Set<Socket>();
  server.maxConnections = maxConnections;
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await ("socketPath" in address ? listenAtSocket(server, address.socketPath) : listen(server, address)).catch(
    (error: unknown) => {
      const where = formatXdsAddress(address);
      throw new Error(`${where} cannot be opened: ${formatListenError(error, where)}`, { cause: error });
    },
  );
  const bound = server.address();
  return {
    port: bound === null || typeof bound === "string" ? 0 : bound.port,
    useTls: (tls) => secure?.setSecureContext(contextOf(tls)),
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function createPlain({ onConnection }: XdsPortOptions): Server {
  return createServer({ noDelay: true }, (socket) => {
    // An error is followed by `close`.
    socket.on("error", () => {});
    onConnection(socket);
  });
}

const contextOf = ({ certificate, privateKey, authorities }: XdsServerTls): SecureContextOptions => ({
  minVersion: "TLSv1.2",
  cert: certificate,
  key: privateKey,
  ca: authorities,
});

function createSecure(
  tls: XdsServerTls,
  { handshakeMs, onConnection, onFailedHandshake }: XdsPortOptions,
): SecureServer {
  const server = createSecureServer({
    noDelay: true,
    ...contextOf(tls),
    ALPNProtocols: ["h2"],
    handshakeTimeout: handshakeMs,
    requestCert: true,
    rejectUnauthorized: true,
  });
  closeFailedHandshakes(server, onFailedHandshake);
  server.on("secureConnection", (socket) => {
    socket.on("error", () => {});
    onConnection(socket);
  });
  return server;
}

function listen(server: Server, options: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(options, () => {
      server.off("error", reject);
      // Later errors concern single connections.
      server.on("error", () => {});
      resolve();
    });
  });
}

/** The longest path of a Unix socket: 104 bytes with the final zero on macOS, 108 on Linux. */
const MAX_PATH_BYTES = 103;

async function listenAtSocket(server: Server, path: string): Promise<void> {
  const bytes = Buffer.byteLength(path);
  if (bytes > MAX_PATH_BYTES) {
    throw new Error(
      `the path has ${bytes} bytes, and that of a Unix socket has at most ${MAX_PATH_BYTES}; choose a shorter one`,
    );
  }
  if (await isLeftOver(path)) await rm(path);
  await listen(server, { path });
  await chmod(path, 0o600);
}

/** True if the socket is that of a server that ended without removing it. */
async function isLeftOver(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined || !found.isSocket()) return false;
  return new Promise((resolve) => {
    const probe = connect({ path });
    probe.on("connect", () => {
      probe.destroy();
      resolve(false);
    });
    probe.on("error", (error) => resolve("code" in error && error.code === "ECONNREFUSED"));
  });
}
