import { expect, test } from "vitest";
import { inSlices } from "./in-slices.ts";

function* stepsOf(times: readonly number[]): Generator<void, string> {
  for (const ms of times) {
    // Like a process that is stopped: nothing else runs meanwhile.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
    yield;
  }
  return "done";
}

test("other work has its turn after each slice", async () => {
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  const { result } = await inSlices(stepsOf(Array.from({ length: 10 }, () => 5)));
  clearInterval(timer);
  expect(result).toBe("done");
  expect(turns).toBeGreaterThan(3);
});

test("the time of the steps, without that for which the process was stopped", async () => {
  const { ms } = await inSlices(stepsOf([5, 1000, 5]));
  expect(ms).toBeGreaterThanOrEqual(9);
  expect(ms).toBeLessThan(400);
});
