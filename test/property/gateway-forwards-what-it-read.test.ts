/** Random connections through a real gateway: what the backend sees is what was read, request by request, and nothing else. */
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { forwardTo, route, rule, simpleConfig } from "../support/gateway/dataplane-config.ts";
import {
  type Backend,
  Cleanup,
  exchangeRaw,
  type RunningGateway,
  startBackend,
  startGateway,
  statusesIn,
} from "../support/gateway/gateway-harness.ts";
import { READER_LIMITS, readRequests } from "../support/gateway/read-requests.ts";
import { PROPERTY_TIMEOUT_MS } from "./property-run.ts";
import { randomConnection } from "./random/random-connection.ts";

const cleanup = new Cleanup();
let gateway: RunningGateway;
let backend: Backend;
beforeAll(async () => {
  backend = await startBackend(cleanup);
  const config = simpleConfig([route(rule({ to: forwardTo("baker") }))], { baker: [backend.port] });
  gateway = await startGateway(cleanup, config, { limits: READER_LIMITS });
});
afterAll(() => cleanup.run());

/** Ends what is still open: either it is the next request, or the rest of one that is malformed by now. */
const LAST = "\r\n\r\nGET /last HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n";

const finalsIn = (text: string): readonly number[] => statusesIn(text).filter((status) => status >= 200);

test(
  "whatever a client sends",
  async () => {
    await fc.assert(
      fc.asyncProperty(randomConnection, async (text) => {
        // A tunnel has no end of its own.
        fc.pre(!/upgrade/i.test(text));
        const sent = `${text}${LAST}`;
        const { requests, end } = readRequests(sent);
        backend.seen.length = 0;
        // Short timeouts: an incomplete request must not delay the test.
        const isEnough = (text: string): boolean => end === undefined && finalsIn(text).length >= requests.length;
        const withinMs = end === undefined && requests.length === 0 ? 50 : 10_000;
        const got = await exchangeRaw(gateway.port, sent, { isEnough, withinMs });
        const seen = backend.seen.map(({ method, url, body }) => ({ method, url, body }));
        expect(seen).toEqual(
          requests.map(({ head: { method, path, query }, body }) => ({ method, url: `${path}${query}`, body })),
        );
        // One response for each request, and one for a refused request.
        const finals = finalsIn(got);
        expect(finals.slice(0, requests.length)).toEqual(requests.map(() => 200));
        expect(finals.slice(requests.length)).toEqual(typeof end === "object" ? [end.status] : []);
      }),
      { numRuns: 300 },
    );
  },
  PROPERTY_TIMEOUT_MS,
);
