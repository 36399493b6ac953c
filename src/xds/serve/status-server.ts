/** Tells on the loopback how the Envoys are doing: `prevail xds status` asks it. */
import { createServer } from "node:http";
import type { NodeStatus } from "./xds-server.ts";

export interface StatusServer {
  readonly port: number;
  readonly close: () => void;
}

export async function startStatusServer(port: number, nodes: () => readonly NodeStatus[]): Promise<StatusServer> {
  const server = createServer((request, response) => {
    const isAsked = request.method === "GET" && request.url === "/status";
    response.writeHead(isAsked ? 200 : 404, { "content-type": "application/json" });
    response.end(isAsked ? `${JSON.stringify({ nodes: nodes() })}\n` : "{}\n");
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  const address = server.address();
  return {
    port: address === null || typeof address === "string" ? port : address.port,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
