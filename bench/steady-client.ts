/** A client with connections that stay open, so that two proxies can be compared in many short turns. */
import { connect, type Socket } from "node:net";

export interface SteadyClient {
  /** Sends this number of requests and resolves after the last response. */
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
  let [unsent, pending] = [0, 0];
  let settle: { readonly resolve: () => void; readonly reject: (error: Error) => void } | undefined;
  const sendNext = (socket: Socket): void => {
    if (unsent === 0) return;
    unsent--;
    socket.write(request);
  };
  for (const socket of sockets) {
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      const length = responseLength(text);
      if (length === undefined || text.length < length) return;
      if (!text.startsWith("HTTP/1.1 200")) settle?.reject(new Error(`unexpected response: ${text}`));
      text = text.slice(length);
      pending--;
      sendNext(socket);
      if (pending === 0) settle?.resolve();
    });
    socket.on("close", () => settle?.reject(new Error("the connection was closed")));
  }
  return {
    ask: (requests) =>
      new Promise((resolve, reject) => {
        settle = { resolve, reject };
        [unsent, pending] = [requests, requests];
        for (const socket of sockets) sendNext(socket);
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

/** The length of the first response in the text; undefined if its head is incomplete. */
function responseLength(text: string): number | undefined {
  const end = text.indexOf(END_OF_HEAD);
  if (end < 0) return undefined;
  const body = Number(/\r\ncontent-length: (\d+)/i.exec(text.slice(0, end))?.[1] ?? 0);
  return end + END_OF_HEAD.length + body;
}
