/**
 * RFC 9113, 3.3 "Starting HTTP/2 with Prior Knowledge" and 3.4 "HTTP/2 Connection Preface"
 */
import { connect as connectHttp2, constants, type IncomingHttpHeaders } from "node:http2";
import { connect } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { dataplane, forwardTo, route, rule, simpleConfig } from "../../../test/support/gateway/dataplane-config.ts";
import {
  Cleanup,
  exchangeRaw,
  startBackend,
  startGateway,
  waitUntil,
} from "../../../test/support/gateway/gateway-harness.ts";
import { NO_SECRETS } from "../contract/secret-source.ts";

const cleanup = new Cleanup();
afterEach(() => cleanup.run());

const PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/** A SETTINGS frame without settings. */
const SETTINGS = "\0\0\0\x04\0\0\0\0\0";
/** HEADERS of `GET http://a/`, END_STREAM and END_HEADERS, stream 1: four entries of HPACK's static table but the host. */
const HEADERS = "\0\0\x06\x01\x05\0\0\0\x01\x82\x86\x84\x41\x01a";
const HEADERS_FRAME_TYPE = 1;

const start = async (options: Parameters<typeof startGateway>[2] = {}) => {
  const backend = await startBackend(cleanup, ({ method, body }, response) => void response.end(`${method} ${body}`));
  const routes = [route(rule({ to: forwardTo("baker") }))];
  const gateway = await startGateway(cleanup, simpleConfig(routes, { baker: [backend.port] }), options);
  return { backend, ...gateway };
};

/** The types of the frames that the gateway has sent. */
function frameTypes(bytes: Buffer): readonly number[] {
  const types: number[] = [];
  for (let at = 0; at + 9 <= bytes.length; at += 9 + bytes.readUIntBE(at, 3)) types.push(bytes.readUInt8(at + 3));
  return types;
}

function openRaw(port: number) {
  const socket = connect(port, "127.0.0.1");
  const chunks: Buffer[] = [];
  socket.on("data", (chunk) => chunks.push(chunk));
  socket.on("error", () => {});
  cleanup.add(() => void socket.destroy());
  return { socket, got: () => Buffer.concat(chunks) };
}

describe("a client that speaks HTTP/2 without TLS", () => {
  test.each([1, 2, 7, 23, 24, 25, 40, 1000])("is recognized if its bytes arrive in pieces of %i", async (size) => {
    const { port, backend, waitFinished } = await start();
    const { socket, got } = openRaw(port);
    socket.setNoDelay(true);
    const bytes = Buffer.from(`${PREFACE}${SETTINGS}${HEADERS}`, "latin1");
    for (let at = 0; at < bytes.length; at += size) {
      socket.write(bytes.subarray(at, at + size));
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    await waitFinished(1);
    await waitUntil(() => frameTypes(got()).includes(HEADERS_FRAME_TYPE));
    expect(backend.seen.map(({ method, headers }) => `${method} ${headers.host}`)).toEqual(["GET a"]);
  });

  test("may send many requests at a time", async () => {
    const { port, backend } = await start();
    const session = connectHttp2(`http://127.0.0.1:${port}`);
    cleanup.add(() => session.destroy());
    const bodies = await Promise.all(
      Array.from({ length: 50 }, (_, number) => {
        const stream = session.request({ ":method": "POST", ":path": "/", ":authority": "a" });
        stream.end(String(number));
        return new Promise<string>((resolve, reject) => {
          let text = "";
          stream.on("data", (chunk: Buffer) => (text += chunk.toString()));
          stream.on("error", reject);
          stream.on("end", () => resolve(text));
        });
      }),
    );
    expect(bodies).toEqual(Array.from({ length: 50 }, (_, number) => `POST ${number}`));
    expect(backend.seen.every(({ headers }) => headers["x-forwarded-proto"] === "http")).toBe(true);
  });

  test("has the limit on headers", async () => {
    const { port, backend } = await start({ limits: { maxHeaders: 10 } });
    const session = connectHttp2(`http://127.0.0.1:${port}`);
    cleanup.add(() => session.destroy());
    const many = Object.fromEntries(Array.from({ length: 11 }, (_, number) => [`x-${number}`, "1"]));
    const stream = session.request({ ":path": "/", ":authority": "a", ...many });
    const status = await new Promise((resolve, reject) => {
      stream.on("response", (headers: IncomingHttpHeaders) => resolve(headers[":status"]));
      stream.on("error", reject);
    });
    expect(status).toBe(431);
    expect(backend.seen).toEqual([]);
  });

  test("gets a 408 if it does not finish its preface in time", async () => {
    const { port, events } = await start({ limits: { headersMs: 50 } });
    const { socket, got } = openRaw(port);
    socket.write(PREFACE.slice(0, 20));
    await waitUntil(() => socket.closed);
    expect(got().toString("latin1")).toMatch(/^HTTP\/1\.1 408 /);
    expect(events).toMatchObject([{ type: "RequestRefused", status: 408 }]);
  });

  test("finishes its requests when the port is removed", async () => {
    let release = (): void => {};
    const backend = await startBackend(cleanup, (_, response) => {
      release = () => void response.end("late");
    });
    const routes = [route(rule({ to: forwardTo("baker") }))];
    const { gateway, port } = await startGateway(cleanup, simpleConfig(routes, { baker: [backend.port] }));
    const session = connectHttp2(`http://127.0.0.1:${port}`);
    cleanup.add(() => session.destroy());
    const goAway = new Promise((resolve) => session.on("goaway", resolve));
    const stream = session.request({ ":path": "/", ":authority": "a" });
    let text = "";
    stream.on("data", (chunk: Buffer) => (text += chunk.toString()));
    await waitUntil(() => backend.seen.length === 1);
    await gateway.replace(dataplane([], {}), NO_SECRETS);
    expect(await goAway).toBe(constants.NGHTTP2_NO_ERROR);
    release();
    await waitUntil(() => session.closed && stream.closed);
    expect(text).toBe("late");
  });
});

test("a preface that is not HTTP/2's is refused as HTTP/1", async () => {
  const { port, backend } = await start();
  expect(await exchangeRaw(port, "PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n")).toMatch(/^HTTP\/1\.1 (505|400) /);
  expect(
    await exchangeRaw(port, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi"),
  ).toMatch(/^HTTP\/1\.1 200 [\s\S]*POST hi$/);
  expect(backend.seen.map(({ method }) => method)).toEqual(["POST"]);
});
