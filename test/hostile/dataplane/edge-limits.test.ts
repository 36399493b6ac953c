/** Clients that want too much of a data plane: connections, time, memory. docs/gateway.md lists the limits. */
import { connect as connectHttp2, type IncomingHttpHeaders } from "node:http2";
import { connect, type Socket } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { DATA_PLANES, ENVOY } from "../../support/gateway/data-planes.ts";
import { forwardTo, retry, route, rule, simpleConfig } from "../../support/gateway/dataplane-config.ts";
import {
  Cleanup,
  exchangeRaw,
  startBackend,
  startRawBackend,
  statusesIn,
  waitUntil,
} from "../../support/gateway/gateway-harness.ts";

const cleanup = new Cleanup();
afterEach(() => cleanup.run());

const GET = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
const to = (port: number, more: Parameters<typeof forwardTo>[1] = {}) =>
  simpleConfig([route(rule({ to: forwardTo("baker", more) }))], { baker: [port] });

/** A connection, whether it is closed, and what it received. */
function open(port: number): { readonly socket: Socket; readonly isClosed: () => boolean; readonly got: () => string } {
  let got = "";
  let isClosed = false;
  const socket = connect(port, "127.0.0.1");
  socket.on("data", (chunk: Buffer) => (got += chunk.toString("latin1")));
  socket.on("error", () => {});
  socket.on("close", () => (isClosed = true));
  cleanup.add(() => void socket.destroy());
  return { socket, isClosed: () => isClosed, got: () => got };
}

