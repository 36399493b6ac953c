/** Sends requests to one server over HTTP/2, so that many watches share a connection; over HTTP/1.1 where the server or a proxy has no HTTP/2. */
import { ClusterError } from "../cluster-error.ts";
import { chooseProxy } from "./choose-proxy.ts";
import { createHttp1Sender } from "./http1-sender.ts";
import { createHttp2Sender } from "./http2-sender.ts";
import { openSocket, type TlsSettings } from "./open-socket.ts";
import { orAborted } from "./or-aborted.ts";
import { toClusterError } from "./to-cluster-error.ts";
import type { Sender, Transport, TransportResponse } from "./transport-types.ts";

export interface TransportOptions {
  readonly server: string;
  /** The server in messages; its URL if undefined. */
  readonly name?: string | undefined;
  readonly proxyUrl?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Read again for each connection. */
  readonly tls: () => Promise<TlsSettings>;
}

const CONNECT_DEADLINE_MS = 10_000;

export function createTransport({ server, name = server, proxyUrl, env, tls }: TransportOptions): Transport {
  const url = parseServer(server);
  const proxy = chooseProxy(url, proxyUrl, env);
  const open = async () => {
    try {
      return await openSocket({ server: url, proxy, tls: await tls(), deadlineMs: CONNECT_DEADLINE_MS });
    } catch (error) {
      throw toClusterError(error, name);
    }
  };
  let sender: Promise<Sender> | undefined;
  /** The first connection shows which protocol the server speaks. */
  const choose = async (): Promise<Sender> => {
    const socket = await open();
    const isHttp2 = "alpnProtocol" in socket && socket.alpnProtocol === "h2";
    return isHttp2 ? createHttp2Sender(url, open, socket) : createHttp1Sender(url, open, socket);
  };
  const reconnect = (): void => {
    const old = sender;
    sender = undefined;
    old?.then((one) => one.close()).catch(() => undefined);
  };
  return {
    send: async (request) => {
      const sendNow = async (): Promise<TransportResponse> => {
        sender ??= choose();
        const current = sender;
        const { send } = await current.catch((error: unknown) => {
          if (sender === current) sender = undefined;
          throw error;
        });
        return send({ ...request, path: `${url.pathname.replace(/\/$/, "")}${request.path}` });
      };
      try {
        // A connection that is being opened is shared, and is not given up with the request.
        return await orAborted(sendNow(), request.signal);
      } catch (error) {
        throw request.signal.aborted ? (request.signal.reason as unknown) : toClusterError(error, name);
      }
    },
    reconnect,
    close: reconnect,
  };
}

function parseServer(server: string): URL {
  const text = server.includes("://") ? server : `https://${server}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== "https:" && url.protocol !== "http:")) {
    throw new ClusterError(`the server '${server}' of the cluster is not a URL such as https://host:6443`);
  }
  return url;
}
