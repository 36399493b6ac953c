import type { Socket } from "node:net";
import type { Duplex } from "node:stream";

/** Each end gets what the other sends, at the pace at which it takes it, until one of them is done or both are silent for too long. */
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
