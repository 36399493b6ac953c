/**
 * A backend that follows a script, attempt by attempt, and records what it received. Written on plain sockets, as an HTTP library would not misbehave
 * on request. Each endpoint of a row is one of these, and all endpoints of a row follow one script.
 */
import { createServer, type Server, type Socket } from "node:net";

/** What happens to one attempt. */
export type Deed =
  | {
      readonly do: "Respond";
      readonly status: number;
      readonly body?: string;
      readonly headers?: Readonly<Record<string, string>>;
      /** HTTP/2 only. */
      readonly trailers?: Readonly<Record<string, string>>;
      readonly afterMs?: number;
    }
  /** Reads the request, then breaks the connection (RST). */
  | { readonly do: "Reset" }
  /** Reads the request, then closes the connection without a word. */
  | { readonly do: "Close" }
  /** Responds with something that is not HTTP. */
  | { readonly do: "Garble" }
  /** Sends part of the head of a response, and closes. */
  | { readonly do: "CloseInHead" }
  /** Announces the length of its response, sends a part of it, and closes. */
  | { readonly do: "CloseInBody"; readonly status?: number }
  /** Sends a byte every few milliseconds, for ever. */
  | { readonly do: "Trickle" }
  /** Never responds. */
  | { readonly do: "Stall" }
  /** HTTP/2: says that it has not processed the request and will not. */
  | { readonly do: "RefuseStream" }
  /** Switches protocols, and echoes whatever comes. */
  | { readonly do: "Upgrade" };

export interface SeenAttempt {
  readonly endpoint: number;
  readonly method: string;
  readonly target: string;
  readonly headers: ReadonlyMap<string, string>;
  /** When its head had arrived. */
  readonly arrivedMs: number;
  bodyBytes: number;
  /** When the deed was done, as far as the backend can know. */
  doneMs: number | undefined;
}

/** One script for all endpoints of a row: the deed depends on how many attempts came before, wherever they went. */
export interface AttemptLog {
  readonly script: readonly Deed[];
  readonly seen: SeenAttempt[];
}

export interface RecordingBackend {
  readonly port: number;
  close(): Promise<void>;
}

export const nowMs = (): number => performance.now();

const TRICKLE_MS = 20;

export async function startBackend(log: AttemptLog, endpoint: number): Promise<RecordingBackend> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => undefined);
    serveConnection(socket, log, endpoint);
  });
  const port = await listen(server);
  return {
    port,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

/** At any port that is free. */
export async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a TCP server has a port");
  return address.port;
}

/** Requests of one connection, one after the other. */
function serveConnection(socket: Socket, log: AttemptLog, endpoint: number): void {
  let rest: Buffer = Buffer.alloc(0);
  let current: { readonly seen: SeenAttempt; readonly body: BodyReader; readonly deed: Deed } | undefined;
  let isUpgraded = false;
  const advance = (): void => {
    for (;;) {
      if (current === undefined) {
        const end = rest.indexOf("\r\n\r\n");
        if (end === -1) return;
        current = begin(rest.subarray(0, end).toString("latin1"), log, endpoint);
        rest = rest.subarray(end + 4);
      }
      rest = current.body.take(rest);
      current.seen.bodyBytes = current.body.bytes;
      if (!current.body.isWhole) return;
      const { seen, deed } = current;
      current = undefined;
      if (deed.do === "Upgrade") isUpgraded = true;
      perform(deed, seen, socket);
    }
  };
  socket.on("data", (chunk) => {
    if (isUpgraded) {
      socket.write(chunk);
      return;
    }
    rest = Buffer.concat([rest, chunk]);
    advance();
  });
}

