import { Readable } from "node:stream";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, expect, test } from "vitest";
import { Cleanup, startRawBackend, waitUntil } from "../../../test/support/gateway/gateway-harness.ts";
import { SYSTEM_CLOCK } from "../contract/gateway-clock.ts";
import { DEFAULT_LIMITS } from "../contract/gateway-limits.ts";
import type { AttemptSink, Upstream, UpstreamRequest } from "../contract/upstream.ts";
import { createHttp1Upstream } from "./upstream.ts";

const cleanup = new Cleanup();
afterEach(() => cleanup.run());

const request = (path: string, body?: Readable): UpstreamRequest => ({
  method: "PUT",
  authority: "a",
  path,
  headers: [],
  contentLength: undefined,
  body,
  upgrade: undefined,
  takesTrailers: false,
});

const ignore: AttemptSink = {
  onHints: () => {},
  onHead: () => {},
  onData: () => true,
  onEnd: () => {},
  onFail: () => {},
  onUpgrade: () => {},
};

async function startPool(): Promise<{ readonly upstream: Upstream; readonly seen: string[] }> {
  const seen: string[] = [];
  const { port } = await startRawBackend(cleanup, (socket) =>
    socket.on("data", (data) => void seen.push(data.toString().split(" ")[1] ?? "")),
  );
  const limits = { ...DEFAULT_LIMITS, maxConnectionsPerEndpoint: 1 };
  const endpoint = { address: "127.0.0.1", port };
  return { upstream: createHttp1Upstream({ endpoint, tls: undefined, limits, clock: SYSTEM_CLOCK }), seen };
}

/** In a function of its own, so that nothing here refers to the body. */
function giveUpWaiting(upstream: Upstream): WeakRef<Readable> {
  const body = new Readable({ read: () => {} });
  upstream.send(request("/given-up", body), ignore).cancel();
  expect(body.destroyed).toBe(true);
  return new WeakRef(body);
}

test("a request that is given up while it waits for a connection is forgotten, however long the others wait", async () => {
  const { upstream, seen } = await startPool();
  const first = upstream.send(request("/first"), ignore);
  const second = upstream.send(request("/second"), ignore);
  const body = giveUpWaiting(upstream);
  expect(upstream.running()).toBe(2);
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  await waitUntil(() => {
    if (typeof collect === "function") collect();
    return body.deref() === undefined;
  });
  first.cancel();
  await waitUntil(() => seen.includes("/second"));
  second.cancel();
  expect(upstream.running()).toBe(0);
});
