/** Clients of TCP, TLS and UDP that report all that comes back, until the gateway closes the connection. */
import { createSocket } from "node:dgram";
import { connect, type Socket } from "node:net";
import { connect as connectSecure } from "node:tls";

const PATIENCE_MS = 10_000;

/** All that was received; `closed` if the connection was closed or reset without a byte. */
export function askTcp(port: number, text: string): Promise<string> {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  socket.on("connect", () => socket.end(text));
  return received(socket);
}

export interface TlsResponse {
  /** The common name of the server's certificate. */
  readonly certificate: string;
  readonly protocol: string;
  readonly text: string;
}

/** `closed` if there was no handshake. */
export async function askTls(
  port: number,
  servername: string | undefined,
  text: string,
  ALPNProtocols: readonly string[] = [],
): Promise<TlsResponse | "closed"> {
  const socket = connectSecure({
    port,
    host: "127.0.0.1",
    rejectUnauthorized: false,
    ...(servername === undefined ? {} : { servername }),
    ...(ALPNProtocols.length === 0 ? {} : { ALPNProtocols: [...ALPNProtocols] }),
  });
  let seen = { certificate: "", protocol: "" };
  socket.on("secureConnect", () => {
    seen = { certificate: String(socket.getPeerCertificate().subject.CN), protocol: String(socket.alpnProtocol) };
    socket.write(text);
  });
  // TLS connections are not half-closed by everyone, so the client leaves after the first response.
  socket.once("data", () => setTimeout(() => socket.destroy(), 20));
  const all = await received(socket);
  return seen.certificate === "" ? "closed" : { ...seen, text: all };
}

function received(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on("data", (chunk) => chunks.push(chunk));
  socket.on("error", () => {});
  socket.setTimeout(PATIENCE_MS, () => socket.destroy());
  return new Promise((resolve) =>
    socket.on("close", () => resolve(chunks.length === 0 ? "closed" : Buffer.concat(chunks).toString())),
  );
}

/** The first datagram that comes back; `nothing` after a while. Each call is another client. */
export async function askUdp(port: number, text: string, patienceMs = 2000): Promise<string> {
  const socket = createSocket("udp4");
  try {
    return await new Promise<string>((resolve) => {
      const patience = setTimeout(() => resolve("nothing"), patienceMs);
      socket.on("message", (message) => {
        clearTimeout(patience);
        resolve(message.toString());
      });
      socket.on("error", () => {});
      socket.send(text, port, "127.0.0.1");
    });
  } finally {
    socket.close();
  }
}

/** How often each result came. */
export function counted(results: readonly string[]): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const result of results) counts.set(result, (counts.get(result) ?? 0) + 1);
  return Object.fromEntries(counts);
}
