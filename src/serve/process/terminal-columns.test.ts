import { expect, test } from "vitest";
import { terminalColumns } from "./terminal-columns.ts";

for (const [name, reported, given, expected] of [
  ["what the terminal says", 100, "60", 100],
  ["COLUMNS, where it says 0", 0, "60", 60],
  ["COLUMNS, if the terminal reports no width", undefined, "60", 60],
  ["unknown", 0, undefined, undefined],
  ["COLUMNS is no width", 0, "0", undefined],
  ["COLUMNS is no number", 0, "wide", undefined],
] as const) {
  test(name, () => {
    expect(terminalColumns(reported, given === undefined ? {} : { COLUMNS: given })).toBe(expected);
  });
}
