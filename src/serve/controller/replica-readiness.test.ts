import { afterEach, describe, expect, test } from "vitest";
import { type PlainServer, startPlainServer } from "../../../test/support/kubernetes/plain-server.ts";
import { ReplicaReadiness } from "./replica-readiness.ts";

let server: PlainServer | undefined;
afterEach(() => server?.close());

/** The readiness after the API server has responded to requests for discovery with these status codes, one after the other. */
async function readyAfter(...codes: readonly number[]): Promise<boolean> {
  const stop = new AbortController();
  const readiness = new ReplicaReadiness();
  let requests = 0;
  server = await startPlainServer((request, response) => {
    expect(request.url).toBe("/apis/view.prevail.dev/v1alpha1");
    const code = codes[requests++];
    if (code === undefined) stop.abort();
    response.writeHead(code ?? 200, { "content-type": "application/json" });
    response.end("{}");
  });
  await readiness.followOthers(server.client, stop.signal, 1);
  return readiness.current().isReady;
}

describe("a replica that has not read the cluster", () => {
  test.each<[string, readonly number[], boolean]>([
    ["is ready after three failures in a row: it is alone", [503, 503, 503], true],
    ["is not ready after a failure of a replica that ends", [200, 503, 503, 200, 503, 200], false],
    ["is ready when the others have ended", [200, 503, 503, 503], true],
    ["is not ready where there is no APIService, or no right to ask", [404, 404, 404, 404, 403, 403, 403, 403], false],
  ])("%s", async (_, codes, expected) => {
    expect(await readyAfter(...codes)).toBe(expected);
  });

  test("is ready as soon as it has read the cluster, and the others are not asked any more", async () => {
    const readiness = new ReplicaReadiness();
    expect(readiness.current().isReady).toBe(false);
    readiness.noteRead();
    expect(readiness.current()).toEqual({ isReady: true, reason: "serving" });
    server = await startPlainServer((_, response) => response.writeHead(503).end("{}"));
    await readiness.followOthers(server.client, new AbortController().signal);
    expect(readiness.current()).toEqual({ isReady: true, reason: "serving" });
  });
});
