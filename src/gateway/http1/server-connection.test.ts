import { request } from "node:http";
import { connect, type Socket } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { dataplane, forwardTo, route, rule, simpleConfig } from "../../../test/support/gateway/dataplane-config.ts";
import {
  Cleanup,
  exchangeRaw,
  startBackend,
  startGateway,
  startRawBackend,
  statusesIn,
  waitUntil,
} from "../../../test/support/gateway/gateway-harness.ts";
import type { FilterConfig } from "../../core/dataplane/gateway-config.ts";
import { NO_SECRETS } from "../contract/secret-source.ts";

const cleanup = new Cleanup();
afterEach(() => cleanup.run());

const HOST = "Host: a\r\n";
const get = (path = "/", headers = ""): string => `GET ${path} HTTP/1.1\r\n${HOST}${headers}\r\n`;
const last = (path = "/"): string => get(path, "Connection: close\r\n");

const start = (
  port: number,
  { filters = [], ...options }: Parameters<typeof startGateway>[2] & { filters?: readonly FilterConfig[] } = {},
) =>
  startGateway(cleanup, simpleConfig([route(rule({ to: forwardTo("baker"), filters }))], { baker: [port] }), options);

/** A backend that responds to every request with the same bytes. */
const startFixed = async (response: string): Promise<number> =>
  (await startRawBackend(cleanup, (socket) => socket.on("data", () => socket.write(response)))).port;

interface Client {
  readonly socket: Socket;
  readonly got: () => string;
}

function openClient(port: number): Client {
  const socket = connect(port, "127.0.0.1");
  let got = "";
  socket.setEncoding("latin1");
  socket.on("data", (text: string) => (got += text));
  socket.on("error", () => {});
  cleanup.add(() => void socket.destroy());
  return { socket, got: () => got };
}

