/**
 * Gateway API, "HTTPHeaderFilter"
 * Gateway API, "HTTPPathModifier"
 * Gateway API, "HTTPRequestRedirectFilter"
 * Gateway API, "HTTPRequestMirrorFilter"
 * Gateway API, "HTTPCORSFilter"
 * Gateway API, "HTTPBackendRef"
 * Gateway API, "Listener"
 */
import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { connect, type Socket } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import {
  backend,
  dataplane,
  forwardTo,
  listener,
  retry,
  route,
  rule,
  simpleConfig,
} from "../../test/support/gateway/dataplane-config.ts";
import { findFreePorts } from "../../test/support/gateway/find-free-ports.ts";
import {
  CLOSED_PORT,
  Cleanup,
  exchangeRaw,
  startBackend,
  startGateway,
  startRawBackend,
  statusesIn,
  waitUntil,
} from "../../test/support/gateway/gateway-harness.ts";
import type { FilterConfig } from "../core/dataplane/gateway-config.ts";
import { NO_SECRETS } from "./contract/secret-source.ts";

const cleanup = new Cleanup();
afterEach(() => cleanup.run());

interface Response {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Whether the body ended as it should. */
  readonly isWhole: boolean;
}

interface AskOptions {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | readonly string[];
}

function ask(port: number, { method = "GET", path = "/", headers = {}, body }: AskOptions = {}): Promise<Response> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ port, host: "127.0.0.1", method, path, agent: false, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", () => {});
      response.on("close", () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks).toString("latin1"),
          isWhole: response.complete,
        }),
      );
    });
    request.on("error", reject);
    for (const part of typeof body === "string" ? [body] : (body ?? [])) request.write(part);
    request.end();
  });
}

