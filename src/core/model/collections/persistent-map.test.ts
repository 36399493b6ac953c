import fc from "fast-check";
import { expect, test } from "vitest";
import { MapDraft } from "./map-draft.ts";
import { PersistentMap } from "./persistent-map.ts";

// Enough keys for several chunks, and for a base with many changes.
const key = fc.integer({ min: 0, max: 2_000 }).map(String);
const entries = fc.array(fc.tuple(key, fc.integer()), { maxLength: 1_500 });
const edits = fc.array(fc.tuple(key, fc.option(fc.integer(), { nil: undefined })), { maxLength: 300 });

function read(map: PersistentMap<string, number>): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  map.forEach((value, name) => found.set(name, value));
  return found;
}

test("a PersistentMap reads like a Map, before and after changes", () => {
  fc.assert(
    fc.property(entries, edits, (first, changes) => {
      const model = new Map(first);
      const original = PersistentMap.from(new Map(first));
      let map = original;
      for (const [changed, value] of changes) {
        if (value === undefined) model.delete(changed);
        else model.set(changed, value);
        map = value === undefined ? map.without(changed) : map.with(changed, value);
        expect(map.get(changed)).toBe(value);
      }
      expect(read(map)).toEqual(model);
      expect(map.size).toBe(model.size);
      expect(read(original)).toEqual(new Map(first));
    }),
    { numRuns: 60 },
  );
});

test("thousands of changes give a new base and the same entries", () => {
  const model = new Map<string, number>();
  let map = PersistentMap.empty<string, number>();
  for (let i = 0; i < 5_000; i++) {
    const name = String(i % 1_700);
    model.set(name, i);
    map = map.with(name, i);
  }
  expect(read(map)).toEqual(model);
});

test("a MapDraft makes the changes of a map in one go, and lists the keys that differ", () => {
  fc.assert(
    fc.property(entries, edits, (first, changes) => {
      const before = PersistentMap.from(new Map(first));
      const model = new Map(first);
      const draft = new MapDraft(before);
      for (const [changed, value] of changes) {
        if (value === undefined) model.delete(changed);
        else model.set(changed, value);
        draft.set(changed, value);
        expect(draft.get(changed)).toBe(value);
      }
      expect(read(draft.build())).toEqual(model);
      expect(read(before)).toEqual(new Map(first));
      const keys = new Set([...model.keys(), ...read(before).keys()]);
      const differ = [...keys].filter((name) => model.get(name) !== before.get(name));
      expect([...draft.changedKeys()].sort()).toEqual(differ.sort());
    }),
    { numRuns: 60 },
  );
});

test("a MapDraft without changes gives the same map", () => {
  const before = PersistentMap.from(new Map([["a", 1]]));
  const draft = new MapDraft(before);
  draft.set("a", 1);
  expect(draft.build()).toBe(before);
});
