import { createSocket } from "node:dgram";
import { createServer, isIPv6 } from "node:net";

interface Address {
  readonly host: string;
  readonly port: number;
}

/**
 * The error that opening this address gives now, because another program uses it or it does not exist. Undefined: none. Rights are not judged: the
 * program that is to open the port may have others than this one.
 */
export async function probePort(address: Address, transport: "TCP" | "UDP"): Promise<Error | undefined> {
  const error = await (transport === "TCP" ? openTcp(address) : openUdp(address));
  const code = error !== undefined && "code" in error ? error.code : undefined;
  return code === "EADDRINUSE" || code === "EADDRNOTAVAIL" ? error : undefined;
}

function openTcp({ host, port }: Address): Promise<Error | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", resolve);
    server.listen({ host, port, ipv6Only: true, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

function openUdp({ host, port }: Address): Promise<Error | undefined> {
  return new Promise((resolve) => {
    const socket = createSocket({ type: isIPv6(host) ? "udp6" : "udp4", ipv6Only: true });
    socket.once("error", (error) => {
      socket.close();
      resolve(error);
    });
    socket.bind({ address: host, port, exclusive: true }, () => socket.close(() => resolve(undefined)));
  });
}
