import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { backendBudget, createBudgetMeter, policyBudget, type RetryBudget, takeRetry } from "./retry-budget.ts";

const budget = (more: Partial<RetryBudget> = {}): RetryBudget => ({
  percent: 20,
  intervalMs: 10_000,
  minRetryRate: { count: 10, intervalMs: 1000 },
  ...more,
});

const STRICT = budget({ minRetryRate: { count: 0, intervalMs: 1000 } });

/** How many of so many retries at that moment are allowed. */
function allowed(meter: ReturnType<typeof createBudgetMeter>, wanted: number, nowMs: number): number {
  let count = 0;
  for (let retry = 0; retry < wanted; retry++) if (takeRetry([meter], nowMs)) count++;
  return count;
}

describe("GEP-3388 › retryConstraint", () => {
  test("budget.percent: of the requests in the interval", () => {
    const meter = createBudgetMeter(STRICT);
    for (let request = 0; request < 100; request++) meter.countRequest(5000);
    expect(allowed(meter, 100, 5001)).toBe(20);
  });

  test("budget.percent: 0 allows only what minRetryRate does, 100 one retry for each request", () => {
    const none = createBudgetMeter(budget({ percent: 0 }));
    const all = createBudgetMeter({ ...STRICT, percent: 100 });
    for (let request = 0; request < 50; request++) {
      none.countRequest(0);
      all.countRequest(0);
    }
    expect([allowed(none, 100, 1), allowed(all, 100, 1)]).toEqual([10, 50]);
  });

  test("budget.interval: what is older does not count", () => {
    const meter = createBudgetMeter(STRICT);
    for (let request = 0; request < 100; request++) meter.countRequest(0);
    expect(allowed(meter, 5, 9999)).toBe(5);
    expect(allowed(meter, 5, 21_000)).toBe(0);
  });

  test("minRetryRate: allowed whatever the percentage says, and again in the next interval", () => {
    const meter = createBudgetMeter(budget());
    expect([allowed(meter, 100, 0), allowed(meter, 100, 500), allowed(meter, 100, 2000)]).toEqual([10, 0, 10]);
  });

  test("both budgets of a backend bound a retry, and a refusal by one costs the other nothing", () => {
    const wide = createBudgetMeter({ ...STRICT, percent: 100 });
    const tight = createBudgetMeter({ ...STRICT, percent: 10 });
    for (let request = 0; request < 100; request++) for (const meter of [wide, tight]) meter.countRequest(0);
    let taken = 0;
    for (let retry = 0; retry < 50; retry++) if (takeRetry([wide, tight], 1)) taken++;
    expect(taken).toBe(10);
    expect(allowed(wide, 200, 1)).toBe(90);
  });

  test("no budgets: no bound", () => {
    expect(takeRetry([], 0)).toBe(true);
  });

  test("a clock that goes back loses nothing", () => {
    const meter = createBudgetMeter(STRICT);
    for (let request = 0; request < 10; request++) meter.countRequest(5000);
    expect(allowed(meter, 10, 1000)).toBe(2);
  });
});

describe("reading", () => {
  const full = {
    percent: 50,
    intervalMs: 2000,
    minRetryRate: { count: 3, intervalMs: 500 },
  };
  test("RetryPolicy: retry.budget", () => {
    const minRetryRate = { count: 3, interval: "500ms" };
    expect(policyBudget({ budget: { percent: 50, interval: "2s", minRetryRate } })).toEqual(full);
  });

  test("XBackendTrafficPolicy: retryConstraint", () => {
    const constraint = { budget: { percent: 50, interval: "2s" }, minRetryRate: { count: 3, interval: "500ms" } };
    expect(backendBudget({ retryConstraint: constraint })).toEqual(full);
  });

  test.each([
    ["nothing set", {}],
    ["an interval of no length", { interval: "0s" }],
    ["what cannot be read", { percent: "many", interval: 7, minRetryRate: [] }],
  ])("%s: Gateway API's defaults", (_, raw) => {
    expect(policyBudget({ budget: raw })).toEqual(budget());
  });

  test("no stanza: no budget", () => {
    expect([policyBudget({}), backendBudget({})]).toEqual([undefined, undefined]);
  });
});

test("property: a retry is granted by the minimum or by the percentage, whatever came before", () => {
  const event = fc.record({ gapMs: fc.integer({ min: 0, max: 400 }), isRetry: fc.boolean() });
  fc.assert(
    fc.property(
      fc.array(event, { minLength: 1, maxLength: 300 }),
      fc.integer({ min: 0, max: 100 }),
      fc.integer({ min: 0, max: 5 }),
      (events, percent, count) => {
        const [intervalMs, minIntervalMs] = [2000, 1000];
        const meter = createBudgetMeter({ percent, intervalMs, minRetryRate: { count, intervalMs: minIntervalMs } });
        const requests: number[] = [];
        const retries: number[] = [];
        let nowMs = 0;
        for (const { gapMs, isRetry } of events) {
          nowMs += gapMs;
          if (!isRetry) {
            requests.push(nowMs);
            meter.countRequest(nowMs);
            continue;
          }
          if (!takeRetry([meter], nowMs)) continue;
          retries.push(nowMs);
          const within = (times: readonly number[], ms: number) => times.filter((at) => at > nowMs - ms).length;
          const byMinimum = within(retries, minIntervalMs) <= count;
          // The window may reach back one slot (a twentieth) further than the interval.
          const byPercent = within(retries, intervalMs) * 100 <= percent * within(requests, intervalMs * 1.05);
          expect(byMinimum || byPercent).toBe(true);
        }
      },
    ),
  );
});
