import fc from "fast-check";
import { expect, test } from "vitest";
import { changedRange } from "./changed-range.ts";

test.each([
  ["abc", "abc", "", ""],
  ["abc", "abxc", "", "x"],
  ["abc", "ac", "b", ""],
  ["abc", "axc", "b", "x"],
  ["", "ab", "", "ab"],
  ["aa", "aaa", "", "a"],
])("from %s to %s: %s becomes %s", (before, after, removed, added) => {
  const [from, to] = [before.split(""), after.split("")];
  const { start, ends } = changedRange(from, to);
  expect([from.slice(start, ends[0]).join(""), to.slice(start, ends[1]).join("")]).toEqual([removed, added]);
});

test("with the range replaced, the first list is the second", () => {
  const list = fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 12 });
  fc.assert(
    fc.property(list, list, (before, after) => {
      const { start, ends } = changedRange(before, after);
      expect(before.toSpliced(start, ends[0] - start, ...after.slice(start, ends[1]))).toEqual(after);
    }),
  );
});
