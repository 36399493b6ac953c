/** Runs property tests with a known seed, so that every failure can be repeated. */
import fc from "fast-check";
import type { Json } from "../../src/core/model/json.ts";

const DEFAULT_SEED = 713;

/** `PREVAIL_SEED=7 npx vitest run test/property` uses other clusters, or repeats a run. */
export const seed: number = readSeed(process.env["PREVAIL_SEED"]);

function readSeed(text: string | undefined): number {
  if (text === undefined || text === "") return DEFAULT_SEED;
  const number = Number(text);
  if (!Number.isSafeInteger(number)) throw new Error(`PREVAIL_SEED is '${text}', which is not an integer`);
  return number;
}

/** Asserts a property on `numRuns` examples. Each test has its own `stream`, so no two tests use the same examples. */
export function assertProperty<Ts>(
  property: fc.IPropertyWithHooks<Ts>,
  options: { numRuns: number; stream: number },
): void {
  fc.assert(property, {
    numRuns: options.numRuns,
    seed: (seed * 31 + options.stream) | 0,
    // Shrinking a failure may take minutes and cannot be interrupted by Vitest. At the limit the smallest failure so far is reported.
    plugins: [fc.interruptAfterTimeLimit(PROPERTY_TIMEOUT_MS - 20_000, { failOnInterrupt: true })],
  });
}

/** Long enough for a slow machine. */
export const PROPERTY_TIMEOUT_MS = 120_000;

/** Freezes a value and everything in it, so that a write throws. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const item of Object.values(value)) deepFreeze(item as Json);
  }
  return value;
}
