import { expect, test } from "vitest";
import { formatDurationMs, parseDurationMs } from "./parse-duration.ts";

test.each([
  ["0s", 0],
  ["250ms", 250],
  ["10s", 10_000],
  ["1m30s", 90_000],
  ["1h1m1s1ms", 3_661_001],
  ["99999h", 99_999 * 3_600_000],
  ["1s1h", 3_601_000],
  ["60s60s60s60s", 240_000],
])("GEP-2257: %s", (text, ms) => {
  expect(parseDurationMs(text)).toBe(ms);
});

test.each(["", "1", "s", "1.5s", "1 s", "-1s", "100000s", "1s1s1s1s1s", "1d", "1S", "1s\n", "1us"])(
  "not a duration: %j",
  (text) => {
    expect(parseDurationMs(text)).toBeUndefined();
  },
);

test.each([
  [0, "0s"],
  [250, "250ms"],
  [18_250, "18s250ms"],
  [90_000, "1m30s"],
  [3_600_000, "1h"],
  [0.4, "0s"],
])("%d ms is written %s", (ms, text) => {
  expect(formatDurationMs(ms)).toBe(text);
});