describe("requests one behind the other", () => {
  test("get responses in their order; each is forwarded when it is its turn", async () => {
    const waiting: (() => void)[] = [];
    const backend = await startBackend(cleanup, ({ url }, response) => waiting.push(() => void response.end(url)));
    const { port } = await start(backend.port);
    const client = openClient(port);
    client.socket.write(`${get("/a1")}${get("/a2")}${last("/a3")}`);
    for (const seen of [["/a1"], ["/a1", "/a2"], ["/a1", "/a2", "/a3"]]) {
      await waitUntil(() => waiting.length === 1);
      expect(backend.seen.map(({ url }) => url)).toEqual(seen);
      waiting.shift()?.();
    }
    await waitUntil(() => client.socket.closed);
    expect(client.got().match(/\/a\d/g)).toEqual(["/a1", "/a2", "/a3"]);
  });

  test("may be thousands", async () => {
    const { port } = await startGateway(cleanup, simpleConfig([], {}));
    const got = await exchangeRaw(port, `${get().repeat(3000)}${last()}`);
    expect(statusesIn(got)).toEqual(Array.from({ length: 3001 }, () => 404));
  });

  test("a malformed one does not affect the response to the one before", async () => {
    const backend = await startBackend(cleanup);
    const { port, events } = await start(backend.port);
    expect(statusesIn(await exchangeRaw(port, `${get()}GET / HTTP/1.1\n\n${get()}`))).toEqual([200, 400]);
    expect(backend.seen).toHaveLength(1);
    expect(events.map(({ type }) => type)).toContain("RequestRefused");
  });

  test("one to upgrade has its turn too", async () => {
    const backend = await startRawBackend(cleanup, (socket) => {
      let isJoined = false;
      socket.on("data", (data) => {
        if (isJoined) return void socket.write(`echo ${data.toString()}`);
        isJoined = data.toString().includes("upgrade");
        const switched = "HTTP/1.1 101 x\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n";
        socket.write(isJoined ? switched : "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
      });
    });
    const { port } = await start(backend.port);
    const sent = `${get()}${get("/", "Connection: Upgrade\r\nUpgrade: websocket\r\n")}hello`;
    const got = await exchangeRaw(port, sent, { isEnough: (text) => text.includes("echo hello") });
    expect(statusesIn(got)).toEqual([200, 101]);
    expect(got).toContain("echo hello");
  });
});

test("a wish to upgrade to something else than a WebSocket is not passed on, and the connection is closed after the response", async () => {
  const backend = await startBackend(cleanup);
  const { port } = await start(backend.port);
  for (const upgrade of [
    "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: x\r\n",
    "Connection: upgrade\r\nUpgrade: websocket, h2c\r\n",
  ]) {
    expect(await exchangeRaw(port, get("/", upgrade))).toMatch(/^HTTP\/1.1 200 [\s\S]*connection: close\r\n/);
  }
  expect(backend.seen).toHaveLength(2);
  for (const { headers } of backend.seen) {
    expect(headers).not.toHaveProperty("upgrade");
    expect(headers).not.toHaveProperty("http2-settings");
  }
});

describe("a response", () => {
  test("of unknown length ends with the connection for HTTP/1.0, and in chunks for HTTP/1.1", async () => {
    const port = await startFixed(
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n",
    );
    const gateway = await start(port);
    const old = await exchangeRaw(gateway.port, `GET / HTTP/1.0\r\n${HOST}Connection: keep-alive\r\n\r\n`);
    expect(old).toMatch(/connection: close\r\n\r\nabcde$/);
    expect(await exchangeRaw(gateway.port, last())).toMatch(
      /transfer-encoding: chunked\r\n(?:.+\r\n)*\r\n[\s\S]*0\r\n\r\n$/,
    );
  });

  test("has the date, and how long the connection is kept", async () => {
    const port = await startFixed("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    const gateway = await start(port, { limits: { keepAliveMs: 7000 } });
    const got = await exchangeRaw(gateway.port, get(), { isEnough: (text) => text.endsWith("\r\n\r\n") });
    expect(got).toMatch(/\r\ndate: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT\r\n/);
    expect(got).toMatch(/\r\nconnection: keep-alive\r\nkeep-alive: timeout=7\r\n/);
  });

  test("whose length a filter has changed is cut, and nothing of it taken for the next one", async () => {
    const port = await startFixed("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabcde");
    const set = (value: string): readonly FilterConfig[] => [
      { type: "ResponseHeaderModifier", remove: [], set: [{ name: "content-length", value }], add: [] },
    ];
    const shorter = await start(port, { filters: set("2") });
    expect(statusesIn(await exchangeRaw(shorter.port, `${get()}${get()}`)).length).toBeLessThanOrEqual(1);
    const longer = await start(port, { filters: set("9") });
    expect(statusesIn(await exchangeRaw(longer.port, `${get()}${get()}`)).length).toBeLessThanOrEqual(1);
    const removed = await start(port, {
      filters: [{ type: "ResponseHeaderModifier", remove: ["content-length"], set: [], add: [] }],
    });
    expect(await exchangeRaw(removed.port, last())).toMatch(/5\r\nabcde\r\n0\r\n\r\n$/);
  });

  test("that comes before the body: what is left of a short one is read, a long one ends the connection", async () => {
    const { port } = await startGateway(cleanup, simpleConfig([], {}));
    const post = (length: number): string => `POST / HTTP/1.1\r\n${HOST}Content-Length: ${length}\r\n\r\n`;
    const short = await exchangeRaw(port, [post(3), `abc${last()}`]);
    expect(statusesIn(short)).toEqual([404, 404]);
    const malformed = await exchangeRaw(port, [post(3), "abcGET / HTTP/1.1\n"]);
    expect(statusesIn(malformed)).toEqual([404, 400]);
    const long = await exchangeRaw(port, [post(1_000_000), "x".repeat(1_000_000), last()]);
    expect(statusesIn(long).length).toBeLessThanOrEqual(1);
  });

  test("is not lost if the client is still sending", async () => {
    const { port } = await startGateway(cleanup, simpleConfig([], {}));
    const got = await exchangeRaw(port, `GET / HTTP/1.1\r\nX : y\r\n\r\n${"x".repeat(2_000_000)}`);
    expect(statusesIn(got)).toEqual([400]);
  });
});

describe("a body", () => {
  /** Every byte there is, in an order that no text has, longer than any buffer on the way. */
  const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, at) => (at * 7 + (at >> 8)) % 256));

  test.each([
    ["with a length", { "content-length": String(bytes.length) }],
    ["in chunks", {}],
  ])("%s arrives as it was sent, both ways", async (_, headers) => {
    const backend = await startBackend(cleanup, ({ body }, response) => {
      response.writeHead(200, headers);
      // In pieces, short and long.
      const echo = Buffer.from(body, "latin1");
      for (let at = 0, size = 1; at < echo.length; at += size, size = size * 3) {
        response.write(echo.subarray(at, at + Math.min(size, echo.length)));
      }
      response.end();
    });
    const { port } = await start(backend.port);
    const response = await new Promise<Buffer>((resolve, reject) => {
      const asked = request({ port, host: "127.0.0.1", method: "PUT", headers, agent: false }, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => resolve(Buffer.concat(chunks)));
      });
      asked.on("error", reject);
      for (let at = 0; at < bytes.length; at += 7777) asked.write(bytes.subarray(at, at + 7777));
      asked.end();
    });
    expect(backend.seen[0]?.body === bytes.toString("latin1")).toBe(true);
    expect(response.equals(bytes)).toBe(true);
  });

  test("in many small chunks is passed on in few: each would cost far more than its bytes", async () => {
    let got = "";
    const backend = await startRawBackend(cleanup, (socket) => socket.on("data", (data) => (got += data.toString())));
    const { port } = await start(backend.port);
    const { socket } = openClient(port);
    socket.write(`POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n${"1\r\nx\r\n".repeat(5000)}0\r\n\r\n`);
    await waitUntil(() => got.endsWith("0\r\n\r\n"));
    expect(got.match(/x/g)?.length).toBeGreaterThanOrEqual(5000);
    expect(got.match(/^[0-9a-f]+\r$/gm)?.length).toBeLessThan(100);
  });

  test("that the backend does not read is not read from the client either", async () => {
    const backend = await startRawBackend(cleanup, (socket) => void socket.pause());
    const { port } = await start(backend.port);
    const total = 64 * 1024 * 1024;
    const { socket } = openClient(port);
    socket.write(`PUT / HTTP/1.1\r\n${HOST}Content-Length: ${total}\r\n\r\n`);
    socket.write(Buffer.alloc(total));
    await waitUntil(() => backend.connections() === 1);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(socket.writableLength).toBeGreaterThan(0);
  });
});

