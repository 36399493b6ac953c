import { expect, test } from "vitest";
import { weighPattern } from "./weigh-pattern.ts";

test.each([
  ["abc", 5, 10],
  ["^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", 10, 40],
  ["a{1000}", 1000, 3000],
  ["(a{30}b){30}", 900, 3000],
  ["(?:ab{2,10}){5,}", 60, 200],
  ["x{1000", 5, 20],
  ["\\Q[\\E(ab){900}", 1800, 6000],
  ["[](){1000}]", 1, 20],
  ["[[:alpha:](]{9}", 9, 60],
  ["\\{1000}", 2, 20],
  ["(((a{10}", 10, 60],
  ["a)){10}", 3, 100],
  ["\\x{".repeat(100_000), 1_000_000, 1_000_000_000],
])("%s weighs between %i and %i", (pattern, least, most) => {
  const weight = weighPattern(pattern);
  expect(weight).toBeGreaterThanOrEqual(least);
  expect(weight).toBeLessThanOrEqual(most);
});
