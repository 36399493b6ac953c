/** A rule with several backends: each request has one of them, by weight, and its retries stay there (docs/semantics.md, "Retries"). */
import { afterEach, describe, expect, test } from "vitest";
import { DATA_PLANES } from "../../support/gateway/data-planes.ts";
import { dataplane, forwardTo, listener, retry, route, rule } from "../../support/gateway/dataplane-config.ts";
import { Cleanup, exchangeRaw, startBackend, statusesIn } from "../../support/gateway/gateway-harness.ts";

const cleanup = new Cleanup();
afterEach(() => cleanup.run());

const REQUESTS = 60;
const RETRIES = 2;

describe.each(DATA_PLANES.filter(({ isThere }) => isThere))("$name", (plane) => {
  test.each([undefined, 5])("retries stay with the backend that was picked (backoff %s ms)", async (backoffMs) => {
    const failing = await startBackend(cleanup, (_, response) => {
      response.statusCode = 503;
      response.end();
    });
    const healthy = await startBackend(cleanup);
    const plan = retry({ codes: [503], attempts: RETRIES, backoffMs });
    const to = ["failing", "healthy"].map((name) => ({ weight: 1, target: forwardTo(name, { retry: plan }) }));
    const config = dataplane([{ listeners: [listener({ "*": [route(rule({ to }))] })] }], {
      failing: [failing.port],
      healthy: [healthy.port],
    });
    const port = await plane.start(cleanup, config);
    const statuses: number[] = [];
    for (let request = 0; request < REQUESTS; request++) {
      const got = await exchangeRaw(port, "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
      statuses.push(...statusesIn(got));
    }
    const failed = statuses.filter((status) => status === 503).length;
    expect(statuses).toHaveLength(REQUESTS);
    expect(failed).toBeGreaterThan(0);
    expect(failing.seen).toHaveLength(failed * (1 + RETRIES));
    expect(healthy.seen).toHaveLength(REQUESTS - failed);
  });
});
