/** Real gateways and backends on the loopback, for tests. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { connect, createServer as createRawServer, type Socket } from "node:net";
import { createRegex } from "../../../src/adapters/regex/create-regex.ts";
import type { DataplaneConfig } from "../../../src/core/dataplane/gateway-config.ts";
import { NO_SECRETS, type SecretSource } from "../../../src/gateway/contract/secret-source.ts";
import { createGateway, type Gateway, type GatewayOptions } from "../../../src/gateway/gateway.ts";
import type { GatewayEvent } from "../../../src/gateway/observe/gateway-event.ts";

/** Closes everything that a test has started, in reverse order. */
export class Cleanup {
  readonly #steps: (() => Promise<void> | void)[] = [];

  add(step: () => Promise<void> | void): void {
    this.#steps.push(step);
  }

  async run(): Promise<void> {
    for (const step of this.#steps.splice(0).reverse()) await step();
  }
}

export interface RunningGateway {
  readonly gateway: Gateway;
  /** The address of the first port of the configuration. */
  readonly port: number;
  readonly events: GatewayEvent[];
  readonly finished: () => Extract<GatewayEvent, { type: "RequestFinished" }>[];
  /** Waits until this number of requests is finished. Some finish after the client has its response. */
  readonly waitFinished: (count: number) => Promise<void>;
}

export async function startGateway(
  cleanup: Cleanup,
  config: DataplaneConfig,
  options: Partial<GatewayOptions> & { readonly secrets?: SecretSource } = {},
): Promise<RunningGateway> {
  const events: GatewayEvent[] = [];
  const gateway = createGateway({
    matchRegex: createRegex(),
    bind: () => ({ host: "127.0.0.1", port: 0 }),
    onEvent: (event) => events.push(event),
    ...options,
  });
  cleanup.add(() => gateway.close({ drainMs: 200 }));
  const { problems } = await gateway.replace(config, options.secrets ?? NO_SECRETS);
  if (problems.length > 0) throw new Error(problems.map(({ message }) => message).join("\n"));
  const finished = (): Extract<GatewayEvent, { type: "RequestFinished" }>[] =>
    events.filter((event) => event.type === "RequestFinished");
  return {
    gateway,
    port: gateway.openPorts()[0]?.boundPort ?? 0,
    events,
    finished,
    waitFinished: (count) => waitUntil(() => finished().length >= count),
  };
}

export async function waitUntil(isSo: () => boolean, withinMs = 5000): Promise<void> {
  const endMs = Date.now() + withinMs;
  while (!isSo()) {
    if (Date.now() > endMs) throw new Error(`the condition was not met within ${withinMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly rawHeaders: readonly string[];
  readonly body: string;
  /** The time when its head was received, and when its response or end was sent. */
  readonly atMs: number;
}

export interface Backend {
  readonly port: number;
  readonly seen: SeenRequest[];
  readonly server: Server;
}

/** A backend that records every request, with its body, before it responds. */
export async function startBackend(
  cleanup: Cleanup,
  respond: (request: SeenRequest, response: ServerResponse, number: number) => void = (_, response) =>
    void response.end("ok"),
): Promise<Backend> {
  const seen: SeenRequest[] = [];
  const server = createServer((request, response) => {
    const atMs = performance.now();
    const chunks: Buffer[] = [];
    request.on("error", () => {});
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "", url = "", headers, rawHeaders } = request;
      const one = { method, url, headers, rawHeaders, body: Buffer.concat(chunks).toString("latin1"), atMs };
      seen.push(one);
      respond(one, response, seen.length);
    });
  });
  const port = await listen(server);
  cleanup.add(() => closeServer(server));
  return { port, seen, server };
}

/** A backend whose handler gets the raw connection. */
export async function startRawBackend(
  cleanup: Cleanup,
  use: (socket: Socket, number: number) => void,
): Promise<{ readonly port: number; readonly connections: () => number }> {
  let count = 0;
  const sockets = new Set<Socket>();
  const server = createRawServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => {});
    use(socket, ++count);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanup.add(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(() => resolve()));
  });
  const address = server.address();
  return { port: typeof address === "object" ? (address?.port ?? 0) : 0, connections: () => count };
}

/** A port on which no server listens. It is outside the range of free ports, so that no parallel test can get it. */
export const CLOSED_PORT = 1;

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return typeof address === "object" ? (address?.port ?? 0) : 0;
}

function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}

/** Sends bytes and collects the response until the other side closes or `isEnough` returns true. */
export function exchangeRaw(
  port: number,
  sent: string | readonly string[],
  { isEnough = () => false, withinMs = 5000 }: { isEnough?: (got: string) => boolean; withinMs?: number } = {},
): Promise<string> {
  return new Promise((resolve) => {
    let got = "";
    const socket = connect(port, "127.0.0.1");
    const timer = setTimeout(() => socket.destroy(), withinMs);
    socket.setNoDelay();
    socket.setEncoding("latin1");
    socket.on("data", (text: string) => {
      got += text;
      if (isEnough(got)) socket.destroy();
    });
    socket.on("error", () => {});
    socket.on("close", () => {
      clearTimeout(timer);
      resolve(got);
    });
    for (const part of typeof sent === "string" ? [sent] : sent) socket.write(Buffer.from(part, "latin1"));
  });
}

/** The status codes of all responses in a text. */
export const statusesIn = (text: string): readonly number[] =>
  [...text.matchAll(/HTTP\/1\.[01] (\d{3}) /g)].map(([, code]) => Number(code));
