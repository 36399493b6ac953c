import { connect } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { NO_SECRETS } from "../../src/gateway/contract/secret-source.ts";
import { forwardTo, retry, route, rule, simpleConfig } from "../support/gateway/dataplane-config.ts";
import {
  Cleanup,
  exchangeRaw,
  startBackend,
  startGateway,
  statusesIn,
  waitUntil,
} from "../support/gateway/gateway-harness.ts";

const cleanup = new Cleanup();
afterEach(() => cleanup.run());

const HEAD = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

describe("while configurations are replaced", () => {
  test("no request fails, and each is served by one of them as a whole", async () => {
    const backends = [await startBackend(cleanup), await startBackend(cleanup)];
    const config = (number: number) => {
      const to = forwardTo("baker", { retry: retry({ codes: [503] }) });
      const set = [{ name: "x-number", value: String(number) }];
      const filters = [{ type: "ResponseHeaderModifier" as const, remove: [], set, add: [] }];
      const port = backends[number % 2]?.port ?? 0;
      return simpleConfig([route(rule({ to, filters }))], { baker: [port] });
    };
    const { gateway, port, finished } = await startGateway(cleanup, config(0));
    let isOver = false;
    const client = (): Promise<readonly number[]> =>
      new Promise((resolve) => {
        let got = "";
        const socket = connect(port, "127.0.0.1");
        socket.setEncoding("latin1");
        socket.on("data", (text: string) => {
          got += text;
          if (!got.endsWith("ok")) return;
          if (isOver) socket.end();
          else socket.write(HEAD);
        });
        socket.on("error", () => {});
        socket.on("close", () => resolve(statusesIn(got)));
        socket.write(HEAD);
      });
    const clients = Array.from({ length: 50 }, client);
    for (let number = 1; number <= 200; number++) {
      await gateway.replace(config(number), NO_SECRETS);
      await new Promise((resolve) => setImmediate(resolve));
    }
    isOver = true;
    const statuses = (await Promise.all(clients)).flat();
    expect(statuses.length).toBeGreaterThanOrEqual(50);
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
    expect(finished().filter(({ flags }) => flags.length > 0)).toEqual([]);
  });
});

describe("limits", () => {
  const start = async (limits: Parameters<typeof startGateway>[2] = {}) => {
    const backend = await startBackend(cleanup);
    const to = forwardTo("baker");
    return startGateway(cleanup, simpleConfig([route(rule({ to }))], { baker: [backend.port] }), limits);
  };

  test.each([
    ["a head that does not end", "GET / HTTP/1.1\r\nHost: a\r\n"],
    ["a connection that says nothing", ""],
  ])("%s: 408", async (_, sent) => {
    const { port } = await start({ limits: { headersMs: 100 } });
    expect(statusesIn(await exchangeRaw(port, sent))).toEqual([408]);
  });

  test("a body that does not end is given up", async () => {
    const { port, waitFinished } = await start({ limits: { headersMs: 100, receiveMs: 200 } });
    const got = await exchangeRaw(port, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc");
    expect(statusesIn(got)).toEqual([408]);
    await waitFinished(1);
  });

  test("more connections than allowed are closed", async () => {
    const { port } = await start({ limits: { maxConnections: 2 } });
    const held = [connect(port, "127.0.0.1"), connect(port, "127.0.0.1")];
    cleanup.add(() => {
      for (const socket of held) socket.destroy();
    });
    await waitUntil(() => held.every((socket) => !socket.connecting));
    expect(await exchangeRaw(port, HEAD)).toBe("");
  });

  test("requests that come before their turn are read only so far ahead", async () => {
    const slow = await startBackend(cleanup, () => {});
    const to = forwardTo("slow");
    const { port } = await startGateway(cleanup, simpleConfig([route(rule({ to }))], { slow: [slow.port] }));
    const client = connect(port, "127.0.0.1");
    cleanup.add(() => void client.destroy());
    client.on("error", () => {});
    const total = 64 * 1024 * 1024;
    client.write(HEAD);
    client.write(Buffer.alloc(total, HEAD));
    await waitUntil(() => slow.seen.length === 1);
    await new Promise((resolve) => setTimeout(resolve, 300));
    // What was written and is still here could not be sent.
    expect(client.writableLength).toBeGreaterThan(0);
    expect(slow.seen).toHaveLength(1);
  });

  test("requests beyond the connections to an endpoint wait for one", async () => {
    let running = 0;
    let most = 0;
    const backend = await startBackend(cleanup, (_, response) => {
      most = Math.max(most, ++running);
      setTimeout(() => {
        running--;
        response.end("ok");
      }, 5);
    });
    const config = simpleConfig([route(rule({ to: forwardTo("baker") }))], { baker: [backend.port] });
    const { port } = await startGateway(cleanup, config, { limits: { maxConnectionsPerEndpoint: 2 } });
    const ask = () => exchangeRaw(port, "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    const got = await Promise.all(Array.from({ length: 12 }, ask));
    expect([got.flatMap(statusesIn).filter((status) => status === 200).length, most]).toEqual([12, 2]);
  });
});

test("text of filters that is not allowed in a header or request line does no harm", async () => {
  const backend = await startBackend(cleanup);
  const evil = "a\r\nX-Smuggled: 1\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: b\r\n\r\n";
  const header = [
    { name: "x-evil", value: evil },
    { name: "bad name\r\n", value: "1" },
  ];
  const filters = [
    { type: "RequestHeaderModifier", remove: [], set: header, add: [] },
    { type: "ResponseHeaderModifier", remove: [], set: header, add: [] },
    { type: "URLRewrite", hostname: evil, path: { type: "ReplaceFullPath", path: `/a b\r\n${evil}` } },
  ] as const;
  const to = forwardTo("baker");
  const { port } = await startGateway(cleanup, simpleConfig([route(rule({ to, filters }))], { baker: [backend.port] }));
  const got = await exchangeRaw(port, "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  expect(statusesIn(got)).toEqual([200]);
  expect(backend.seen).toHaveLength(1);
  expect(backend.seen[0]?.headers).not.toHaveProperty("x-smuggled");
  expect(backend.seen[0]?.headers.host).toBe("a");
});
