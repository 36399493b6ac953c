/**
 * Small backends for trying things out: they stand in for the real ones, on ports of their own. They answer with what they saw, and fail on
 * demand: a request with the header `x-demo: 503,reset,200` gets a 503 at its first attempt, a broken connection at its second and a 200
 * from then on.
 */
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import {
  createServer as createHttp2Server,
  type Http2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
} from "node:http2";
import { connect, createServer, type Server, type Socket } from "node:net";
import type { DataplaneConfig, Endpoint, EndpointsId } from "../core/dataplane/gateway-config.ts";
import { parseDurationMs } from "../core/model/parse/parse-duration.ts";
import { displayRef } from "../core/model/refs.ts";

export interface DemoBackends {
  /** The same configuration with demo backends in the place of all endpoints. Those that are no longer wanted stop. */
  readonly stageFor: (config: DataplaneConfig) => Promise<DataplaneConfig>;
  readonly close: () => Promise<void>;
}

interface DemoServer {
  readonly port: number;
  readonly close: () => Promise<void>;
}

/** How many stand in for a backend that has no endpoints at all: with two, a retry has somewhere else to go. */
const AT_LEAST = 2;

export function createDemoBackends(): DemoBackends {
  const servers = new Map<string, DemoServer>();
  const attempts = createAttemptCounter();
  return {
    stageFor: async (config) => {
      const endpoints = new Map<EndpointsId, readonly Endpoint[]>();
      const wanted = new Set<string>();
      for (const [id, name] of backendNames(config)) {
        const staged: Endpoint[] = [];
        const count = Math.max(AT_LEAST, config.endpoints.get(id)?.length ?? 0);
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
  backends.forEach(({ object, port, endpoints }) => names.set(endpoints, `${displayRef(object)}:${port}`));
  return names;
}

/** How HTTP/2 begins where nobody has agreed on it before (RFC 9113, 3.4). */
const HTTP2_PREFACE = "PRI * ";

/** Speaks HTTP/1.1 and HTTP/2 on one port, as a route may ask for either: the first words decide which server gets the connection. */
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

/** Whoever goes away in the middle is none of a backend's business. */
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
  const asked = headers["x-demo"];
  if (typeof asked !== "string" || asked === "") return [];
  return asked.split(",", MAX_PLAN).map((deed) => deed.trim().toLowerCase());
}

const requestKey = ({ headers, method, url }: Request): string =>
  String(headers["x-request-id"] ?? `${method} ${headers.host} ${url} ${String(headers["x-demo"])}`);

interface Performance {
  readonly name: string;
  readonly number: number;
  readonly request: Request;
  readonly response: Response;
}

function perform(deed: string, performance: Performance): void {
  const { request, response } = performance;
  if (deed === "reset") {
    request.socket.destroy();
    return;
  }
  // Never answers; ends when whoever asks has had enough.
  if (deed === "stall") return;
  const delayMs = parseDurationMs(deed);
  if (delayMs !== undefined) {
    const timer = setTimeout(() => sayWhatWasSeen(200, performance), delayMs);
    response.on("close", () => clearTimeout(timer));
    return;
  }
  const status = Number(deed);
  if (Number.isInteger(status) && status >= 200 && status <= 599) sayWhatWasSeen(status, performance);
  else {
    const known = "a status (503), a delay (2s), 'reset' or 'stall'";
    sayWhatWasSeen(400, performance, `x-demo has '${deed}'; it takes a list of ${known}`);
  }
}

function sayWhatWasSeen(status: number, { name, number, request, response }: Performance, error?: string): void {
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
  /** Which attempt of a request this is, from 1. A plan that has been played to its end begins anew. */
  readonly next: (key: string, planned: number) => number;
}

const MAX_KEYS = 1000;

/** All backends count together, as a retry goes to another one. */
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
