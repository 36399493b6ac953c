import fc from "fast-check";
import { expect, test } from "vitest";
import { SortedMap } from "./sorted-map.ts";

// Enough for several chunks, and for a base with many changes on top of it.
const key = fc.integer({ min: 0, max: 2_000 }).map(String);
const entries = fc.array(fc.tuple(key, fc.integer()), { maxLength: 1_500 });
const edits = fc.array(fc.tuple(key, fc.option(fc.integer(), { nil: undefined })), { maxLength: 300 });

const inOrder = (model: ReadonlyMap<string, number>): readonly (readonly [string, number])[] =>
  [...model].sort(([a], [b]) => (a < b ? -1 : 1));

test("a SortedMap reads like a Map in order, before and after changes", () => {
  fc.assert(
    fc.property(entries, edits, (first, changes) => {
      const model = new Map(first);
      let map = SortedMap.from(first);
      expect([...map]).toEqual(inOrder(model));
      const before = [...map];
      const original = map;
      for (const [changed, value] of changes) {
        if (value === undefined) model.delete(changed);
        else model.set(changed, value);
        map = value === undefined ? map.without(changed) : map.with(changed, value);
        expect(map.get(changed)).toBe(value);
      }
      expect([...map]).toEqual(inOrder(model));
      expect(map.size).toBe(model.size);
      expect([...map.values()]).toEqual(inOrder(model).map(([, value]) => value));
      expect(map.first(10, (name) => name)).toEqual(
        inOrder(model)
          .slice(0, 10)
          .map(([name]) => name),
      );
      expect([...original]).toEqual(before);
    }),
    { numRuns: 60 },
  );
});

test("SortedMap.of sorts keys that come in another order", () => {
  const keys = ["b", "a", "c"];
  expect([...SortedMap.of(keys, [2, 1, 3])]).toEqual([
    ["a", 1],
    ["b", 2],
    ["c", 3],
  ]);
  expect([...SortedMap.of<string, number>([], [])]).toEqual([]);
});