describe.each(DATA_PLANES.filter(({ isThere }) => isThere))("$name", (plane) => {
  test("closes connections beyond its limit, and serves the others", async () => {
    const backend = await startBackend(cleanup);
    const port = await plane.start(cleanup, to(backend.port), { limits: { maxConnections: 3 } });
    const kept = [open(port), open(port), open(port)];
    for (const one of kept) one.socket.write(GET);
    await waitUntil(() => kept.every((one) => statusesIn(one.got()).length === 1));
    const further = [open(port), open(port)];
    for (const one of further) one.socket.write(GET);
    await waitUntil(() => further.every((one) => one.isClosed()));
    expect(further.map((one) => one.got())).toEqual(["", ""]);
    for (const one of kept) one.socket.write(GET);
    await waitUntil(() => kept.every((one) => statusesIn(one.got()).length === 2));
    kept[0]?.socket.destroy();
    await waitUntil(() => kept[0]?.isClosed() === true);
    await new Promise((resolve) => setTimeout(resolve, 100));
    const next = open(port);
    next.socket.write(GET);
    await waitUntil(() => statusesIn(next.got()).length === 1);
  });

  test("lets requests wait for a connection to an endpoint that has enough", async () => {
    const backend = await startRawBackend(cleanup, (socket) =>
      socket.on("data", () => {
        setTimeout(() => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"), 30);
      }),
    );
    const port = await plane.start(cleanup, to(backend.port), { limits: { maxConnectionsPerEndpoint: 2 } });
    const all = await Promise.all(
      Array.from({ length: 8 }, () => exchangeRaw(port, GET, { isEnough: (got) => got.endsWith("ok") })),
    );
    expect(all.flatMap(statusesIn)).toEqual(Array.from({ length: 8 }, () => 200));
    expect(backend.connections()).toBe(2);
  });

  test("closes a connection after its last request", async () => {
    const backend = await startBackend(cleanup);
    const port = await plane.start(cleanup, to(backend.port), { limits: { maxRequestsPerConnection: 3 } });
    const got = await exchangeRaw(port, GET.repeat(5));
    expect(statusesIn(got)).toEqual([200, 200, 200]);
    expect(backend.seen).toHaveLength(3);
  });

  test("closes a connection of HTTP/2 after its last request", async () => {
    const backend = await startBackend(cleanup);
    const port = await plane.start(cleanup, to(backend.port), { limits: { maxRequestsPerConnection: 3 } });
    const session = connectHttp2(`http://127.0.0.1:${port}`);
    cleanup.add(() => session.destroy());
    const ask = (): Promise<unknown> =>
      new Promise((resolve) => {
        const stream = session.request({ ":path": "/", ":authority": "a" });
        stream.on("response", (headers: IncomingHttpHeaders) => resolve(headers[":status"]));
        stream.on("error", () => resolve("refused"));
        stream.resume();
      });
    expect([await ask(), await ask(), await ask()]).toEqual([200, 200, 200]);
    await waitUntil(() => session.closed || session.destroyed);
    expect(backend.seen).toHaveLength(3);
  });

  test("refuses a body that arrives too slowly with a 408", async () => {
    const backend = await startBackend(cleanup);
    const port = await plane.start(cleanup, to(backend.port), { limits: { receiveMs: 300 } });
    const slow = open(port);
    slow.socket.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n");
    const drip = setInterval(() => slow.socket.write("x"), 50);
    cleanup.add(() => clearInterval(drip));
    await waitUntil(() => statusesIn(slow.got()).length === 1);
    expect(statusesIn(slow.got())).toEqual([408]);
    await waitUntil(slow.isClosed);
    expect(backend.seen).toEqual([]);
  });

  test("refuses a body of HTTP/2 that arrives too slowly with a 408", async () => {
    const backend = await startBackend(cleanup);
    const port = await plane.start(cleanup, to(backend.port), { limits: { receiveMs: 300 } });
    const session = connectHttp2(`http://127.0.0.1:${port}`);
    cleanup.add(() => session.destroy());
    const stream = session.request({ ":method": "POST", ":path": "/", ":authority": "a" });
    stream.on("error", () => {});
    const drip = setInterval(() => stream.writable && stream.write("x"), 50);
    cleanup.add(() => clearInterval(drip));
    const status = await new Promise((resolve) => {
      stream.on("response", (headers: IncomingHttpHeaders) => resolve(headers[":status"]));
      stream.on("close", () => resolve("none"));
    });
    expect(status).toBe(408);
    expect(backend.seen).toEqual([]);
  });

  test("does not limit the time of a body once the response has begun", async () => {
    const backend = await startRawBackend(cleanup, (socket) => {
      let bytes = 0;
      socket.once("data", () => socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"));
      socket.on("data", (chunk) => {
        bytes += chunk.toString("latin1").split("y").length - 1;
        if (bytes >= 10) socket.write("3\r\nend\r\n0\r\n\r\n");
      });
    });
    const port = await plane.start(cleanup, to(backend.port), { limits: { receiveMs: 300 } });
    const slow = open(port);
    slow.socket.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n");
    const drip = setInterval(() => slow.socket.write("y"), 100);
    cleanup.add(() => clearInterval(drip));
    await waitUntil(() => slow.got().includes("end"));
    expect(statusesIn(slow.got())).toEqual([200]);
  });

  test("recovers from many bodies that are kept for retries at the same time", async () => {
    const bodyBytes = 4 * 1024 * 1024;
    let received = 0;
    const backend = await startRawBackend(cleanup, (socket) => {
      let isStalled = false;
      socket.on("data", (chunk) => {
        received += chunk.length;
        isStalled ||= chunk.includes("POST /");
        if (!isStalled) socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
      });
    });
    const kept = { retry: retry({ codes: [503], attempts: 2 }, { maxBodyBytes: 2 * bodyBytes }) };
    const port = await plane.start(cleanup, to(backend.port, kept), { heapMib: 128 });
    const body = Buffer.alloc(bodyBytes, "b");
    for (let hogs = 0; hogs < 60; hogs++) {
      const { socket } = open(port);
      socket.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${bodyBytes}\r\n\r\n`);
      socket.write(body);
    }
    await waitUntil(() => received > 20 * bodyBytes, 20_000);
    // Together they need twice the memory of this Envoy: it refuses requests until enough of them have timed out. The embedded gateway stops keeping bodies
    // at 64 MiB, and refuses none.
    const ask = async (): Promise<readonly number[]> =>
      statusesIn(await exchangeRaw(port, GET, { isEnough: (got) => got.endsWith("ok") }));
    if (plane !== ENVOY) expect(await ask()).toEqual([200]);
    await expect.poll(ask, { timeout: 90_000, interval: 100 }).toEqual([200]);
  }, 120_000);
});
