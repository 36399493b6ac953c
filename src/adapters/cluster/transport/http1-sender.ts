import { Agent, request as httpRequest, type IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { headerLists, type Sender, type TransportRequest, type TransportResponse } from "./transport-types.ts";

/** Sends each request on a connection of its own, kept open for the next one. */
export function createHttp1Sender(server: URL, open: () => Promise<Socket>, first: Socket): Sender {
  const agent = new KeptConnections(open, first);
  return {
    send: (request) => send(server, agent, request),
    close: () => agent.destroy(),
  };
}

/** An agent whose connections the transport opens: it knows proxies and certificates. */
class KeptConnections extends Agent {
  readonly #open: () => Promise<Socket>;
  #first: Socket | undefined;

  constructor(open: () => Promise<Socket>, first: Socket) {
    super({ keepAlive: true, maxFreeSockets: 16, scheduling: "lifo" });
    this.#open = open;
    this.#first = first;
  }

  override createConnection(_options: unknown, done?: (error: Error | null, stream: Duplex) => void): undefined {
    const first = this.#first;
    this.#first = undefined;
    const opened = first !== undefined && !first.destroyed ? Promise.resolve(first) : this.#open();
    opened.then(
      (socket) => done?.(null, socket),
      // Node's types ask for a stream beside an error; Node itself ignores it.
      (error: Error) => done?.(error, undefined as unknown as Duplex),
    );
    return undefined;
  }
}

function send(
  server: URL,
  agent: Agent,
  { method, path, headers, body, signal }: TransportRequest,
): Promise<TransportResponse> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      agent,
      method,
      path,
      signal,
      headers: {
        host: server.host,
        ...headerLists(headers),
        ...(body === undefined ? {} : { "content-length": Buffer.byteLength(body) }),
      },
    });
    request.once("error", reject);
    request.once("response", (response: IncomingMessage) =>
      resolve({
        status: response.statusCode ?? 0,
        header: (name) => {
          const value = response.headers[name];
          return Array.isArray(value) ? value.join(", ") : value;
        },
        body: response,
      }),
    );
    request.end(body);
  });
}
