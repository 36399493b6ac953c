/** An HTTPS server for the front proxy of the API server alone. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { TLSSocket } from "node:tls";
import type { HandshakeFailure } from "../../adapters/sockets/failed-handshakes.ts";
import { type ServingCertificate, startTlsServer } from "../../adapters/sockets/start-tls-server.ts";
import { type ApiResponse, failure } from "./api-response.ts";
import { type FrontProxy, isAllowedName, readUser } from "./front-proxy.ts";
import { handleRequest, type RequestTools } from "./handle-request.ts";

export interface ViewServerOptions extends RequestTools {
  readonly host: string;
  readonly port: number;
  readonly certificate: ServingCertificate;
  readonly frontProxy: FrontProxy;
  readonly onRequest?: (status: number, seconds: number) => void;
  readonly onHandshakeFailure?: (failure: HandshakeFailure) => void;
  /** An exception of ours. The request gets a 500 without details. */
  readonly onError?: (error: unknown) => void;
}

export interface ViewServer {
  readonly port: number;
  /** Connections from now on get this certificate. */
  readonly useCertificate: (certificate: ServingCertificate) => void;
  /** Connections and requests from now on are judged by this. */
  readonly useFrontProxy: (proxy: FrontProxy) => void;
  readonly close: () => Promise<void>;
}

/** The front proxy sends the user's groups in headers, and users of some identity providers are in hundreds of them. */
const MAX_HEADER_BYTES = 64 * 1024;

/** Rejects if the port cannot be opened. */
export async function startViewServer(options: ViewServerOptions): Promise<ViewServer> {
  let { certificate, frontProxy } = options;
  const trust = () => ({ certificate, clientAuthority: frontProxy.authority });
  const measure = (response: ServerResponse): void => {
    const began = performance.now();
    response.once("close", () => options.onRequest?.(response.statusCode, (performance.now() - began) / 1000));
  };
  const server = await startTlsServer({
    host: options.host,
    port: options.port,
    trust: trust(),
    requestTimeoutMs: 60_000,
    maxHeaderBytes: MAX_HEADER_BYTES,
    respond: (request, response) => {
      measure(response);
      return respond(request, response, frontProxy, options);
    },
    respondBusy: (_, response) => {
      measure(response);
      void send(response, failure("TooManyRequests", "too many requests at a time", { retryAfterSeconds: 1 }));
    },
    onHandshakeFailure: options.onHandshakeFailure,
  });
  return {
    port: server.port,
    useCertificate: (next) => {
      certificate = next;
      server.useTrust(trust());
    },
    useFrontProxy: (next) => {
      frontProxy = next;
      server.useTrust(trust());
      server.closeIdleConnections();
    },
    close: server.close,
  };
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  frontProxy: FrontProxy,
  options: ViewServerOptions,
): Promise<void> {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  request.resume();
  try {
    await send(response, await answer(request, frontProxy, options, gone.signal));
  } catch (error) {
    options.onError?.(error);
    if (response.headersSent) response.destroy();
    else
      await send(
        response,
        failure("ServiceUnavailable", "the request could not be completed", { retryAfterSeconds: 1 }),
      );
  }
}

async function answer(
  request: IncomingMessage,
  frontProxy: FrontProxy,
  tools: RequestTools,
  signal: AbortSignal,
): Promise<ApiResponse> {
  const names = commonNames(request);
  if (names === undefined || !isAllowedName(frontProxy, names))
    return failure("Unauthorized", "only the front proxy of the API server may connect");
  const user = readUser(frontProxy, request.rawHeaders);
  if (typeof user === "string") return failure("Unauthorized", user);
  const url = URL.canParse(request.url ?? "", "https://view") ? new URL(request.url ?? "", "https://view") : undefined;
  if (url === undefined) return failure("BadRequest", "the path cannot be read");
  return handleRequest(
    {
      method: request.method ?? "",
      path: url.pathname,
      query: url.searchParams,
      accept: request.headers.accept,
      user,
      signal,
    },
    tools,
  );
}

/** Undefined if the connection has no certificate of the front proxy's authority. */
function commonNames({ socket }: IncomingMessage): readonly string[] | undefined {
  if (!(socket instanceof TLSSocket) || !socket.authorized) return undefined;
  // A certificate may have several common names, whatever the type says.
  const names: unknown = socket.getPeerCertificate().subject?.CN;
  return Array.isArray(names)
    ? names.filter((name) => typeof name === "string")
    : typeof names === "string"
      ? [names]
      : [];
}

async function send(response: ServerResponse, { status, body, headers }: ApiResponse): Promise<void> {
  if (response.destroyed) return;
  const common = { "content-type": "application/json", "cache-control": "no-cache, private", ...headers };
  if (typeof body === "string") {
    response.writeHead(status, { ...common, "content-length": Buffer.byteLength(body) });
    response.end(body);
    return;
  }
  response.writeHead(status, common);
  for await (const part of body) {
    if (response.destroyed) return;
    if (!response.write(part)) await drained(response);
  }
  response.end();
}

const drained = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      response.off("drain", done);
      response.off("close", done);
      resolve();
    };
    response.once("drain", done);
    response.once("close", done);
  });
