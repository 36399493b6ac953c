import fc from "fast-check";
import { expect, test } from "vitest";
import { IdIndexBuilder, idsAt, moveId } from "./id-index.ts";
import { IdSet } from "./id-set.ts";
import { MapDraft } from "./map-draft.ts";

// Enough keys for several chunks, and for a base with many changes.
const key = fc.integer({ min: 0, max: 2_000 }).map(String);
const edits = fc.array(fc.tuple(key, fc.boolean()), { maxLength: 300 });

test("an IdSet contains each id once, in order", () => {
  fc.assert(
    fc.property(fc.array(key, { maxLength: 700 }), edits, (ids, changes) => {
      const model = new Set(ids);
      const original = IdSet.from(ids);
      let set = original;
      expect([...set]).toEqual([...model].sort());
      for (const [id, isAdded] of changes) {
        if (isAdded) model.add(id);
        else model.delete(id);
        set = isAdded ? set.with(id) : set.without(id);
        expect(set.has(id)).toBe(isAdded);
      }
      expect([...set]).toEqual([...model].sort());
      expect(set.size).toBe(model.size);
      expect([...original]).toEqual([...new Set(ids)].sort());
    }),
    { numRuns: 60 },
  );
});

test("ids outside of prefixes", () => {
  fc.assert(
    fc.property(fc.array(key, { maxLength: 1500 }), fc.array(key, { maxLength: 3 }), (ids, prefixes) => {
      const set = IdSet.from(ids);
      expect([...set.outside(prefixes)]).toEqual([...set].filter((id) => !prefixes.some((one) => id.startsWith(one))));
    }),
    { numRuns: 60 },
  );
});

test("a prefix may be followed by any character, also by the last one", () => {
  const ids = ["a/", "a/b", "a/\uffff", "a/\uffff\uffff", "b/\uffff", "\uffff", "\uffff\uffffb"];
  const outside = (...prefixes: readonly string[]) => [...IdSet.from(ids).outside(prefixes)];
  expect(outside("a/")).toEqual(["b/\uffff", "\uffff", "\uffff\uffffb"]);
  expect(outside("a/\uffff", "\uffff")).toEqual(["a/", "a/b", "b/\uffff"]);
  expect(outside("")).toEqual([]);
});

test("an index follows ids that move from some keys to others", () => {
  const builder = new IdIndexBuilder<string, string>();
  for (const [name, id] of [
    ["gateway", "b"],
    ["gateway", "a"],
    ["service", "a"],
  ] as const)
    builder.add(name, id);
  const index = builder.build();
  expect([...idsAt(index, "gateway")]).toEqual(["a", "b"]);
  const draft = new MapDraft(index);
  moveId(draft, "a", ["gateway", "service"], ["gateway", "other"]);
  const moved = draft.build();
  expect([...idsAt(moved, "gateway")]).toEqual(["a", "b"]);
  expect([...idsAt(moved, "other")]).toEqual(["a"]);
  expect(moved.has("service")).toBe(false);
  expect([...idsAt(index, "service")]).toEqual(["a"]);
});