describe("a response is not lost", () => {
  test("if the gateway goes at the moment when it is complete", async () => {
    const backend = await startBackend(cleanup);
    let close = (): void => {};
    const { port, gateway } = await start(backend.port, {
      onEvent: ({ type }) => {
        if (type === "RequestFinished") close();
      },
    });
    close = () => void gateway.close({ drainMs: 5000 });
    expect(await exchangeRaw(port, get())).toMatch(
      /^HTTP\/1.1 200 [\s\S]*ok\r\n0\r\n\r\n$|^HTTP\/1.1 200 [\s\S]*\r\n\r\nok$/,
    );
  });

  test("if the client takes longer to read it than connections may be idle", async () => {
    const sizes = Array.from({ length: 24 }, (_, at) => 256 * 1024 * (at + 1));
    const backend = await startBackend(cleanup, ({ url }, response) => {
      response.writeHead(200, { "content-length": url.slice(1) });
      response.end(Buffer.alloc(Number(url.slice(1))));
    });
    const { port } = await start(backend.port, { limits: { headersMs: 1000, keepAliveMs: 60 } });
    const got = sizes.map(async (size) => {
      const { socket, got: text } = openClient(port);
      socket.pause();
      socket.write(get(`/${size}`));
      // The gateway looks for idle connections once a second.
      await new Promise((resolve) => setTimeout(resolve, 2500));
      socket.resume();
      await waitUntil(() => socket.closed);
      return text().length - text().indexOf("\r\n\r\n") - 4;
    });
    expect(await Promise.all(got)).toEqual(sizes);
  });

  test("if the rest of the body is malformed, or too long", async () => {
    const { port } = await startGateway(cleanup, simpleConfig([], {}));
    const head = `POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n`;
    expect(statusesIn(await exchangeRaw(port, `${head}x\r\n`))).toEqual([404]);
    const long = `POST / HTTP/1.1\r\n${HOST}Content-Length: 1000000\r\n\r\n${"x".repeat(1_000_000)}${last()}`;
    expect(statusesIn(await exchangeRaw(port, long))).toEqual([404]);
  });

  test("as far as it came, if the backend breaks off", async () => {
    const backend = await startRawBackend(cleanup, (socket) => {
      socket.on("data", () => {
        socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nx\r\n");
      });
    });
    const { port } = await start(backend.port);
    expect(await exchangeRaw(port, get())).toMatch(/^HTTP\/1.1 200 [\s\S]*3\r\nabc\r\n$/);
  });
});

