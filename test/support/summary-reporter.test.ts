import { expect, test } from "vitest";
import { countResults, countsAtExit, type FinishedModule, summaryLine } from "./summary-reporter.ts";

type State = "passed" | "failed" | "skipped" | "pending";

function finished(states: readonly State[], errors: { module?: number; suites?: readonly number[] } = {}) {
  const failures = (count: number) => Array.from({ length: count }, () => ({ message: "broken" }));
  return {
    errors: () => failures(errors.module ?? 0),
    children: {
      allTests: () => states.map((state) => ({ result: () => ({ state }) })),
      allSuites: () => (errors.suites ?? []).map((count) => ({ errors: () => failures(count) })),
    },
  } satisfies FinishedModule;
}

test("tests are counted by state", () => {
  const counts = countResults([finished(["passed", "failed", "passed"]), finished(["skipped", "passed"])], []);
  expect(counts).toEqual({ passed: 3, failed: 1, skipped: 1 });
});

test("a file that does not load, a failed suite hook, an unhandled error and an unfinished test are failures", () => {
  expect(countResults([finished([], { module: 1 })], []).failed).toBe(1);
  expect(countResults([finished(["skipped"], { suites: [0, 2] })], []).failed).toBe(1);
  expect(countResults([], [new Error("late")]).failed).toBe(1);
  expect(countResults([finished(["pending"])], []).failed).toBe(1);
});

test("skipped tests are named only when there are some", () => {
  expect(summaryLine({ passed: 12, failed: 0, skipped: 0 })).toBe("12 passed, 0 failed");
  expect(summaryLine({ passed: 12, failed: 1, skipped: 3 })).toBe("12 passed, 1 failed, 3 skipped");
});

test("a non-zero exit code without a counted failure counts as one", () => {
  const none = { passed: 5, failed: 0, skipped: 0 };
  expect(countsAtExit(none, 1)).toEqual({ passed: 5, failed: 1, skipped: 0 });
  expect(countsAtExit(none, 0)).toEqual(none);
  expect(countsAtExit({ ...none, failed: 2 }, 1).failed).toBe(2);
});
