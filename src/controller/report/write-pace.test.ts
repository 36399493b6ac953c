import { describe, expect, test } from "vitest";
import { WritePace } from "./write-pace.ts";

/** The times of the writes of an object that wants other words every `everyMs` until `untilMs`, and is looked at as the queue does. */
function writesOf(everyMs: number, untilMs: number, seenMs = 60_000): readonly number[] {
  const pace = new WritePace();
  const written: number[] = [];
  let last = -1;
  for (let nowMs = 0; nowMs < seenMs; nowMs += 10) {
    const wanted = Math.floor(Math.min(nowMs, untilMs) / everyMs);
    if (wanted === last || pace.waitMs({ words: wanted }, nowMs) > 0) continue;
    pace.noteWritten(nowMs);
    written.push(nowMs);
    last = wanted;
  }
  return written;
}

describe("the pace of writes to one object", () => {
  test("a single change is written at once", () => {
    expect(writesOf(100_000, 0)).toEqual([0]);
  });

  test("two changes: half a second between them", () => {
    expect(writesOf(100, 100)).toEqual([0, 500]);
  });

  test.each([5000, 20_000, 40_000])(
    "a burst of %d ms: the last words are written within a second after it, with few writes before",
    (burstMs) => {
      const written = writesOf(20, burstMs);
      expect(written.at(-1)).toBeGreaterThanOrEqual(burstMs);
      expect(written.at(-1)).toBeLessThanOrEqual(burstMs + 1000);
      expect(written.length).toBeLessThanOrEqual(9 + burstMs / 4000);
    },
  );

  test("after a rest it is quick again", () => {
    const pace = new WritePace();
    for (let nowMs = 0; nowMs < 20_000; nowMs += 10)
      if (pace.waitMs({ words: nowMs }, nowMs) === 0) pace.noteWritten(nowMs);
    expect(pace.waitMs({ words: "other" }, 40_000)).toBe(0);
    pace.noteWritten(40_000);
    expect(pace.waitMs({ words: "more" }, 40_100)).toBe(400);
  });
});
