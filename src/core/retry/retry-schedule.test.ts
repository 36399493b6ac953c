import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sumWaitsMs, waitMs, waitRangeMs } from "./backoff.ts";
import {
  type AfterSend,
  type AttemptOutcome,
  type NextStep,
  nextStep,
  type RetryPlan,
  type Situation,
} from "./retry-schedule.ts";
import { retrySettings } from "./retry-settings.ts";
import { retriesWithin, retryTimeline } from "./retry-timeline.ts";

const plan = (more: Partial<RetryPlan> = {}): RetryPlan => ({
  codes: [502, 503],
  attempts: 2,
  backoffMs: 100,
  maxBackoffMs: undefined,
  afterSend: "Idempotent",
  ...more,
});

const step = (more: Partial<Situation> = {}): NextStep =>
  nextStep({
    plan: plan(),
    method: "GET",
    outcome: { type: "Responded", status: 503 },
    attemptsMade: 1,
    canResend: true,
    nowMs: 1000,
    random: 0,
    isWithinBudget: () => true,
    ...more,
  });

const responded = (status: number): AttemptOutcome => ({ type: "Responded", status });
const because = (next: NextStep): string => (next.do === "Respond" ? next.because : `Retry at ${next.atMs}`);

describe("which failures are retried", () => {
  test.each<readonly [string, Partial<Situation>, string]>([
    ["codes: a listed one, for every method", { method: "POST" }, "Retry at 1100"],
    ["codes: a response with another code is final", { outcome: responded(500) }, "Final"],
    [
      "codes: what is no failure is not retried, listed or not",
      { plan: plan({ codes: [200] }), outcome: responded(200) },
      "Final",
    ],
    ["no retry stanza: the first response is final", { plan: undefined }, "Final"],
    [
      "no retry stanza: a failed connection is not retried either",
      { plan: undefined, outcome: { type: "NotConnected" } },
      "NotRetried",
    ],
    ["not connected: always", { method: "POST", outcome: { type: "NotConnected" } }, "Retry at 1100"],
    ["refused before processing: always", { method: "PATCH", outcome: { type: "Refused" } }, "Retry at 1100"],
    ["attempts: 0 disables", { plan: plan({ attempts: 0 }) }, "Exhausted"],
    ["attempts: the last one", { attemptsMade: 2 }, "Retry at 1200"],
    ["attempts: no more than that", { attemptsMade: 3 }, "Exhausted"],
    ["a body that was not kept cannot be sent again", { canResend: false }, "BodyNotKept"],
    ["budget: a retry that it refuses", { isWithinBudget: () => false }, "Budget"],
  ])("%s", (_, situation, expected) => {
    expect(because(step(situation))).toBe(expected);
  });

  const methods = ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE", "POST", "PATCH", "CONNECT", "PROPFIND"];
  test.each<readonly [AfterSend, readonly string[]]>([
    ["Never", []],
    ["Idempotent", ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"]],
    ["Always", methods],
  ])("afterSend %s: a request that was sent", (afterSend, expected) => {
    for (const type of ["Reset", "TimedOut"] as const) {
      const retried = methods.filter(
        (method) => step({ plan: plan({ afterSend }), method, outcome: { type } }).do === "Retry",
      );
      expect(retried, type).toEqual(expected);
    }
  });

  test("the budget is asked last: only for a retry that would happen", () => {
    let asked = 0;
    const isWithinBudget = (): boolean => ++asked > 0;
    step({ isWithinBudget, attemptsMade: 3 });
    step({ isWithinBudget, canResend: false });
    step({ isWithinBudget, outcome: responded(200) });
    expect(asked).toBe(0);
    step({ isWithinBudget });
    expect(asked).toBe(1);
  });
});

describe("backoff", () => {
  test.each([
    ["the first wait", 100, undefined, 1, { least: 100, most: 125 }],
    ["then it doubles", 100, undefined, 2, { least: 200, most: 250 }],
    ["up to ten times the first", 100, undefined, 5, { least: 1000, most: 1000 }],
    ["or up to maxBackoff", 100, 300, 3, { least: 300, most: 300 }],
    ["spread does not go beyond maxBackoff", 100, 210, 2, { least: 200, most: 210 }],
    ["maxBackoff below backoff counts as backoff", 100, 50, 1, { least: 100, most: 100 }],
    ["0 is no wait", 0, undefined, 3, { least: 0, most: 0 }],
    ["unset: soon, and no promise", undefined, undefined, 1, { least: 0, most: 50 }],
    ["the thousandth retry", 100, undefined, 5000, { least: 1000, most: 1000 }],
  ])("%s", (_, backoffMs, maxBackoffMs, retry, expected) => {
    expect(waitRangeMs({ backoffMs, maxBackoffMs }, retry)).toEqual(expected);
  });
});

const randomPlan = fc.record({
  codes: fc.constant([503]),
  attempts: fc.nat(30),
  backoffMs: fc.option(fc.nat(5000), { nil: undefined }),
  maxBackoffMs: fc.option(fc.nat(20_000), { nil: undefined }),
  afterSend: fc.constantFrom<AfterSend>("Never", "Idempotent", "Always"),
});

test("no schedule violates the minimum, the growth or the count, whatever the dice say", () => {
  const property = fc.property(
    randomPlan,
    fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), { minLength: 31, maxLength: 31 }),
    (made, dice) => {
      let nowMs = 0;
      let attempts = 0;
      let next: NextStep = { do: "Retry", atMs: 0 };
      const gaps: number[] = [];
      while (next.do === "Retry") {
        if (attempts > 0) gaps.push(next.atMs - nowMs);
        nowMs = next.atMs;
        attempts++;
        next = step({ plan: made, attemptsMade: attempts, nowMs, random: dice[attempts] ?? 0 });
      }
      expect(attempts).toBe(made.attempts + 1);
      const { backoffMs, maxBackoffMs } = made;
      if (backoffMs === undefined) return;
      const slack = 1e-6;
      const longest = Math.max(backoffMs, maxBackoffMs ?? 10 * backoffMs);
      for (const gap of gaps) expect(gap).toBeGreaterThanOrEqual(backoffMs - slack);
      for (const gap of gaps) expect(gap).toBeLessThanOrEqual(longest + slack);
      if (gaps[0] !== undefined) expect(gaps[0]).toBeLessThanOrEqual(1.25 * backoffMs + slack);
    },
  );
  fc.assert(property, { numRuns: 300, seed: 713 });
});

