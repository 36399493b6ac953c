import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compareText } from "../refs.ts";
import { nearMiss } from "./near-miss.ts";
import { SortedNames } from "./sorted-names.ts";

const nearest = (word: string, ...names: readonly string[]): string | undefined => new SortedNames(names).nearest(word);

describe("the nearest name", () => {
  test.each([
    ["a letter that is wrong", "bakor", ["baker", "butcher"], "baker"],
    ["a letter too many", "bakeer", ["baker"], "baker"],
    ["two letters swapped", "bkaer", ["baker"], "baker"],
    ["the nearest, not the first", "bakers-2", ["baker-22", "bakers-1", "aakerr"], "bakers-1"],
    ["of equally near ones the first by name", "shop-3", ["shop-2", "shop-1"], "shop-1"],
    ["case does not count", "BAKER", ["Bakery", "Baker"], "Baker"],
    ["no name is near", "baker", ["candle", "smith"], undefined],
    ["no name at all", "", ["a"], undefined],
    ["a name longer than names are", "x".repeat(254), ["x".repeat(253)], undefined],
  ] as const)("%s", (_, word, names, expected) => {
    expect(nearest(word, ...names)).toBe(expected);
  });

  const name = fc
    .array(fc.constantFrom("a", "b", "c", "-", "A"), { minLength: 1, maxLength: 14 })
    .map((letters) => letters.join(""));

  test("equals the result of a look at each name, in any order", () => {
    const byLowerCase = (a: string, b: string): number =>
      compareText(a.toLowerCase(), b.toLowerCase()) || compareText(a, b);
    const property = fc.property(fc.array(name, { maxLength: 40 }), name, (names, word) => {
      expect(nearest(word, ...names)).toBe(nearMiss(word, names.toSorted(byLowerCase)));
    });
    fc.assert(property, { numRuns: 1_000, seed: 1 });
  });
});

test("a search among hostile names ends", () => {
  const names = Array.from(
    { length: 5_000 },
    (_, at) => `${"a".repeat(at % 120)}${"bcdefghijk"[at % 10]}${"a".repeat(249 - (at % 120))}${at % 7}`,
  );
  const sorted = new SortedNames(names);
  for (let at = 0; at < 1_000; at++) expect(sorted.nearest(`${"a".repeat(244)}yyyyy${at % 10}`)).toBeUndefined();
}, 20_000);