describe("retries", () => {
  test("a listed code is retried, not before the backoff, and the last response is passed on", async () => {
    const backend = await startBackend(cleanup, (_, response, number) => {
      // A backend cannot pretend to be the gateway.
      response.setHeader("x-prevail-attempts", "99");
      response.statusCode = number < 3 ? 503 : 200;
      response.end(`response ${number}`);
    });
    const to = forwardTo("baker", { retry: retry({ codes: [503], attempts: 3, backoffMs: 20 }) });
    const { port, waitFinished, events } = await startGateway(
      cleanup,
      simpleConfig([route(rule({ to }))], { baker: [backend.port] }),
      { debugHeaders: true },
    );
    const response = await ask(port);
    expect([response.status, response.body, response.headers["x-prevail-attempts"]]).toEqual([200, "response 3", "3"]);
    const [first = 0, second = 0, third = 0] = backend.seen.map(({ atMs }) => atMs);
    expect(second - first).toBeGreaterThanOrEqual(20);
    expect(third - second).toBeGreaterThanOrEqual(40);
    await waitFinished(1);
    expect(events.map(({ type }) => type)).toEqual([
      "AttemptFinished",
      "RetryScheduled",
      "AttemptFinished",
      "RetryScheduled",
      "AttemptFinished",
      "RequestFinished",
    ]);
  });

  test("exhausted: the last response is passed on as it is", async () => {
    const backend = await startBackend(cleanup, (_, response) => {
      response.writeHead(503, { "x-from": "backend" });
      response.end("closed today");
    });
    const to = forwardTo("baker", { retry: retry({ codes: [503], attempts: 2 }) });
    const { port, finished, waitFinished } = await startGateway(
      cleanup,
      simpleConfig([route(rule({ to }))], { baker: [backend.port] }),
    );
    const response = await ask(port, { method: "POST", body: "order" });
    expect([response.status, response.headers["x-from"], response.body]).toEqual([503, "backend", "closed today"]);
    expect(backend.seen.map(({ body }) => body)).toEqual(["order", "order", "order"]);
    await waitFinished(1);
    expect(finished()[0]).toMatchObject({ status: 503, attempts: 3, flags: ["Exhausted"] });
  });

  test("a retry goes to another endpoint", async () => {
    const good = await startBackend(cleanup);
    const closed = CLOSED_PORT;
    const to = forwardTo("baker", { retry: retry({ attempts: 1 }) });
    const { port } = await startGateway(cleanup, simpleConfig([route(rule({ to }))], { baker: [closed, good.port] }));
    const statuses: number[] = [];
    for (let i = 0; i < 6; i++) statuses.push((await ask(port, { method: "POST", body: "x" })).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 200]);
  });

  test("connection errors: 503 in plain text that names the route and no address", async () => {
    const closed = CLOSED_PORT;
    const to = forwardTo("baker", { retry: retry({ attempts: 1 }) });
    const { port, events, waitFinished } = await startGateway(
      cleanup,
      simpleConfig([route(rule({ to }))], { baker: [closed] }),
    );
    const response = await ask(port);
    expect([response.status, response.headers["content-type"]]).toEqual([503, "text/plain; charset=utf-8"]);
    expect(response.body).toContain("HTTPRoute bakery/baker");
    expect(response.body).not.toMatch(/127\.0|\d{4,}/);
    await waitFinished(1);
    expect(events.filter(({ type }) => type === "AttemptFinished")).toHaveLength(2);
    expect(events.at(-1)).toMatchObject({ flags: ["Exhausted", "NotConnected"] });
  });

  test.each([
    ["POST is not doubled", "POST", "Idempotent", 1],
    ["GET is retried", "GET", "Idempotent", 2],
    ["POST is, if afterSend says Always", "POST", "Always", 2],
    ["GET is not, if afterSend says Never", "GET", "Never", 1],
  ] as const)("a reset after the request was sent: %s", async (_, method, afterSend, attempts) => {
    const backend = await startRawBackend(cleanup, (socket) => socket.on("data", () => socket.resetAndDestroy()));
    const to = forwardTo("baker", { retry: retry({ attempts: 1, afterSend }) });
    const { port } = await startGateway(cleanup, simpleConfig([route(rule({ to }))], { baker: [backend.port] }));
    const response = await ask(port, { method, ...(method === "POST" ? { body: "order" } : {}) });
    expect([response.status, backend.connections()]).toEqual([503, attempts]);
  });

  test("a kept connection that closes before anything of the request was sent counts as no connection, and is always retried", async () => {
    const sockets: Socket[] = [];
    let requests = 0;
    const backend = await startRawBackend(cleanup, (socket) => {
      sockets.push(socket);
      socket.on("data", () => {
        requests++;
        socket.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
      });
    });
    const to = forwardTo("baker", { retry: retry({ attempts: 1, backoffMs: 1, afterSend: "Never" }) });
    const { port } = await startGateway(cleanup, simpleConfig([route(rule({ to }))], { baker: [backend.port] }));
    const client = connect(port, "127.0.0.1");
    cleanup.add(() => void client.destroy());
    let got = "";
    client.on("data", (data) => (got += data.toString()));
    const order = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n";
    client.write(order);
    for (let count = 1; count <= 20; count++) {
      await waitUntil(() => statusesIn(got).length === count);
      // Both in one moment: the gateway takes up the request, and then learns that the connection has gone.
      client.write(order);
      sockets.at(-1)?.end();
    }
    await waitUntil(() => statusesIn(got).length === 21);
    expect(statusesIn(got)).toEqual(Array.from({ length: 21 }, () => 200));
    expect(requests).toBe(21);
  });

  test("a body longer than the limit is streamed and not sent again", async () => {
    const backend = await startBackend(cleanup, (_, response) => response.writeHead(503).end());
    const to = forwardTo("baker", { retry: retry({ codes: [503], attempts: 2 }, { maxBodyBytes: 10 }) });
    const { port, finished, waitFinished } = await startGateway(
      cleanup,
      simpleConfig([route(rule({ to }))], { baker: [backend.port] }),
    );
    await ask(port, { method: "PUT", body: "0123456789" });
    await ask(port, { method: "PUT", body: "0123456789+" });
    expect(backend.seen.map(({ body }) => body.length)).toEqual([10, 10, 10, 11]);
    await waitFinished(2);
    expect(finished().map(({ flags }) => flags)).toEqual([["Exhausted"], ["BodyNotKept"]]);
  });

  test("a long body of which nothing was sent is sent to the next endpoint", async () => {
    const closed = CLOSED_PORT;
    const good = await startBackend(cleanup, ({ body }, response) => void response.end(String(body.length)));
    const to = forwardTo("baker", { retry: retry({ attempts: 1 }, { maxBodyBytes: 10 }) });
    const { port } = await startGateway(cleanup, simpleConfig([route(rule({ to }))], { baker: [closed, good.port] }));
    const bodies: string[] = [];
    for (let i = 0; i < 2; i++) bodies.push((await ask(port, { method: "POST", body: "x".repeat(300_000) })).body);
    expect(bodies).toEqual(["300000", "300000"]);
  });

  test("the budget bounds retries, and a refusal is reported", async () => {
    const backend = await startBackend(cleanup, (_, response) => response.writeHead(503).end());
    const budget = { percent: 20, intervalMs: 10_000, minRetryRate: { count: 0, intervalMs: 1000 } };
    const to = forwardTo("baker", { retry: retry({ codes: [503], attempts: 3, backoffMs: 1 }, { budget }) });
    const { port, events } = await startGateway(
      cleanup,
      simpleConfig([route(rule({ to }))], { baker: [backend.port] }),
    );
    for (let i = 0; i < 20; i++) await ask(port);
    expect(backend.seen.length).toBe(24);
    expect(events.filter(({ type }) => type === "BudgetRefused").length).toBeGreaterThanOrEqual(16);
  });
});

