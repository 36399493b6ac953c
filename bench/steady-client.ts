/** Asks over connections that stay open, so many requests at a time, so that two proxies can be compared in many short turns. */
import { connect, type Socket } from "node:net";

export interface SteadyClient {
  /** Resolves when so many requests have been answered. */
  readonly ask: (requests: number) => Promise<void>;
  readonly close: () => void;
}

const END_OF_HEAD = "\r\n\r\n";

export async function openClient({
  port,
  host,
  connections,
}: {
  readonly port: number;
  readonly host: string;
  readonly connections: number;
}): Promise<SteadyClient> {
  const request = `GET / HTTP/1.1\r\nHost: ${host}${END_OF_HEAD}`;
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(port)));
  let [unasked, unanswered] = [0, 0];
  let settle: { readonly resolve: () => void; readonly reject: (error: Error) => void } | undefined;
  const askNext = (socket: Socket): void => {
    if (unasked === 0) return;
    unasked--;
    socket.write(request);
  };
  for (const socket of sockets) {
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      const length = answerLength(text);
      if (length === undefined || text.length < length) return;
      if (!text.startsWith("HTTP/1.1 200")) settle?.reject(new Error(`unexpected answer: ${text}`));
      text = text.slice(length);
      unanswered--;
      askNext(socket);
      if (unanswered === 0) settle?.resolve();
    });
    socket.on("close", () => settle?.reject(new Error("the connection was closed")));
  }
  return {
    ask: (requests) =>
      new Promise((resolve, reject) => {
        settle = { resolve, reject };
        [unasked, unanswered] = [requests, requests];
        for (const socket of sockets) askNext(socket);
      }),
    close: () => {
      settle = undefined;
      for (const socket of sockets) socket.destroy();
    },
  };
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    socket.once("connect", () => resolve(socket));
    socket.once("error", reject);
  });
}

/** Of the first answer in that text; undefined: its head is not whole. */
function answerLength(text: string): number | undefined {
  const end = text.indexOf(END_OF_HEAD);
  if (end < 0) return undefined;
  const body = Number(/\r\ncontent-length: (\d+)/i.exec(text.slice(0, end))?.[1] ?? 0);
  return end + END_OF_HEAD.length + body;
}