function begin(
  head: string,
  log: AttemptLog,
  endpoint: number,
): { readonly seen: SeenAttempt; readonly body: BodyReader; readonly deed: Deed } {
  const [first = "", ...lines] = head.split("\r\n");
  const [method = "", target = ""] = first.split(" ");
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    const known = headers.get(name);
    headers.set(name, known === undefined ? value : `${known}, ${value}`);
  }
  const seen: SeenAttempt = { endpoint, method, target, headers, arrivedMs: nowMs(), bodyBytes: 0, doneMs: undefined };
  const deed = log.script[Math.min(log.seen.length, log.script.length - 1)] ?? { do: "Respond", status: 200 };
  log.seen.push(seen);
  return { seen, body: createBodyReader(headers), deed };
}

interface BodyReader {
  readonly bytes: number;
  readonly isWhole: boolean;
  /** Gives back what does not belong to the body. */
  take(chunk: Buffer): Buffer;
}

function createBodyReader(headers: ReadonlyMap<string, string>): BodyReader {
  if (headers.get("transfer-encoding")?.toLowerCase() === "chunked") return createChunkedReader();
  const length = Number(headers.get("content-length") ?? 0);
  let bytes = 0;
  return {
    get bytes() {
      return bytes;
    },
    get isWhole() {
      return bytes >= length;
    },
    take: (chunk) => {
      const mine = Math.min(chunk.length, length - bytes);
      bytes += mine;
      return chunk.subarray(mine);
    },
  };
}

function createChunkedReader(): BodyReader {
  let bytes = 0;
  let isWhole = false;
  return {
    get bytes() {
      return bytes;
    },
    get isWhole() {
      return isWhole;
    },
    take: (chunk) => {
      let rest = chunk;
      while (!isWhole) {
        const line = rest.indexOf("\r\n");
        if (line === -1) return rest;
        const size = Number.parseInt(rest.subarray(0, line).toString("latin1"), 16);
        if (rest.length < line + 2 + size + 2) return rest;
        bytes += size;
        rest = rest.subarray(line + 2 + size + 2);
        isWhole = size === 0;
      }
      return rest;
    },
  };
}

function perform(deed: Deed, seen: SeenAttempt, socket: Socket): void {
  const done = (): void => {
    seen.doneMs = nowMs();
  };
  switch (deed.do) {
    case "Respond": {
      const timer = setTimeout(() => {
        socket.off("close", stop);
        done();
        socket.write(responseText(deed, seen));
      }, deed.afterMs ?? 0);
      const stop = (): void => clearTimeout(timer);
      socket.once("close", stop);
      return;
    }
    case "Reset":
      done();
      socket.resetAndDestroy();
      return;
    case "Close":
      done();
      socket.end();
      return;
    case "Garble":
      done();
      socket.end("SSH-2.0-what\r\n\r\n");
      return;
    case "CloseInHead":
      done();
      socket.end("HTTP/1.1 200 OK\r\nContent-Le");
      return;
    case "CloseInBody":
      done();
      socket.end(`HTTP/1.1 ${deed.status ?? 200} X\r\nContent-Length: 1000\r\n\r\nonly this`);
      return;
    case "Trickle":
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n");
      trickle(socket, done);
      return;
    case "Stall":
      socket.once("close", done);
      return;
    case "RefuseStream":
      throw new Error("only HTTP/2 has streams");
    case "Upgrade":
      socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
      return;
  }
}

function trickle(socket: Socket, done: () => void): void {
  const timer = setInterval(() => socket.write("x"), TRICKLE_MS);
  socket.once("close", () => {
    clearInterval(timer);
    done();
  });
}

function responseText(
  { status, body = "", headers = {} }: Extract<Deed, { do: "Respond" }>,
  { method }: SeenAttempt,
): string {
  const hasBody = status >= 200 && status !== 204 && status !== 304;
  const lines = [
    `HTTP/1.1 ${status} Status`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(hasBody ? [`Content-Length: ${Buffer.byteLength(body)}`] : []),
  ];
  return `${lines.join("\r\n")}\r\n\r\n${hasBody && method !== "HEAD" ? body : ""}`;
}
