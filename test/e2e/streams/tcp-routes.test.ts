/**
 * GEP-2644, "Multiple TCPRoutes attaching to the same listener"
 * GEP-1897, "How a client behaves"
 */
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/model/json.ts";
import { CLOSED_PORT, Cleanup } from "../../support/gateway/gateway-harness.ts";
import { PLANES, type ServedPlane, servePlane } from "../../support/gateway/serve-plane.ts";
import { CA_CERTIFICATE } from "../../support/gateway/test-certificates.ts";
import { startTcpBackend, startTlsBackend } from "./stream-backends.ts";
import { askTcp, counted } from "./stream-clients.ts";
import { backendTls, gateway, grant, route, service } from "./stream-objects.ts";

const LISTENERS = {
  plain: 1001,
  first: 1002,
  missing: 1003,
  empty: 1004,
  weighted: 1005,
  partly: 1006,
  granted: 1007,
  forbidden: 1008,
  several: 1009,
  unrouted: 1010,
  dead: 1011,
  reset: 1012,
  encrypted: 1013,
} as const;

async function objects(cleanup: Cleanup): Promise<readonly JsonObject[]> {
  const start = (name: string): Promise<number> => startTcpBackend(cleanup, name);
  const greeter = await startTcpBackend(cleanup, "greeter", (socket) => socket.end("welcome"));
  const breaker = await startTcpBackend(cleanup, "breaker", (socket) => {
    socket.once("data", () => {
      socket.write("half of it");
      setTimeout(() => socket.resetAndDestroy(), 50);
    });
  });
  const [plain, red, blue] = [await start("plain"), await start("red"), await start("blue")];
  return [
    ...gateway(Object.entries(LISTENERS).map(([name, port]) => ({ name, port, protocol: "TCP" }))),
    {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "ca", namespace: "s" },
      data: { "ca.crt": CA_CERTIFICATE },
    },
    service("plain", [plain]),
    service("first", [greeter]),
    service("empty", []),
    service("red", [red]),
    service("blue", [blue]),
    service("there", [plain], { namespace: "other" }),
    service("there", [plain], { namespace: "closed" }),
    service("dead", [CLOSED_PORT, plain]),
    service("reset", [breaker]),
    service("encrypted", [await startTlsBackend(cleanup, "encrypted")]),
    ...backendTls("encrypted"),
    grant("other", "TCPRoute"),
    route("plain", { listener: "plain" }),
    route("first", { listener: "first" }),
    route("missing", { listener: "missing" }),
    route("empty", { listener: "empty" }),
    route("weighted", { listener: "weighted", to: { red: 3, blue: 1, plain: 0 } }),
    route("partly", { listener: "partly", to: { red: 1, absent: 1 } }),
    route("granted", { listener: "granted", to: { "other/there": 1 } }),
    route("forbidden", { listener: "forbidden", to: { "closed/there": 1 } }),
    route("newer", { listener: "several", to: { blue: 1 }, created: "2026-02-01T00:00:00Z" }),
    route("older", { listener: "several", to: { red: 1 }, created: "2026-01-01T00:00:00Z" }),
    route("dead", { listener: "dead" }),
    route("reset", { listener: "reset" }),
    route("encrypted", { listener: "encrypted" }),
  ];
}

describe.each(PLANES)("TCPRoutes, %s", (plane) => {
  const cleanup = new Cleanup();
  let served: ServedPlane;
  const ask = (listener: keyof typeof LISTENERS, text = "hello"): Promise<string> =>
    askTcp(served.portOf(LISTENERS[listener]), text);
  const askMany = async (
    listener: keyof typeof LISTENERS,
    times: number,
  ): Promise<Readonly<Record<string, number>>> => {
    const results: string[] = [];
    for (let time = 0; time < times; time++) results.push(((await ask(listener)).split(":")[0] ?? "").trim());
    return counted(results);
  };

  beforeAll(async () => {
    served = await servePlane(cleanup, plane, await objects(cleanup));
  }, 60_000);
  afterAll(() => cleanup.run());

  test("bytes go both ways, and each side may finish first", async () => {
    expect(await ask("plain")).toBe("plain: helloplain done");
    expect(await ask("first")).toBe("welcome");
  });

  test("megabytes arrive as they were sent", async () => {
    const text = Array.from({ length: 300_000 }, (_, number) => `${number} `).join("");
    const got = await ask("plain", text);
    expect(got.replaceAll("plain: ", "").replace(/plain done$/, "")).toBe(text);
  });

  test("without a usable backend the connection is closed", async () => {
    expect(await ask("missing")).toBe("closed");
    expect(await ask("empty")).toBe("closed");
    expect(await ask("forbidden")).toBe("closed");
    expect(await ask("unrouted")).toBe("closed");
  });

  test("a Service of another namespace, with a ReferenceGrant", async () => {
    expect(await ask("granted")).toBe("plain: helloplain done");
  });

  test("weights: a backend gets its share, and one with weight 0 nothing", async () => {
    const { red = 0, blue = 0, ...others } = await askMany("weighted", 200);
    expect(others).toEqual({});
    expect(red).toBeGreaterThan(115);
    expect(blue).toBeGreaterThan(20);
  });

  test("weights: the share of an invalid backend is closed", async () => {
    const { red = 0, closed = 0, ...others } = await askMany("partly", 120);
    expect(others).toEqual({});
    expect(red).toBeGreaterThan(30);
    expect(closed).toBeGreaterThan(30);
  });

  test("several routes: the oldest gets all connections", async () => {
    expect(await askMany("several", 10)).toEqual({ red: 10 });
  });

  test("an endpoint that cannot be reached costs no connection", async () => {
    expect(await askMany("dead", 10)).toEqual({ plain: 10 });
  });

  test("a reset of the backend reaches the client", async () => {
    const socket = connect(served.portOf(LISTENERS.reset), "127.0.0.1");
    socket.write("hello");
    let text = "";
    socket.on("data", (chunk) => (text += chunk.toString()));
    const outcome = await new Promise((resolve) => {
      socket.on("error", (error) => resolve("code" in error ? error.code : error.message));
      socket.on("end", () => resolve("end"));
    });
    expect([text, outcome]).toEqual(["half of it", "ECONNRESET"]);
  });

  test("a BackendTLSPolicy: the gateway encrypts", async () => {
    expect(await ask("encrypted")).toBe("encrypted api.example: helloencrypted api.example done");
  });
});
