/** Clients of HTTP/2 that do not behave like HTTP/1 clients must: odd methods, large headers, idle connections, rapid resets. */
import { connect as connectHttp2, constants, type IncomingHttpHeaders } from "node:http2";
import { connect, type Socket } from "node:net";
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
import {
  END_HEADERS,
  END_STREAM,
  FRAME,
  frame,
  headerBlock,
  PREFACE,
  type ReadFrame,
  readFrames,
} from "../../support/gateway/http2-frames.ts";

const cleanup = new Cleanup();
afterEach(() => cleanup.run());

const to = (port: number) => simpleConfig([route(rule({ to: forwardTo("baker") }))], { baker: [port] });

const headersOf = (method: string, ...more: readonly (readonly [string, string])[]): Buffer =>
  headerBlock([[":method", method], [":scheme", "http"], [":path", "/"], [":authority", "a"], ...more]);

function open(port: number): { readonly socket: Socket; readonly frames: () => readonly ReadFrame[] } {
  const chunks: Buffer[] = [];
  const socket = connect(port, "127.0.0.1");
  socket.on("data", (chunk) => chunks.push(chunk));
  socket.on("error", () => {});
  cleanup.add(() => void socket.destroy());
  socket.write(PREFACE);
  return { socket, frames: () => readFrames(Buffer.concat(chunks)).frames };
}

/** The status of the first response, or how the stream ended. */
async function statusOf(port: number, block: Buffer): Promise<number | "reset" | "closed"> {
  const { socket, frames } = open(port);
  // The settings of the server are never acknowledged.
  socket.write(Buffer.concat([frame(FRAME.SETTINGS, 0, 0), frame(FRAME.HEADERS, END_STREAM | END_HEADERS, 1, block)]));
  const found = (type: number) => frames().find((one) => one.type === type && one.stream === 1);
  await waitUntil(() => found(FRAME.HEADERS) !== undefined || found(FRAME.RST_STREAM) !== undefined || socket.closed);
  const response = found(FRAME.HEADERS);
  if (response === undefined) return found(FRAME.RST_STREAM) === undefined ? "closed" : "reset";
  return readStatus(response.payload);
}

/** The indexed statuses of HPACK's static table, or a literal of three digits. */
function readStatus(payload: Buffer): number {
  const indexed = [200, 204, 206, 304, 400, 404, 500][(payload[0] ?? 0) - 0x88];
  const digits = /[1-5][0-9][0-9]/.exec(payload.toString("latin1"));
  return indexed ?? (digits === null ? decodeHuffmanStatus(payload) : Number(digits[0]));
}

/** The codes of digits in HPACK's Huffman table have five or six bits. */
function decodeHuffmanStatus(payload: Buffer): number {
  const codes = new Map<string, string>([
    ["00000", "0"],
    ["00001", "1"],
    ["00010", "2"],
    ["011001", "3"],
    ["011010", "4"],
    ["011011", "5"],
    ["011100", "6"],
    ["011101", "7"],
    ["011110", "8"],
    ["011111", "9"],
  ]);
  const start = payload.findIndex((byte, at) => at > 0 && (byte & 0x80) !== 0);
  const bits = [...payload.subarray(start + 1, start + 4)].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  let digits = "";
  let code = "";
  for (const bit of bits) {
    code += bit;
    const digit = codes.get(code);
    if (digit === undefined) continue;
    digits += digit;
    code = "";
    if (digits.length === 3) break;
  }
  return Number(digits);
}

describe("the embedded gateway", () => {
  test.each(["get", "FOO", "Get", "DESCRIBE"])("refuses the method %s as in HTTP/1.1", async (method) => {
    const backend = await startBackend(cleanup);
    const { port } = await startGateway(cleanup, to(backend.port));
    expect(await statusOf(port, headersOf(method))).toBe(method === "DESCRIBE" ? 405 : 400);
    expect(await statusOf(port, headersOf("GET"))).toBe(200);
    expect(backend.seen.map((one) => one.method)).toEqual(["GET"]);
  });

  test("closes an idle connection, whatever else than requests its client sends", async () => {
    const backend = await startBackend(cleanup);
    const { port } = await startGateway(cleanup, to(backend.port), { limits: { keepAliveMs: 300 } });
    const { socket } = open(port);
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
    expect(await statusOf(port, headersOf("GET"))).toBe(200);
  });
});

describe.each(DATA_PLANES.filter(({ isThere }) => isThere))("$name", (plane) => {
  test("limits the size of headers before its settings are acknowledged", async () => {
    const backend = await startBackend(cleanup);
    const port = await plane.start(cleanup, to(backend.port), { limits: { maxHeaderBytes: 8192 } });
    const large = headersOf("GET", ["x-large", "v".repeat(10_000)]);
    expect([431, "reset"]).toContain(await statusOf(port, large));
    expect(await statusOf(port, headersOf("GET", ["x-large", "v".repeat(7000)]))).toBe(200);
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
