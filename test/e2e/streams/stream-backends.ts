/** Backends that say who they are. */
import { createSocket } from "node:dgram";
import { createServer, type Server, type Socket } from "node:net";
import { createServer as createSecureServer, type TLSSocket } from "node:tls";
import type { Cleanup } from "../../support/gateway/gateway-harness.ts";
import { API_CERTIFICATE, API_KEY } from "../../support/gateway/test-certificates.ts";

/** `name serverName: text` for what a client sends, and `name done` when the client has finished. */
export async function startTcpBackend(
  cleanup: Cleanup,
  name: string,
  serve: (socket: Socket) => void = (socket) => respond(socket, name),
): Promise<number> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on("error", () => {});
    serve(socket);
  });
  return listen(cleanup, server);
}

/** Like that over TLS, with the certificate of `api.example`. */
export async function startTlsBackend(cleanup: Cleanup, name: string): Promise<number> {
  const server = createSecureServer({ cert: API_CERTIFICATE, key: API_KEY, allowHalfOpen: true }, (socket) => {
    socket.on("error", () => {});
    respond(socket, `${name} ${serverNameOf(socket)}`);
  });
  return listen(cleanup, server);
}

const serverNameOf = (socket: TLSSocket): string => String(Reflect.get(socket, "servername"));

function respond(socket: Socket, who: string): void {
  socket.on("data", (chunk) => socket.write(`${who}: ${chunk.toString()}`));
  socket.on("end", () => socket.end(`${who} done`));
}

async function listen(cleanup: Cleanup, server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanup.add(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(() => resolve()));
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a TCP server has a port");
  return address.port;
}

/** `name: text`. */
export async function startUdpBackend(cleanup: Cleanup, name: string): Promise<number> {
  const socket = createSocket("udp4", (message, { address, port }) =>
    socket.send(`${name}: ${message.toString()}`, port, address),
  );
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
  cleanup.add(() => new Promise((resolve) => socket.close(() => resolve())));
  return socket.address().port;
}
