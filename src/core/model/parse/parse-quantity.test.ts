/** Kubernetes, "Quantity" */
import { expect, test } from "vitest";
import { parseQuantity } from "./parse-quantity.ts";

test.each<[string, number | undefined]>([
  ["2", 2],
  ["500m", 0.5],
  ["100m", 0.1],
  ["0.1", 0.1],
  [".5", 0.5],
  ["1.", 1],
  ["1.5Gi", 1.5 * 1024 ** 3],
  ["256Mi", 256 * 1024 ** 2],
  ["256M", 256e6],
  ["1e3", 1000],
  ["1E3", 1000],
  ["1E", 1e18],
  ["12E-1", 1.2],
  ["250u", 0.00025],
  ["-1", -1],
  ["", undefined],
  [".", undefined],
  ["m", undefined],
  ["1 Gi", undefined],
  ["1gi", undefined],
  ["1K", undefined],
  ["0x10", undefined],
  ["1e3m", undefined],
  ["1e999", undefined],
])("%j is %j", (text, expected) => {
  expect(parseQuantity(text)).toBe(expected);
});
