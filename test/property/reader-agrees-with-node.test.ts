/** The gateway reads HTTP/1 itself. Every request that its reader accepts must be the same request for Node's parser. `npm run fuzz` runs the same comparison for longer. */
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { createReaderComparer } from "../support/gateway/compare-readers.ts";
import { PROPERTY_TIMEOUT_MS, seed } from "./property-run.ts";
import { randomConnection } from "./random/random-connection.ts";

const RUNS = 4000;

const readers = createReaderComparer();
afterAll(() => readers.close());

test(
  "every accepted request is the same request for Node's parser",
  async () => {
    let accepted = 0;
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(randomConnection, async (text) => {
        const comparison = await readers.compare(text);
        accepted += comparison.accepted;
        refused += comparison.isRefused ? 1 : 0;
        expect(comparison.difference).toBeUndefined();
      }),
      { numRuns: RUNS, seed },
    );
    // Both outcomes must be frequent, or the test would prove little.
    expect(accepted).toBeGreaterThan(RUNS / 2);
    expect(refused).toBeGreaterThan(RUNS / 5);
  },
  PROPERTY_TIMEOUT_MS,
);
