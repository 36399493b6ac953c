/** Two writers of one condition */
import { expect, test } from "vitest";
import { ResetLog } from "./reset-log.ts";

const MINUTE = 60_000;

test("the third reset by one manager within ten minutes ends the writes for an hour", () => {
  const log = new ResetLog();
  expect([0, 4, 9].map((minute) => log.note({ manager: "other", atMs: minute * MINUTE }))).toEqual([
    false,
    false,
    true,
  ]);
  expect(log.stoppedBy(10 * MINUTE)?.manager).toBe("other");
  expect(log.stoppedBy(69 * MINUTE)).toBeUndefined();
});

test("resets by several managers, and resets that are further apart, do not", () => {
  const log = new ResetLog();
  for (const [minute, manager] of [
    [0, "a"],
    [1, "b"],
    [2, "a"],
    [3, "b"],
    [11, "a"],
    [22, "a"],
  ] as const)
    expect(log.note({ manager, atMs: minute * MINUTE })).toBe(false);
  expect(log.stoppedBy(22 * MINUTE)).toBeUndefined();
});
