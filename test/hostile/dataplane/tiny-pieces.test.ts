/**
 * Clients that send bodies in pieces of one byte. Each piece costs some microseconds, so thousands in one turn would delay everybody else. The bench
 * `gateway` measures by how much they do.
 */
import { afterEach, describe, expect, test } from "vitest";
import { type GatewayClock, type GatewayTimer, SYSTEM_CLOCK } from "../../../src/gateway/contract/gateway-clock.ts";
import { DATA_PLANES } from "../../support/gateway/data-planes.ts";
import { forwardTo, route, rule, simpleConfig } from "../../support/gateway/dataplane-config.ts";
import {
  Cleanup,
  exchangeRaw,
  startGateway,
  startRawBackend,
  waitUntil,
} from "../../support/gateway/gateway-harness.ts";
import { sendTinyChunks, sendTinyFrames } from "../../support/gateway/tiny-pieces.ts";

const cleanup = new Cleanup();
afterEach(() => cleanup.run());

const BYTES = 30_000;
const CLIENTS = { "chunks of HTTP/1.1": sendTinyChunks, "frames of HTTP/2": sendTinyFrames } as const;

const to = (port: number) => simpleConfig([route(rule({ to: forwardTo("baker") }))], { baker: [port] });

/** Counts the bytes of bodies, which are letters x. Responds to a GET at once. */
async function startSink() {
  let bytes = 0;
  const { port } = await startRawBackend(cleanup, (socket) => {
    let isGet: boolean | undefined;
    socket.on("data", (chunk) => {
      const text = chunk.toString("latin1");
      isGet ??= text.startsWith("GET");
      if (isGet) socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
      else bytes += text.replace(/^POST[\s\S]*?\r\n\r\n/, "").split("x").length - 1;
    });
  });
  return { port, bytes: () => bytes };
}

describe.each(DATA_PLANES.filter(({ isThere }) => isThere))("$name", (plane) => {
  test.each(Object.entries(CLIENTS))("passes on a body in %s, and serves others meanwhile", async (_, send) => {
    const sink = await startSink();
    const port = await plane.start(cleanup, to(sink.port));
    const client = send(port, { host: "a", bytes: BYTES });
    cleanup.add(() => void client.destroy());
    const isEnough = (got: string): boolean => got.endsWith("ok");
    expect(await exchangeRaw(port, "GET / HTTP/1.1\r\nHost: a\r\n\r\n", { isEnough })).toContain("200 OK");
    await waitUntil(() => sink.bytes() === BYTES, 20_000);
  });
});

/** The waits of the gateway end only when the test says so. They are the only timers that are no whole number of milliseconds. */
function heldClock() {
  const held: (() => void)[] = [];
  const startTimer = (delayMs: number, onTime: () => void): GatewayTimer => {
    if (Number.isInteger(delayMs)) return SYSTEM_CLOCK.startTimer(delayMs, onTime);
    held.push(onTime);
    return { cancel: () => {} };
  };
  const clock: GatewayClock = { ...SYSTEM_CLOCK, startTimer };
  return { clock, held };
}

describe("the embedded gateway", () => {
  test.each(Object.entries(CLIENTS))("does not read from a client that has sent too many %s", async (_, send) => {
    const sink = await startSink();
    const { clock, held } = heldClock();
    const { port } = await startGateway(cleanup, to(sink.port), { clock });
    const client = send(port, { host: "a", bytes: BYTES });
    cleanup.add(() => void client.destroy());
    await waitUntil(() => held.length === 1);
    await new Promise((resolve) => setTimeout(resolve, 100));
    const before = sink.bytes();
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(sink.bytes()).toBe(before);
    expect(before).toBeLessThan(BYTES);
    await waitUntil(() => {
      for (const release of held.splice(0)) release();
      return sink.bytes() === BYTES;
    });
  });
});