test("a response that ends with the connection, of a backend that resets it, ends with a reset: otherwise it would count as complete", async () => {
  const backend = await startRawBackend(cleanup, (socket) => {
    socket.on("data", () =>
      socket.write("HTTP/1.1 200 OK\r\nContent-Type: a/b\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"),
    );
    setTimeout(() => socket.destroy(), 50);
  });
  const { port } = await start(backend.port);
  const { socket, got } = openClient(port);
  const errors: unknown[] = [];
  socket.on("error", (error) => errors.push("code" in error && error.code));
  socket.write(`GET / HTTP/1.0\r\n${HOST}\r\n`);
  await waitUntil(() => socket.closed);
  expect([got().slice(-3), errors]).toEqual(["abc", ["ECONNRESET"]]);
});

test("what is expected and cannot be given: 417", async () => {
  const backend = await startBackend(cleanup);
  const { port } = await start(backend.port);
  const got = await exchangeRaw(port, `POST / HTTP/1.1\r\n${HOST}Expect: more\r\nContent-Length: 1\r\n\r\na`);
  expect([statusesIn(got), backend.seen]).toEqual([[417], []]);
});

describe("time", () => {
  test("timeouts.request runs from the first byte of a request", async () => {
    const backend = await startBackend(cleanup);
    const config = simpleConfig([route(rule({ to: forwardTo("baker"), requestTimeoutMs: 100 }))], {
      baker: [backend.port],
    });
    const { port } = await startGateway(cleanup, config);
    const client = openClient(port);
    client.socket.write("GET / HTTP/1.1\r\n");
    await new Promise((resolve) => setTimeout(resolve, 200));
    client.socket.write(`${HOST}Connection: close\r\n\r\n`);
    await waitUntil(() => client.socket.closed);
    expect([statusesIn(client.got()), backend.seen]).toEqual([[504], []]);
  });

  test("an idle connection is closed without a word", async () => {
    const backend = await startBackend(cleanup);
    const { port } = await start(backend.port, { limits: { headersMs: 1000, keepAliveMs: 60 } });
    expect(statusesIn(await exchangeRaw(port, get()))).toEqual([200]);
  });

  test("a connection that is idle when its port goes is closed at once, one in use when its response is sent", async () => {
    let release = (): void => {};
    const backend = await startBackend(cleanup, ({ url }, response) => {
      if (url === "/slow") release = () => void response.end("slow");
      else response.end("fast");
    });
    const { port, gateway } = await start(backend.port);
    const [idle, busy] = [openClient(port), openClient(port)];
    idle.socket.write(get());
    busy.socket.write(get("/slow"));
    await waitUntil(() => idle.got().endsWith("fast") && backend.seen.length === 2);
    await gateway.replace(dataplane([{ port: 81 }]), NO_SECRETS);
    await waitUntil(() => idle.socket.closed);
    expect(busy.socket.closed).toBe(false);
    release();
    await waitUntil(() => busy.socket.closed);
    expect(busy.got()).toMatch(/connection: close\r\n[\s\S]*slow$/);
  });
});
