/** A relay in front of a server on the loopback, whose connections a test can cut at any byte. */
import { connect, createServer, type Socket } from "node:net";

export interface TcpRelay {
  readonly port: number;
  /** Connections so far. */
  readonly connections: () => number;
  /** Ends all connections now. */
  readonly cut: () => void;
  /** Ends the connections after this many more bytes from the server. */
  readonly cutAfter: (bytes: number) => void;
  /** Ends all connections, and refuses new ones until `resume`. */
  readonly pause: () => void;
  readonly resume: () => void;
  /** Connections that are opened from now on get everything from the server this much later. */
  readonly delay: (ms: number) => void;
  readonly close: () => Promise<void>;
}

/** Where the relay listens; by default at any free port of the loopback. */
export async function startTcpRelay(
  target: { readonly host: string; readonly port: number },
  own: { readonly host: string; readonly port: number } = { host: "127.0.0.1", port: 0 },
): Promise<TcpRelay> {
  const open = new Set<Socket>();
  let connections = 0;
  let left = Number.POSITIVE_INFINITY;
  const cut = (): void => {
    left = Number.POSITIVE_INFINITY;
    for (const socket of open) socket.destroy();
  };
  let isPaused = false;
  let delayMs = 0;
  const server = createServer((client) => {
    if (isPaused) {
      client.destroy();
      return;
    }
    connections++;
    const upstream = connect(target);
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.setNoDelay(true);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        open.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.pipe(upstream);
    const laterMs = delayMs;
    upstream.on("data", (chunk: Buffer) => {
      if (laterMs === 0) pass(chunk);
      else setTimeout(() => pass(chunk), laterMs);
    });
    const pass = (chunk: Buffer): void => {
      const passed = chunk.subarray(0, Math.min(chunk.length, left));
      left -= passed.length;
      client.write(passed);
      if (left <= 0) setImmediate(cut);
    };
  });
  await new Promise<void>((resolve) => server.listen(own.port, own.host, resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a TCP server has a port");
  return {
    port: address.port,
    connections: () => connections,
    cut,
    cutAfter: (bytes) => {
      left = bytes;
    },
    pause: () => {
      isPaused = true;
      cut();
    },
    resume: () => {
      isPaused = false;
    },
    delay: (ms) => {
      delayMs = ms;
    },
    close: () => {
      cut();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