test("a backend's own budget is measured by all its requests, with retries or without", async () => {
  const failing = await startBackend(cleanup, (_, response) => response.writeHead(503).end());
  const budget = { percent: 50, intervalMs: 10_000, minRetryRate: { count: 0, intervalMs: 1000 } };
  const of = backend("baker", { budget });
  const routes = [
    route(rule({ to: forwardTo(of, { retry: retry({ codes: [503], attempts: 9, backoffMs: 1 }) }) }), "/again"),
    route(rule({ to: forwardTo(of) })),
  ];
  const { port } = await startGateway(cleanup, simpleConfig(routes, { baker: [failing.port] }));
  for (let i = 0; i < 5; i++) await ask(port);
  await ask(port, { path: "/again" });
  expect(failing.seen.filter(({ url }) => url === "/again")).toHaveLength(4);
});

describe("timeouts", () => {
  test("backendRequest bounds an attempt; the last one gives 504", async () => {
    const backend = await startBackend(cleanup, () => {});
    const to = forwardTo("baker", { retry: retry({ attempts: 1, backoffMs: 1 }), backendRequestTimeoutMs: 30 });
    const { port, events, waitFinished } = await startGateway(
      cleanup,
      simpleConfig([route(rule({ to }))], { baker: [backend.port] }),
    );
    expect((await ask(port)).status).toBe(504);
    expect(backend.seen).toHaveLength(2);
    await waitFinished(1);
    expect(events.at(-1)).toMatchObject({ flags: ["BackendTimeout", "Exhausted"] });
  });

  test("request bounds everything, waits included", async () => {
    const backend = await startBackend(cleanup, (_, response) => response.writeHead(503).end());
    const to = forwardTo("baker", { retry: retry({ codes: [503], attempts: 5, backoffMs: 60_000 }) });
    const { port, finished, waitFinished } = await startGateway(
      cleanup,
      simpleConfig([route(rule({ to, requestTimeoutMs: 50 }))], { baker: [backend.port] }),
    );
    expect((await ask(port)).status).toBe(504);
    expect(backend.seen).toHaveLength(1);
    await waitFinished(1);
    expect(finished()[0]).toMatchObject({ flags: ["RequestTimeout"], attempts: 1 });
  });

  test.each([
    ["request", { requestTimeoutMs: 60 }, {}],
    ["backendRequest", {}, { backendRequestTimeoutMs: 60 }],
  ])("%s: after the head has gone out the stream is cut", async (_, ofRule, ofTarget) => {
    const backend = await startBackend(cleanup, (_request, response) => {
      response.writeHead(200, { "content-length": "10" });
      response.write("half ");
    });
    const to = forwardTo("baker", ofTarget);
    const { port, finished, waitFinished } = await startGateway(
      cleanup,
      simpleConfig([route(rule({ to, ...ofRule }))], { baker: [backend.port] }),
    );
    const response = await ask(port);
    expect([response.status, response.body, response.isWhole]).toEqual([200, "half ", false]);
    await waitFinished(1);
    expect(finished()[0]?.flags).toContain("Cut");
  });
});

describe("a client that goes away", () => {
  test.each<[string, string, (client: Socket) => void]>([
    ["takes its attempt with it", "", (client) => client.destroy()],
    [
      "in the middle of a request to upgrade",
      "Connection: upgrade\r\nUpgrade: websocket\r\n",
      (client) => client.resetAndDestroy(),
    ],
  ])("%s", async (_, headers, leave) => {
    let isClosed = false;
    const backend = await startRawBackend(cleanup, (socket) => {
      socket.resume();
      socket.on("close", () => (isClosed = true));
    });
    const { port, waitFinished, finished } = await startGateway(
      cleanup,
      simpleConfig([route(rule({ to: forwardTo("baker") }))], { baker: [backend.port] }),
    );
    const client = connect(port, "127.0.0.1");
    client.write(`GET / HTTP/1.1\r\nHost: a\r\n${headers}\r\n`);
    await waitUntil(() => backend.connections() === 1);
    leave(client);
    await waitUntil(() => isClosed);
    await waitFinished(1);
    expect(finished()[0]).toMatchObject({ status: undefined, flags: ["ClientGone"] });
  });

  test("ends a wait between attempts", async () => {
    const backend = await startBackend(cleanup, (_, response) => response.writeHead(503).end());
    const to = forwardTo("baker", { retry: retry({ codes: [503], attempts: 5, backoffMs: 50 }) });
    const { port, waitFinished } = await startGateway(
      cleanup,
      simpleConfig([route(rule({ to }))], { baker: [backend.port] }),
    );
    const client = connect(port, "127.0.0.1");
    client.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    await waitUntil(() => backend.seen.length === 1);
    client.destroy();
    await waitFinished(1);
    await new Promise((resolve) => setTimeout(resolve, 80));
    expect(backend.seen).toHaveLength(1);
  });
});

