/**
 * Demo backends: local servers that replace the real endpoints. They respond with the request that they got, and fail on demand: a request
 * with the header `x-demo: 503,reset,200` gets a 503 at its first attempt, a connection reset at its second and a 200 afterwards.
 */
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import {
  createServer as createHttp2Server,
  type Http2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
} from "node:http2";
import { connect, createServer, type Server, type Socket } from "node:net";
import type { DataplaneConfig, Endpoint, EndpointsId } from "../../core/dataplane/gateway-config.ts";
import { parseDurationMs } from "../../core/model/parse/parse-duration.ts";
import { formatRef } from "../../core/model/refs.ts";

export interface DemoBackends {
  /** Returns the configuration with demo backends as endpoints, and stops those that it does not need any more. */
  readonly replaceEndpoints: (config: DataplaneConfig) => Promise<DataplaneConfig>;
  readonly close: () => Promise<void>;
}

interface DemoServer {
  readonly port: number;
  readonly close: () => Promise<void>;
}

/** The minimum number of endpoints: with two, a retry can go to another endpoint. */
const MIN_ENDPOINTS = 2;

export function createDemoBackends(): DemoBackends {
  const servers = new Map<string, DemoServer>();
  const attempts = createAttemptCounter();
  return {
    replaceEndpoints: async (config) => {
      const endpoints = new Map<EndpointsId, readonly Endpoint[]>();
      const wanted = new Set<string>();
      for (const [id, name] of backendNames(config)) {
        const staged: Endpoint[] = [];
        const count = Math.max(MIN_ENDPOINTS, config.endpoints.get(id)?.length ?? 0);
        for (let number = 1; number <= count; number++) {
          const key = `${id} ${number}`;
          wanted.add(key);
          const server = servers.get(key) ?? (await startServer(`${name}, endpoint ${number}`, attempts));
          servers.set(key, server);
          staged.push({ address: "127.0.0.1", port: server.port });
        }
        endpoints.set(id, staged);
      }
      for (const [key, server] of servers) {
        if (wanted.has(key)) continue;
        servers.delete(key);
        await server.close();
      }
      return { ...config, endpoints };
    },
    close: async () => {
      await Promise.all([...servers.values()].map((server) => server.close()));
      servers.clear();
    },
  };
}

function backendNames({ backends }: DataplaneConfig): ReadonlyMap<EndpointsId, string> {
  const names = new Map<EndpointsId, string>();
  backends.forEach(({ object, port, endpoints }) => names.set(endpoints, `${formatRef(object)}:${port}`));
  return names;
}

/** The first bytes of HTTP/2 with prior knowledge (RFC 9113, 3.4). */
const HTTP2_PREFACE = "PRI * ";

/** Serves HTTP/1.1 and HTTP/2 on one port. The first bytes of a connection determine the protocol. */
async function startServer(name: string, attempts: AttemptCounter): Promise<DemoServer> {
  const onRequest = (request: Request, response: Response): void => serve(name, request, response, attempts);
  const http1 = createHttpServer(onRequest);
  const http2 = createHttp2Server(onRequest);
  const [port1, port2] = [await listen(http1), await listen(http2)];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    keepTrack(socket, sockets);
    socket.once("data", (first) => {
      const isHttp2 = first.toString("latin1").startsWith(HTTP2_PREFACE);
      const inner = connect(isHttp2 ? port2 : port1, "127.0.0.1");
      keepTrack(inner, sockets);
      inner.write(first);
      socket.pipe(inner).pipe(socket);
      socket.on("close", () => inner.destroy());
      inner.on("close", () => socket.destroy());
    });
  });
  const port = await listen(server);
  const stop = (one: Server | Http2Server): Promise<void> => new Promise((resolve) => one.close(() => resolve()));
  return {
    port,
    close: async () => {
      const stopped = [server, http1, http2].map(stop);
      for (const socket of sockets) socket.destroy();
      await Promise.all(stopped);
    },
  };
}

/** Ignores errors, because clients may disconnect at any time. */
function keepTrack(socket: Socket, sockets: Set<Socket>): void {
  sockets.add(socket);
  socket.on("close", () => sockets.delete(socket));
  socket.on("error", () => undefined);
}

async function listen(server: Server | Http2Server): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a TCP server has a port");
  return address.port;
}

type Request = IncomingMessage | Http2ServerRequest;
type Response = ServerResponse | Http2ServerResponse;

function serve(name: string, request: Request, response: Response, attempts: AttemptCounter): void {
  const plan = planOf(request);
  const number = attempts.next(requestKey(request), plan.length);
  request.resume();
  request.on("error", () => undefined);
  request.on("end", () => perform(plan[number - 1] ?? "200", { name, number, request, response }));
}

const MAX_PLAN = 20;

function planOf({ headers }: Request): readonly string[] {
  const value = headers["x-demo"];
  if (typeof value !== "string" || value === "") return [];
  return value.split(",", MAX_PLAN).map((step) => step.trim().toLowerCase());
}

const requestKey = ({ headers, method, url }: Request): string =>
  String(headers["x-request-id"] ?? `${method} ${headers.host} ${url} ${String(headers["x-demo"])}`);

interface StepContext {
  readonly name: string;
  readonly number: number;
  readonly request: Request;
  readonly response: Response;
}

function perform(step: string, context: StepContext): void {
  const { request, response } = context;
  if (step === "reset") {
    request.socket.destroy();
    return;
  }
  // Never responds. The request ends when the client gives up.
  if (step === "stall") return;
  const delayMs = parseDurationMs(step);
  if (delayMs !== undefined) {
    const timer = setTimeout(() => respondWithRequest(200, context), delayMs);
    response.on("close", () => clearTimeout(timer));
    return;
  }
  const status = Number(step);
  if (Number.isInteger(status) && status >= 200 && status <= 599) respondWithRequest(status, context);
  else {
    const known = "a status (503), a delay (2s), 'reset' or 'stall'";
    respondWithRequest(400, context, `x-demo has '${step}'; each entry must be ${known}`);
  }
}

function respondWithRequest(status: number, { name, number, request, response }: StepContext, error?: string): void {
  const seen = {
    ...(error === undefined ? {} : { error }),
    backend: name,
    attempt: number,
    method: request.method,
    path: request.url,
    headers: request.headers,
  };
  const body = `${JSON.stringify(seen, undefined, 2)}\n`;
  response.statusCode = status;
  response.setHeader("content-type", "application/json");
  response.setHeader("content-length", Buffer.byteLength(body));
  response.end(request.method === "HEAD" ? "" : body);
}

interface AttemptCounter {
  /** The number of this attempt, from 1. After the last entry of the plan the count starts again. */
  readonly next: (key: string, planned: number) => number;
}

const MAX_KEYS = 1000;

/** One counter for all backends, because a retry may go to another endpoint. */
function createAttemptCounter(): AttemptCounter {
  const counts = new Map<string, number>();
  return {
    next: (key, planned) => {
      if (planned === 0) return 1;
      const number = (counts.get(key) ?? 0) + 1;
      counts.delete(key);
      if (number < planned) counts.set(key, number);
      const [oldest] = counts.keys();
      if (counts.size > MAX_KEYS && oldest !== undefined) counts.delete(oldest);
      return number;
    },
  };
}
