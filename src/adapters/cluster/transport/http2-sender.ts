import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type IncomingHttpHeaders,
} from "node:http2";
import type { Socket } from "node:net";
import { headerLists, type Sender, type TransportRequest, type TransportResponse } from "./transport-types.ts";

/** A connection that does not respond to a ping is dead, though nothing has closed it. client-go uses the same times. */
const PING_EVERY_MS = 30_000;
const PING_DEADLINE_MS = 15_000;
/** A server that states no limit gets at most this many requests at once on a connection. */
const MAX_STREAMS = 100;
/** The default of 64 KiB makes lists wait for round trips. */
const WINDOW_BYTES = 4 * 1024 * 1024;

interface Connection {
  readonly session: ClientHttp2Session;
  streams: number;
  /** The server wants no new requests on it. */
  isLeaving: boolean;
}

export function createHttp2Sender(server: URL, open: () => Promise<Socket>, first: Socket): Sender {
  const connections = new Set<Connection>();
  let opening: Promise<Connection> | undefined;
  let isClosed = false;

  const adopt = (socket: Socket): Connection => {
    const session = connect(server.origin, {
      createConnection: () => socket,
      settings: { initialWindowSize: WINDOW_BYTES, enablePush: false },
    });
    session.setLocalWindowSize(2 * WINDOW_BYTES);
    const connection: Connection = { session, streams: 0, isLeaving: false };
    const timer = setInterval(() => ping(session), PING_EVERY_MS);
    timer.unref();
    session.on("goaway", () => {
      connection.isLeaving = true;
    });
    // A failed session fails its requests, which report the reason.
    session.on("error", () => undefined);
    session.on("close", () => {
      clearInterval(timer);
      connections.delete(connection);
    });
    connections.add(connection);
    return connection;
  };
  adopt(first);

  const isUsable = ({ session, streams, isLeaving }: Connection): boolean =>
    !isLeaving &&
    !session.closed &&
    !session.destroyed &&
    streams < (session.remoteSettings.maxConcurrentStreams ?? MAX_STREAMS);
  const connection = async (): Promise<Connection> => {
    for (;;) {
      for (const one of connections) if (isUsable(one)) return one;
      opening ??= open()
        .then(adopt)
        .finally(() => {
          opening = undefined;
        });
      const opened = await opening;
      if (isUsable(opened)) return opened;
    }
  };
  return {
    send: async (request) => {
      if (isClosed) throw new Error("the connection is closed");
      const chosen = await connection();
      return sendOn(chosen, request);
    },
    close: () => {
      isClosed = true;
      for (const { session } of connections) session.destroy();
    },
  };
}

function ping(session: ClientHttp2Session): void {
  if (session.destroyed || session.closed) return;
  const timer = setTimeout(() => session.destroy(new Error("the server does not respond")), PING_DEADLINE_MS);
  timer.unref();
  session.ping(() => clearTimeout(timer));
}

function sendOn(
  connection: Connection,
  { method, path, headers, body, signal }: TransportRequest,
): Promise<TransportResponse> {
  connection.streams++;
  const stream = connection.session.request(
    { ...headerLists(headers), ":method": method, ":path": path },
    { endStream: body === undefined, signal },
  );
  stream.once("close", () => {
    connection.streams--;
  });
  if (body !== undefined) stream.end(body);
  return responseOf(stream);
}

function responseOf(stream: ClientHttp2Stream): Promise<TransportResponse> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => reject(error);
    stream.once("error", fail);
    stream.once("close", () => reject(new Error("the server closed the connection")));
    stream.once("response", (headers: IncomingHttpHeaders) => {
      stream.off("error", fail);
      // A stream that is reset without an error looks complete; here it is not.
      stream.on("aborted", () => stream.destroy(new Error("the connection broke")));
      stream.on("close", () => {
        if (stream.rstCode !== constants.NGHTTP2_NO_ERROR && !stream.readableEnded) {
          stream.destroy(new Error(`the stream was reset (code ${stream.rstCode})`));
        }
      });
      resolve({
        status: Number(headers[":status"]),
        header: (name) => {
          const value = headers[name];
          return Array.isArray(value) ? value.join(", ") : value;
        },
        body: stream,
      });
    });
  });
}