test("a request that waits for a connection with half of its body sent is given up, by its client or for lack of time, and all others go on", async () => {
  const held: Socket[] = [];
  const backend = await startRawBackend(cleanup, (socket) =>
    socket.on("data", (data) => {
      if (data.toString().startsWith("GET")) held.push(socket);
      else setTimeout(() => socket.destroy(), 50);
    }),
  );
  const to = forwardTo("baker", { retry: retry({ attempts: 3, backoffMs: 5 }) });
  const config = simpleConfig([route(rule({ to, requestTimeoutMs: 300 }), "/short"), route(rule({ to }))], {
    baker: [backend.port],
  });
  const { port, events, waitFinished } = await startGateway(cleanup, config, {
    limits: { maxConnectionsPerEndpoint: 1 },
  });
  const half = "Host: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n";
  for (const [path, ends] of [
    ["/", "the client goes"],
    ["/short", "its time is over"],
  ] as const) {
    events.length = 0;
    const client = connect(port, "127.0.0.1");
    client.on("error", () => {});
    client.write(`PUT ${path} HTTP/1.1\r\n${half}`);
    // It takes the only connection when the first attempt has failed.
    const other = exchangeRaw(port, "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    await waitUntil(() => held.length === 1 && events.some(({ type }) => type === "RetryScheduled"));
    await new Promise((resolve) => setTimeout(resolve, 50));
    if (ends === "the client goes") client.destroy();
    await waitFinished(1);
    held.pop()?.end("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    expect(await other).toMatch(/ok$/);
    client.destroy();
  }
});

describe("streams", () => {
  test("a response that is cut off is cut off for the client too", async () => {
    const backend = await startRawBackend(cleanup, (socket) =>
      socket.on("data", () => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf ")),
    );
    const { port } = await startGateway(
      cleanup,
      simpleConfig([route(rule({ to: forwardTo("baker") }))], { baker: [backend.port] }),
    );
    expect(await ask(port)).toMatchObject({ status: 200, body: "half ", isWhole: false });
  });

  test("backpressure: a client that does not read stops the backend", async () => {
    const total = 64 * 1024 * 1024;
    let sent = 0;
    const backend = await startBackend(cleanup, (_, response) => {
      const chunk = Buffer.alloc(65_536);
      const more = (): void => {
        while (sent < total) {
          sent += chunk.length;
          if (!response.write(chunk)) return void response.once("drain", more);
        }
        response.end();
      };
      more();
    });
    const { port } = await startGateway(
      cleanup,
      simpleConfig([route(rule({ to: forwardTo("baker") }))], { baker: [backend.port] }),
    );
    const client: Socket = connect(port, "127.0.0.1");
    cleanup.add(() => void client.destroy());
    client.pause();
    client.write("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    await waitUntil(() => sent > 0);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(sent).toBeLessThan(total);
    let got = 0;
    client.on("data", (chunk) => (got += chunk.length));
    client.resume();
    await new Promise((resolve) => client.on("close", resolve));
    expect(got).toBeGreaterThan(total);
  });

  test("100-continue is granted when the backend is reached, and not before a refusal", async () => {
    const backend = await startBackend(cleanup, ({ body }, response) => void response.end(`got ${body}`));
    const { port } = await startGateway(
      cleanup,
      simpleConfig([route(rule({ to: forwardTo("baker") }), "/order")], { baker: [backend.port] }),
    );
    const head = (path: string): string =>
      `POST ${path} HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\nConnection: close\r\n\r\n`;
    const granted = await exchangeRaw(port, [head("/order"), "abc"]);
    expect([statusesIn(granted), granted.endsWith("got abc")]).toEqual([[100, 200], true]);
    expect(statusesIn(await exchangeRaw(port, head("/nothing")))).toEqual([404]);
  });

  test("trailers of a response are passed on", async () => {
    const backend = await startBackend(cleanup, (_, response) => {
      response.writeHead(200, { trailer: "x-sum" });
      response.write("bread");
      response.addTrailers({ "x-sum": "5" });
      response.end();
    });
    const { port } = await startGateway(
      cleanup,
      simpleConfig([route(rule({ to: forwardTo("baker") }))], { baker: [backend.port] }),
    );
    const got = await exchangeRaw(port, "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    expect(got).toMatch(/0\r\nx-sum: 5\r\n\r\n$/);
  });

  test("HEAD has the headers of the response and no body", async () => {
    const backend = await startBackend(cleanup, (_, response) => {
      response.writeHead(200, { "content-length": "5" });
      response.end();
    });
    const { port } = await startGateway(
      cleanup,
      simpleConfig([route(rule({ to: forwardTo("baker") }))], { baker: [backend.port] }),
    );
    const response = await ask(port, { method: "HEAD" });
    expect([response.headers["content-length"], response.body]).toEqual(["5", ""]);
  });

  test("a WebSocket is joined with its backend, after a retry if need be", async () => {
    const closed = CLOSED_PORT;
    const backend = await startRawBackend(cleanup, (socket) => {
      socket.once("data", (head) => {
        expect(head.toString()).toMatch(/upgrade: websocket\r\n/i);
        socket.write(
          "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: x\r\n\r\n",
        );
        socket.on("data", (data) => socket.write(`echo ${data.toString()}`));
      });
    });
    const to = forwardTo("baker", { retry: retry({ attempts: 1 }) });
    const { port, finished, waitFinished } = await startGateway(
      cleanup,
      simpleConfig([route(rule({ to }))], { baker: [closed, backend.port] }),
    );
    const head =
      "GET /chat HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\n\r\n";
    const got = await exchangeRaw(port, [head, "hello"], { isEnough: (text) => text.includes("echo hello") });
    expect(statusesIn(got)).toEqual([101]);
    expect(got).toMatch(/sec-websocket-accept: x\r\n/i);
    await waitFinished(1);
    expect(finished()[0]).toMatchObject({ status: 101, attempts: 2, flags: ["Upgraded"] });
  });

  test("a backend that does not upgrade responds as usual", async () => {
    const backend = await startBackend(cleanup, (_, response) => response.writeHead(403).end("no"));
    const { port } = await startGateway(
      cleanup,
      simpleConfig([route(rule({ to: forwardTo("baker") }))], { baker: [backend.port] }),
    );
    const head = "GET /chat HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";
    expect(statusesIn(await exchangeRaw(port, head))).toEqual([403]);
  });
});

describe("headers", () => {
  const forwarded = async (headers: Record<string, string>, trustedHops = 0) => {
    const backend = await startBackend(cleanup);
    const { port } = await startGateway(
      cleanup,
      simpleConfig([route(rule({ to: forwardTo("baker") }))], { baker: [backend.port] }),
      { trustedHops },
    );
    await ask(port, { headers });
    return backend.seen[0]?.headers ?? {};
  };

  test("hop-by-hop headers end here, and those that Connection names", async () => {
    const seen = await forwarded({
      host: "a",
      connection: "close, x-hop",
      "x-hop": "1",
      "keep-alive": "timeout=5",
      te: "gzip",
      "proxy-connection": "keep-alive",
      "x-end": "2",
    });
    expect(seen["x-end"]).toBe("2");
    for (const name of ["x-hop", "keep-alive", "te", "proxy-connection"]) expect(seen[name]).toBeUndefined();
  });

  test("Via of proxies in front is kept", async () => {
    expect(await forwarded({ host: "a", via: "1.1 front" })).toMatchObject({ via: "1.1 front, 1.1 prevail" });
  });
});

describe("filters", () => {
  const through = async (filters: readonly FilterConfig[], options: AskOptions & { prefix?: string } = {}) => {
    const backend = await startBackend(cleanup, (_, response) => {
      response.writeHead(200, { "x-old": "1", "set-cookie": ["a=1", "b=2"] });
      response.end();
    });
    const { port } = await startGateway(
      cleanup,
      simpleConfig([route(rule({ to: forwardTo("baker"), filters }), options.prefix ?? "/")], {
        baker: [backend.port],
      }),
    );
    return { response: await ask(port, options), seen: backend.seen[0] };
  };

  test("RequestHeaderModifier: remove, set, add", async () => {
    const { seen } = await through(
      [
        {
          type: "RequestHeaderModifier",
          remove: ["x-gone"],
          set: [{ name: "x-set", value: "new" }],
          add: [{ name: "x-add", value: "two" }],
        },
      ],
      { headers: { "x-gone": "1", "x-set": "old", "x-add": "one" } },
    );
    expect(seen?.headers).toMatchObject({ "x-set": "new", "x-add": "one, two" });
    expect(seen?.headers).not.toHaveProperty("x-gone");
  });

  test("RequestHeaderModifier: what says where a request ends is left out", async () => {
    let got = "";
    const backend = await startRawBackend(cleanup, (socket) => socket.on("data", (data) => (got += data.toString())));
    const names = ["content-length", "transfer-encoding", "connection", "keep-alive", "te", "upgrade", "expect"];
    const set = names.map((name) => ({ name, value: "5" }));
    const filters: FilterConfig[] = [{ type: "RequestHeaderModifier", remove: [], set, add: set }];
    const to = forwardTo("baker", { filters });
    const config = simpleConfig([route(rule({ to, filters }))], { baker: [backend.port] });
    const { port } = await startGateway(cleanup, config);
    await exchangeRaw(port, "GET / HTTP/1.1\r\nHost: a\r\nx-a: b\r\n\r\n", { withinMs: 200 });
    expect(got).toContain("x-a: b\r\n");
    expect(names.filter((name) => got.includes(`\r\n${name}:`))).toEqual([]);
  });

  test("ResponseHeaderModifier, and cookies stay apart", async () => {
    const { response } = await through([
      { type: "ResponseHeaderModifier", remove: ["x-old"], set: [{ name: "x-new", value: "2" }], add: [] },
    ]);
    expect(response.headers).toMatchObject({ "x-new": "2", "set-cookie": ["a=1", "b=2"] });
    expect(response.headers).not.toHaveProperty("x-old");
  });

  test.each([
    ["/foo", "/xyz", "/foo/bar", "/xyz/bar"],
    ["/foo", "/xyz/", "/foo/bar", "/xyz/bar"],
    ["/foo/", "/xyz", "/foo/bar", "/xyz/bar"],
    ["/foo", "/xyz", "/foo", "/xyz"],
    ["/foo", "/xyz", "/foo/", "/xyz/"],
    ["/foo", "/", "/foo/bar", "/bar"],
    ["/foo", "/", "/foo", "/"],
    ["/", "/xyz", "/bar", "/xyz/bar"],
  ])("URLRewrite ReplacePrefixMatch: %s by %s, %s is %s", async (prefix, path, asked, expected) => {
    const change = { type: "ReplacePrefixMatch", prefix, path } as const;
    const { seen } = await through([{ type: "URLRewrite", hostname: "other.example", path: change }], {
      path: `${asked}?q=1`,
      prefix,
    });
    expect([seen?.url, seen?.headers.host]).toEqual([`${expected}?q=1`, "other.example"]);
  });

  test("RequestMirror: a copy goes elsewhere, and nothing that happens to it reaches the client", async () => {
    const copies = await startBackend(cleanup, (_, response) => response.writeHead(500).end());
    const baker = await startBackend(cleanup);
    const mirror = { type: "RequestMirror", backend: backend("copies"), numerator: 1, denominator: 1 } as const;
    const absent = { ...mirror, backend: backend("absent") };
    const never = { ...mirror, numerator: 0 };
    const of = rule({ to: forwardTo("baker"), filters: [mirror, absent, never] });
    const ports = { baker: [baker.port], copies: [copies.port], absent: [CLOSED_PORT] };
    const { port } = await startGateway(cleanup, simpleConfig([route(of)], ports));
    const statuses = [
      (await ask(port)).status,
      (await ask(port, { method: "POST", path: "/order", body: "bread" })).status,
      (await ask(port, { method: "POST", path: "/long", body: "x".repeat(70_000) })).status,
    ];
    expect(statuses).toEqual([200, 200, 200]);
    await waitUntil(() => copies.seen.length === 2);
    expect(copies.seen.map(({ method, url, body }) => `${method} ${url} ${body}`)).toEqual([
      "GET / ",
      "POST /order bread",
    ]);
  });

  const cors: FilterConfig = {
    type: "CORS",
    allowOrigins: ["https://*.shop.example"],
    allowCredentials: true,
    allowMethods: ["GET", "PUT"],
    allowHeaders: ["*"],
    exposeHeaders: ["x-total"],
    maxAgeSeconds: 5,
  };

  test("CORS: the gateway responds to a preflight request itself", async () => {
    const { response, seen } = await through([cors], {
      method: "OPTIONS",
      headers: {
        origin: "https://a.b.shop.example",
        "access-control-request-method": "PUT",
        "access-control-request-headers": "x-one",
      },
    });
    expect(seen).toBeUndefined();
    expect(response.headers).toMatchObject({
      "access-control-allow-origin": "https://a.b.shop.example",
      "access-control-allow-credentials": "true",
      "access-control-allow-methods": "GET, PUT",
      "access-control-allow-headers": "x-one",
      "access-control-max-age": "5",
    });
  });

  test.each([
    ["https://a.shop.example", "https://a.shop.example"],
    ["https://shop.example", undefined],
    ["https://evil.example/.shop.example", undefined],
    ["http://a.shop.example", undefined],
  ])("CORS: a response for %s allows %s", async (origin, allowed) => {
    const { response } = await through([cors], { headers: { origin } });
    expect(response.headers["access-control-allow-origin"]).toBe(allowed);
  });
});

describe("responses of the gateway itself", () => {
  test.each([
    [{}, "http://shop.example/menu?x=1"],
    [{ scheme: "https" as const }, "https://shop.example/menu?x=1"],
    [{ port: 8443 }, "http://shop.example:8443/menu?x=1"],
    [{ hostname: "new.example", status: 301 as const }, "http://new.example/menu?x=1"],
    [{ path: { type: "ReplaceFullPath" as const, path: "/all" } }, "http://shop.example/all?x=1"],
  ])("redirect %o", async (more, location) => {
    const redirect = {
      scheme: undefined,
      hostname: undefined,
      path: undefined,
      port: undefined,
      status: 302 as const,
      ...more,
    };
    const of = rule({ action: { type: "Redirect", redirect } });
    const { port } = await startGateway(cleanup, simpleConfig([route(of)], {}));
    const response = await ask(port, { path: "/menu?x=1", headers: { host: "shop.example" } });
    expect([response.status, response.headers.location]).toEqual([redirect.status, location]);
  });

  test("500 for a backend that is not there, and the reason is not for the client", async () => {
    const reason = "Service bakery/secret-name does not exist";
    const of = rule({ action: { type: "Respond", status: 500, reason } });
    const { port, finished, waitFinished } = await startGateway(cleanup, simpleConfig([route(of)], {}));
    const response = await ask(port);
    expect([response.status, response.body.includes("secret-name")]).toEqual([500, false]);
    await waitFinished(1);
    expect(finished()[0]).toMatchObject({ reason, flags: ["Unavailable"] });
  });

  test("shares by weight", async () => {
    const backend = await startBackend(cleanup);
    const to = [
      { weight: 3, target: forwardTo("baker") },
      { weight: 1, target: { type: "Unavailable", status: 500, reason: "none" } as const },
    ];
    const { port } = await startGateway(cleanup, simpleConfig([route(rule({ to }))], { baker: [backend.port] }), {
      clock: clockWithDice([0, 0.5, 0.74, 0.76, 0.99]),
    });
    const statuses: number[] = [];
    for (let i = 0; i < 5; i++) statuses.push((await ask(port)).status);
    expect(statuses).toEqual([200, 200, 200, 500, 500]);
  });

  test("503 where there are no endpoints, 404 where there is no route", async () => {
    const of = rule({ to: forwardTo("baker") });
    const { port } = await startGateway(cleanup, simpleConfig([route(of, "/menu")], {}));
    expect([(await ask(port, { path: "/menu" })).status, (await ask(port)).status]).toEqual([503, 404]);
  });
});

describe("replacing the configuration", () => {
  test("a request under way ends with what it began with, the next has the new one", async () => {
    let release = (): void => {};
    const slow = await startBackend(cleanup, (_, response) => {
      release = () => void response.end("old");
    });
    const fast = await startBackend(cleanup, (_, response) => void response.end("new"));
    const to = (name: string) => [route(rule({ to: forwardTo(name) }))];
    const { gateway, port } = await startGateway(cleanup, simpleConfig(to("slow"), { slow: [slow.port] }));
    const first = ask(port);
    await waitUntil(() => slow.seen.length === 1);
    await gateway.replace(simpleConfig(to("fast"), { fast: [fast.port] }), NO_SECRETS);
    expect((await ask(port)).body).toBe("new");
    release();
    expect((await first).body).toBe("old");
  });

  test("ports come and go, and requests on one that goes are finished", async () => {
    let release = (): void => {};
    const slow = await startBackend(cleanup, (_, response) => {
      release = () => void response.end("done");
    });
    const routes = [route(rule({ to: forwardTo("slow") }))];
    const at = (ports: readonly number[]) =>
      dataplane(
        ports.map((port) => ({ port, listeners: [listener({ "*": routes })] })),
        { slow: [slow.port] },
      );
    const { gateway } = await startGateway(cleanup, at([80]));
    const before = gateway.openPorts()[0]?.boundPort ?? 0;
    const waiting = ask(before);
    await waitUntil(() => slow.seen.length === 1);
    await gateway.replace(at([81]), NO_SECRETS);
    expect(gateway.openPorts().map(({ port }) => port)).toEqual([81]);
    await expect(ask(before)).rejects.toThrow(/ECONNREFUSED/);
    release();
    expect(await waiting).toMatchObject({ body: "done", headers: { connection: "close" } });
  });

  test("ports of two Gateways change their addresses, and each is served at its new one", async () => {
    const config = dataplane(
      [{ port: 80, listeners: [listener({ "*": [route(rule({ to: forwardTo("none") }))] })] }],
      {},
    );
    const two: typeof config = {
      ...config,
      gateways: ["one", "two"].flatMap((name) =>
        config.gateways.map((of) => ({ ...of, gateway: { ...of.gateway, name } })),
      ),
    };
    const free = await findFreePorts(1);
    const hosts = new Map([
      ["one", "127.0.0.1"],
      ["two", "127.0.0.2"],
    ]);
    const { gateway } = await startGateway(cleanup, two, {
      bind: ({ name }) => ({ host: hosts.get(name) ?? "", port: free[0] ?? 0 }),
    });
    const addresses = () => gateway.openPorts().map(({ gateway: { name }, address }) => `${name} ${address}`);
    expect(addresses()).toEqual(["one 127.0.0.1", "two 127.0.0.2"]);
    hosts.set("one", "127.0.0.2").set("two", "127.0.0.1");
    expect((await gateway.replace(two, NO_SECRETS)).problems).toEqual([]);
    expect(addresses().sort()).toEqual(["one 127.0.0.2", "two 127.0.0.1"]);
  });

  test("a port that is taken is a problem with a name, and the others are served", async () => {
    const backend = await startBackend(cleanup);
    const routes = [route(rule({ to: forwardTo("baker") }))];
    const config = dataplane(
      [
        { port: 80, listeners: [listener({ "*": routes }, { name: "busy" })] },
        { port: 81, listeners: [listener({ "*": routes })] },
      ],
      { baker: [backend.port] },
    );
    const { gateway } = await startGateway(cleanup, dataplane([]), {
      bind: (_, port) => ({ host: "127.0.0.1", port: port === 80 ? backend.port : 0 }),
    });
    const { problems } = await gateway.replace(config, NO_SECRETS);
    expect(problems).toHaveLength(1);
    expect(problems[0]?.message).toContain(
      `port 80 (listener busy) of Gateway bakery/shop cannot be opened: another program uses`,
    );
    expect((await ask(gateway.openPorts()[0]?.boundPort ?? 0)).status).toBe(200);
  });
});

describe("hosts", () => {
  test("the most specific listener takes a host, and no other; within it the most specific virtual host that has a route", async () => {
    const backend = await startBackend(cleanup);
    const to = (name: string) => route(rule({ name, to: forwardTo("baker") }));
    const only = (name: string) => route(rule({ name, to: forwardTo("baker") }), "/only");
    const config = dataplane(
      [
        {
          listeners: [
            listener(
              { "a.shop.example": [only("exact")], "*.shop.example": [to("wild")] },
              { hostname: "*.shop.example" },
            ),
            listener({ "*": [to("all")] }),
          ],
        },
      ],
      { baker: [backend.port] },
    );
    const { port } = await startGateway(cleanup, config, { debugHeaders: true });
    const routeOf = async (host: string, path = "/"): Promise<unknown> =>
      (await ask(port, { path, headers: { host } })).headers["x-prevail-route"];
    expect(await routeOf("a.shop.example", "/only")).toBe("bakery/exact");
    expect(await routeOf("a.shop.example")).toBe("bakery/wild");
    expect(await routeOf("b.c.shop.example")).toBe("bakery/wild");
    expect(await routeOf("shop.example")).toBe("bakery/all");
  });
});

function clockWithDice(dice: number[]) {
  return {
    nowMs: () => performance.now(),
    wallClockMs: () => Date.now(),
    startTimer: (delayMs: number, onTime: () => void) => {
      const handle = setTimeout(onTime, delayMs);
      return { cancel: () => clearTimeout(handle) };
    },
    random: () => dice.shift() ?? 0,
  };
}
