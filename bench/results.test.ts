import { expect, test } from "vitest";
import { formatJson, formatNumber, formatTable, isMissed, resultOf } from "./results.ts";

const evaluate = { case: "5,000 routes", metric: "evaluate", value: 187.4, unit: "ms" };

test("without a bar there is no verdict", () => {
  expect(resultOf("scale", evaluate)).toEqual({ bench: "scale", ...evaluate });
});

for (const [name, measurement, ok] of [
  ["a value below the bar reaches it", { ...evaluate, bar: 200 }, true],
  ["a value at the bar reaches it", { ...evaluate, bar: 187.4 }, true],
  ["a value above the bar misses it", { ...evaluate, bar: 150 }, false],
  ["the bench decides where more is better", { ...evaluate, bar: 150, ok: true }, true],
  ["a bench may judge without a bar", { ...evaluate, ok: false }, false],
] as const) {
  test(name, () => {
    const result = resultOf("scale", measurement);
    expect(result.ok).toBe(ok);
    expect(isMissed(result)).toBe(!ok);
  });
}

test("JSON: one line, fixed key order, bar and ok only where known", () => {
  expect(formatJson(resultOf("scale", evaluate))).toBe(
    '{"bench":"scale","case":"5,000 routes","metric":"evaluate","value":187.4,"unit":"ms"}',
  );
  expect(formatJson(resultOf("scale", { ok: false, bar: 100, unit: "ms", value: 187.4, metric: "m", case: "c" }))).toBe(
    '{"bench":"scale","case":"c","metric":"m","value":187.4,"unit":"ms","bar":100,"ok":false}',
  );
});

test("the table aligns figures and marks a missed bar", () => {
  const results = [
    resultOf("scale", { ...evaluate, bar: 200 }),
    resultOf("scale", { case: "50,000 routes", metric: "heap", value: 1234.5, unit: "MB", bar: 1000 }),
    resultOf("scale", { case: "one change", metric: "update", value: 0.01234, unit: "ms" }),
  ];
  expect(formatTable(results).split("\n")).toEqual([
    "CASE           METRIC     VALUE  UNIT    BAR",
    "5,000 routes   evaluate     187  ms      200  ok",
    "50,000 routes  heap       1,235  MB    1,000  MISSED",
    "one change     update    0.0123  ms",
  ]);
});

test("numbers have three significant digits", () => {
  expect([0, 7, 0.5, 12.345, 99.99, 123.4, 1_234_567].map(formatNumber)).toEqual([
    "0",
    "7",
    "0.5",
    "12.3",
    "100",
    "123",
    "1,234,567",
  ]);
  expect(formatNumber(Number.POSITIVE_INFINITY)).toBe("Infinity");
});
