import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AttemptOutcome, RetryPlan } from "./retry-schedule.ts";
import { retryTimeline, type Timeouts } from "./retry-timeline.ts";
import { type SimulatedRequest, simulateAttempts } from "./simulate-attempts.ts";

const plan = (more: Partial<RetryPlan> = {}): RetryPlan => ({
  codes: [502, 503],
  attempts: 2,
  backoffMs: 100,
  maxBackoffMs: undefined,
  afterSend: "Idempotent",
  ...more,
});
const NO_TIMEOUTS: Timeouts = { requestMs: undefined, backendRequestMs: undefined };
const responded = (...statuses: readonly number[]): readonly AttemptOutcome[] =>
  statuses.map((status) => ({ type: "Responded", status }));
const simulate = (more: Partial<SimulatedRequest>) =>
  simulateAttempts({
    plan: plan(),
    timeouts: NO_TIMEOUTS,
    method: "GET",
    canResend: true,
    outcomes: responded(200),
    ...more,
  });

describe("how often a request is sent", () => {
  for (const [name, more, attempts, status, because] of [
    ["it succeeds", {}, 1, 200, "Final"],
    ["it succeeds after a failure", { outcomes: responded(503, 200) }, 2, 200, "Final"],
    ["it always fails", { outcomes: responded(503) }, 3, 503, "Exhausted"],
    ["a code that is not retried", { outcomes: responded(500) }, 1, 500, "Final"],
    ["no retry stanza", { plan: undefined, outcomes: responded(503) }, 1, 503, "Final"],
    ["attempts: 0", { plan: plan({ attempts: 0 }), outcomes: responded(503) }, 1, 503, "Exhausted"],
    ["a long body", { canResend: false, outcomes: responded(503) }, 1, 503, "BodyNotKept"],
    ["a reset, POST", { method: "POST", outcomes: [{ type: "Reset" }] }, 1, 503, "NotRetried"],
    ["a reset, GET", { outcomes: [{ type: "Reset" }] }, 3, 503, "Exhausted"],
    ["unreachable, POST", { method: "POST", outcomes: [{ type: "NotConnected" }, ...responded(201)] }, 2, 201, "Final"],
    [
      "a timeout of each attempt",
      { timeouts: { ...NO_TIMEOUTS, backendRequestMs: 1000 }, outcomes: [{ type: "TimedOut" }] },
      3,
      504,
      "Exhausted",
    ],
    ["no timeout at all", { outcomes: [{ type: "TimedOut" }] }, 1, undefined, "NoTimeout"],
    [
      "the request timeout, in an attempt",
      { timeouts: { ...NO_TIMEOUTS, requestMs: 1000 }, outcomes: [{ type: "TimedOut" }] },
      1,
      504,
      "RequestTimeout",
    ],
    [
      "the request timeout, in a wait",
      { timeouts: { ...NO_TIMEOUTS, requestMs: 250 }, outcomes: responded(503) },
      2,
      504,
      "RequestTimeout",
    ],
  ] as const) {
    test(name, () => {
      expect(simulate(more)).toMatchObject({ attempts, status, because });
    });
  }

  test("slow responses leave time for fewer attempts", () => {
    const timeouts = { requestMs: 1000, backendRequestMs: 700 };
    expect(simulate({ timeouts, outcomes: responded(503) })).toMatchObject({ attempts: 3, fewestAttempts: 2 });
    const unlimited = { requestMs: 1000, backendRequestMs: undefined };
    expect(simulate({ timeouts: unlimited, outcomes: responded(503) })).toMatchObject({
      attempts: 3,
      fewestAttempts: 1,
    });
  });

  test("a billion retries end", () => {
    expect(simulate({ plan: plan({ attempts: 999_999_999 }), outcomes: responded(503) }).attempts).toBe(1_000_000_000);
  });

  test("if every attempt fails: as many as the timeline says", () => {
    const ms = fc.option(fc.integer({ min: 1, max: 5000 }), { nil: undefined });
    fc.assert(
      fc.property(
        fc.record({ attempts: fc.integer({ min: 0, max: 15 }), backoffMs: ms, maxBackoffMs: ms }),
        fc.record({ requestMs: ms, backendRequestMs: ms }),
        (settings, timeouts) => {
          const own = plan(settings);
          expect(simulate({ plan: own, timeouts, outcomes: responded(503) }).attempts).toBe(
            retryTimeline(own, timeouts).amplification,
          );
        },
      ),
    );
  });
});
