import type { Server } from "node:https";
import type { AddressInfo } from "node:net";

/** How long requests in progress may take when a server closes. */
const CLOSE_MS = 5000;

/** Opens the port, and returns which it is. Rejects if it cannot be opened. */
export function listen(
  server: Server,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.removeListener("error", reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** Closes the server. Requests in progress are completed. */
export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), CLOSE_MS);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    server.closeIdleConnections();
  });
}
