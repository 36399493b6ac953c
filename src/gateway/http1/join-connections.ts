import type { Socket } from "node:net";
import type { Duplex } from "node:stream";

/** Forwards bytes in both directions, with back pressure, until one side closes or both are idle for too long. */
export function joinConnections(
  client: Socket,
  backend: Duplex,
  { idleMs, onOver }: { readonly idleMs: number; readonly onOver: () => void },
): void {
  let open = 2;
  const end = (): void => {
    client.destroy();
    backend.destroy();
  };
  for (const connection of [client, backend]) {
    connection.on("error", end);
    connection.on("close", () => {
      end();
      if (--open === 0) onOver();
    });
  }
  client.setTimeout(idleMs, end);
  client.pipe(backend);
  backend.pipe(client);
}
