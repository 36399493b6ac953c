/**
 * GEP-2645, "Mixing UDP and TCP Protocols"
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/model/json.ts";
import { Cleanup } from "../../support/gateway/gateway-harness.ts";
import { hasEnvoy, type ServedPlane, servePlane } from "../../support/gateway/serve-plane.ts";
import { startTcpBackend, startUdpBackend } from "./stream-backends.ts";
import { askTcp, askUdp, counted } from "./stream-clients.ts";
import { gateway, grant, route, service } from "./stream-objects.ts";

const LISTENERS = { plain: 53, weighted: 1002, partly: 1003, missing: 1004, granted: 1005, several: 1006 } as const;

async function objects(cleanup: Cleanup): Promise<readonly JsonObject[]> {
  const udp = async (name: string, namespace = "s"): Promise<JsonObject> =>
    service(name, [await startUdpBackend(cleanup, name)], { protocol: "UDP", namespace });
  const both = await udp("both");
  const listeners: JsonObject[] = Object.entries(LISTENERS).map(([name, port]) => ({ name, port, protocol: "UDP" }));
  return [
    ...gateway([...listeners, { name: "tcp", port: LISTENERS.plain, protocol: "TCP" }]),
    both,
    service("stream", [await startTcpBackend(cleanup, "stream")]),
    await udp("red"),
    await udp("blue"),
    await udp("there", "other"),
    grant("other", "UDPRoute"),
    route("both", { kind: "UDPRoute", listener: "plain" }),
    route("stream", { listener: "tcp" }),
    route("weighted", { kind: "UDPRoute", listener: "weighted", to: { red: 3, blue: 1, both: 0 } }),
    route("partly", { kind: "UDPRoute", listener: "partly", to: { red: 1, absent: 1 } }),
    route("missing", { kind: "UDPRoute", listener: "missing" }),
    route("granted", { kind: "UDPRoute", listener: "granted", to: { "other/there": 1 } }),
    route("newer", { kind: "UDPRoute", listener: "several", to: { blue: 1 }, created: "2026-02-01T00:00:00Z" }),
    route("older", { kind: "UDPRoute", listener: "several", to: { red: 1 }, created: "2026-01-01T00:00:00Z" }),
  ];
}

const cleanup = new Cleanup();
const name = (text: string): string => text.split(":")[0] ?? "";

describe.skipIf(!hasEnvoy)("UDPRoutes, Envoy", () => {
  let served: ServedPlane;
  const ask = (listener: keyof typeof LISTENERS, patienceMs?: number): Promise<string> =>
    askUdp(served.portOf(LISTENERS[listener]), "hi", patienceMs);
  const askMany = async (listener: keyof typeof LISTENERS, times: number, patienceMs?: number) =>
    counted((await Promise.all(Array.from({ length: times }, () => ask(listener, patienceMs)))).map(name));

  beforeAll(async () => {
    served = await servePlane(cleanup, "Envoy", await objects(cleanup));
    expect(served.problems).toEqual([]);
  }, 60_000);
  afterAll(() => cleanup.run());

  test("a datagram and its response; TCP at the same port", async () => {
    expect(await ask("plain")).toBe("both: hi");
    expect(await askTcp(served.portOf(LISTENERS.plain), "hi")).toBe("stream: histream done");
  });

  test("a Service of another namespace, with a ReferenceGrant", async () => {
    expect(await ask("granted")).toBe("there: hi");
  });

  test("weights: a backend gets its share, and one with weight 0 nothing", async () => {
    const { red = 0, blue = 0, ...others } = await askMany("weighted", 200);
    expect(others).toEqual({});
    expect(red).toBeGreaterThan(115);
    expect(blue).toBeGreaterThan(20);
  });

  test("weights: the share of an invalid backend is dropped", async () => {
    const { red = 0, nothing = 0, ...others } = await askMany("partly", 100, 1000);
    expect(others).toEqual({});
    expect(red).toBeGreaterThan(25);
    expect(nothing).toBeGreaterThan(25);
  });

  test("without a usable backend datagrams are dropped", async () => {
    expect(await ask("missing", 300)).toBe("nothing");
  });

  test("several routes: the oldest gets all datagrams", async () => {
    expect(await askMany("several", 10)).toEqual({ red: 10 });
  });
});

test("the embedded gateway reports UDP listeners and serves the others", async () => {
  const embedded = await servePlane(cleanup, "the embedded gateway", await objects(cleanup));
  expect(embedded.problems).toContain(
    "listener plain of Gateway s/g, port 53: the embedded gateway does not serve UDP, only Envoy does: the listener is not served",
  );
  expect(embedded.problems).toHaveLength(Object.keys(LISTENERS).length);
  expect(await askTcp(embedded.portOf(LISTENERS.plain), "hi")).toBe("stream: histream done");
  await cleanup.run();
});
