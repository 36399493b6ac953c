import { createServer } from "node:net";

/** Distinct ports that are free at this moment. */
export async function findFreePorts(count: number): Promise<readonly number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      return server;
    }),
  );
  const ports = servers.map((server) => {
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("a TCP server has a port");
    return address.port;
  });
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

/** Outgoing connections get their ports from here on (Linux, `ip_local_port_range`). */
const FIRST_EPHEMERAL = 32_768;
const FIRST = 20_000;

/** A free port for a server that is away at times: no outgoing connection of another process takes it meanwhile. */
export async function findServerPort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * (FIRST_EPHEMERAL - FIRST));
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false));
      server.listen(port, "127.0.0.1", () => resolve(true));
    });
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}
