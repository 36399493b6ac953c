/** Clients of HTTP/2 that do not behave like HTTP/1 clients must: odd methods, large headers, idle connections, rapid resets. */
import { connect as connectHttp2, constants, type IncomingHttpHeaders } from "node:http2";
import { afterEach, describe, expect, test } from "vitest";
import { DATA_PLANES } from "../../support/gateway/data-planes.ts";
import { forwardTo, route, rule, simpleConfig } from "../../support/gateway/dataplane-config.ts";
import {
  Cleanup,
  startBackend,
  startGateway,
  startRawBackend,
  waitUntil,
} from "../../support/gateway/gateway-harness.ts";
import { openHttp2, requestBlock, statusOf } from "../../support/gateway/http2-client.ts";
import { FRAME, frame } from "../../support/gateway/http2-frames.ts";

const cleanup = new Cleanup();
afterEach(() => cleanup.run());

const to = (port: number) => simpleConfig([route(rule({ to: forwardTo("baker") }))], { baker: [port] });

describe("the embedded gateway", () => {
  test.each(["get", "FOO", "Get", "DESCRIBE"])("refuses the method %s as in HTTP/1.1", async (method) => {
    const backend = await startBackend(cleanup);
    const { port } = await startGateway(cleanup, to(backend.port));
    expect(await statusOf(port, requestBlock(method), cleanup)).toBe(method === "DESCRIBE" ? 405 : 400);
    expect(await statusOf(port, requestBlock("GET"), cleanup)).toBe(200);
    expect(backend.seen.map((one) => one.method)).toEqual(["GET"]);
  });

  test("closes an idle connection, whatever else than requests its client sends", async () => {
    const backend = await startBackend(cleanup);
    const { port } = await startGateway(cleanup, to(backend.port), { limits: { keepAliveMs: 300 } });
    const { socket } = openHttp2(port, cleanup);
    socket.write(frame(FRAME.SETTINGS, 0, 0));
    const ping = setInterval(() => socket.write(frame(FRAME.PING, 0, 0, Buffer.alloc(8))), 50);
    cleanup.add(() => clearInterval(ping));
    await waitUntil(() => socket.closed);
  });

  test("keeps a connection open while a request is running", async () => {
    const backend = await startBackend(cleanup, (_, response) => {
      setTimeout(() => response.end("late"), 1500);
    });
    const { port } = await startGateway(cleanup, to(backend.port), { limits: { keepAliveMs: 300 } });
    expect(await statusOf(port, requestBlock("GET"), cleanup)).toBe(200);
  });
});

describe.each(DATA_PLANES.filter(({ isThere }) => isThere))("$name", (plane) => {
  test("limits the size of headers before its settings are acknowledged", async () => {
    const backend = await startBackend(cleanup);
    const port = await plane.start(cleanup, to(backend.port), { limits: { maxHeaderBytes: 8192 } });
    const large = requestBlock("GET", ["x-large", "v".repeat(10_000)]);
    expect([431, "reset"]).toContain(await statusOf(port, large, cleanup));
    expect(await statusOf(port, requestBlock("GET", ["x-large", "v".repeat(7000)]), cleanup)).toBe(200);
    expect(backend.seen).toHaveLength(1);
  });

  test.each([0, 2])("limits what clients that abort their requests cost a backend (%i ms later)", async (afterMs) => {
    const backend = await startRawBackend(cleanup, (socket) =>
      socket.on("data", () => {
        setTimeout(() => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"), 200);
      }),
    );
    const port = await plane.start(cleanup, to(backend.port));
    const session = connectHttp2(`http://127.0.0.1:${port}`);
    session.on("error", () => {});
    cleanup.add(() => session.destroy());
    const burst = 100;
    for (let sent = 0; sent < 2000 && !session.closed && !session.destroyed; sent += burst) {
      const streams = Array.from({ length: burst }, () => {
        const stream = session.request({ ":path": "/", ":authority": "a" });
        stream.on("error", () => {});
        return stream;
      });
      const reset = (): void => {
        for (const stream of streams) stream.close(constants.NGHTTP2_CANCEL);
      };
      if (afterMs > 0) await new Promise((resolve) => setTimeout(resolve, afterMs));
      reset();
      await new Promise((resolve) => setImmediate(resolve));
    }
    // A client that behaves may have this many requests at a time.
    expect(backend.connections()).toBeLessThanOrEqual(250);
    const others = connectHttp2(`http://127.0.0.1:${port}`);
    cleanup.add(() => others.destroy());
    const status = await new Promise((resolve) => {
      others
        .request({ ":path": "/", ":authority": "a" })
        .on("response", (headers: IncomingHttpHeaders) => resolve(headers[":status"]));
    });
    expect(status).toBe(200);
  });
});