test("a wait lies within its range", () => {
  const property = fc.property(
    randomPlan,
    fc.integer({ min: 1, max: 30 }),
    fc.double({ min: 0, max: 1, noNaN: true }),
    (made, retry, random) => {
      const { least, most } = waitRangeMs(made, retry);
      const wait = waitMs(made, retry, random);
      expect(wait).toBeGreaterThanOrEqual(least);
      expect(wait).toBeLessThanOrEqual(most);
    },
  );
  fc.assert(property, { numRuns: 300, seed: 713 });
});

describe("timeline", () => {
  const fits = (made: RetryPlan | undefined, requestMs?: number, backendRequestMs?: number): readonly string[] =>
    retryTimeline(made, { requestMs, backendRequestMs }).attempts.map((one) => one.fits);

  test("without limits everything fits, and nothing bounds the wait", () => {
    const timeline = retryTimeline(plan(), { requestMs: undefined, backendRequestMs: undefined });
    expect(timeline.attempts.map((one) => one.fits)).toEqual(["always", "always", "always"]);
    expect(timeline).toMatchObject({ longestMs: undefined, amplification: 3 });
  });

  test("the slowest case: attempts as long as they may, waits as long as they may", () => {
    const timeline = retryTimeline(plan(), { requestMs: undefined, backendRequestMs: 2000 });
    expect(timeline.longestMs).toBe(2000 + 125 + 2000 + 250 + 2000);
    expect(timeline.attempts.map((one) => one.latestMs)).toEqual([0, 2125, 4375]);
  });

  test("timeouts.request bounds everything", () => {
    const timeline = retryTimeline(plan(), { requestMs: 3000, backendRequestMs: 2000 });
    expect(timeline.longestMs).toBe(3000);
    expect(fits(plan(), 3000, 2000)).toEqual(["always", "always", "sometimes"]);
  });

  test("a backoff that cannot end in time", () => {
    expect(fits(plan(), 300, 100)).toEqual(["always", "always", "never"]);
    expect(fits(plan(), 100)).toEqual(["always", "never", "never"]);
    expect(retryTimeline(plan(), { requestMs: 100, backendRequestMs: undefined }).amplification).toBe(1);
  });

  test("no retries: one attempt", () => {
    expect(retryTimeline(undefined, { requestMs: 10, backendRequestMs: 5 })).toMatchObject({
      longestMs: 5,
      amplification: 1,
    });
  });

  test("a billion attempts are listed and added up in no time", () => {
    const timeline = retryTimeline(plan({ attempts: 1e9 }), { requestMs: undefined, backendRequestMs: 1000 });
    expect(timeline.attempts.length).toBe(21);
    expect(timeline.amplification).toBe(1e9 + 1);
    expect(timeline.longestMs).toBeGreaterThan(1e12);
  });
});

test("sums and counts in closed form are those of counting one by one", () => {
  const property = fc.property(randomPlan, fc.nat(60_000), (made, timeMs) => {
    let sum = 0;
    let within = 0;
    for (let retry = 1; retry <= made.attempts; retry++) {
      sum += waitRangeMs(made, retry).least;
      if (sum < timeMs || sum === 0) within = retry;
    }
    expect(sumWaitsMs(made, made.attempts, "least")).toBeCloseTo(sum, 6);
    if (timeMs > 0) expect(retriesWithin(made, timeMs)).toBe(within);
  });
  fc.assert(property, { numRuns: 500, seed: 713 });
});

describe("settings are read from an effective spec", () => {
  test.each([
    ["no retry: no plan", {}, undefined],
    ["attempts unset means 1", { retry: {} }, { attempts: 1, afterSend: "Idempotent", codes: [] }],
    ["attempts 0 stays 0", { retry: { attempts: 0 } }, { attempts: 0 }],
    [
      "durations as Gateway API writes them",
      { retry: { backoff: "1s500ms", maxBackoff: "1m" } },
      { backoffMs: 1500, maxBackoffMs: 60_000 },
    ],
    [
      "what cannot be read counts as unset",
      { retry: { backoff: "soon", attempts: "many" } },
      { backoffMs: undefined, attempts: 1 },
    ],
  ] as const)("%s", (_, spec, expected) => {
    const { plan: read } = retrySettings(spec);
    if (expected === undefined) expect(read).toBeUndefined();
    else expect(read).toMatchObject(expected);
  });

  test("timeouts: 0s disables", () => {
    expect(retrySettings({ timeouts: { request: "0s", backendRequest: "2s" } }).timeouts).toEqual({
      requestMs: undefined,
      backendRequestMs: 2000,
    });
  });
});
