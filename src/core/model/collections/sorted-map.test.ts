import fc from "fast-check";
import { expect, test } from "vitest";
import { forEachId, type IdSet, IdSets, idSetWith, idSetWithout } from "./id-set.ts";
import { LayeredMap } from "./layered-map.ts";
import { SortedMap } from "./sorted-map.ts";

// Enough for several chunks, and for a base with many changes on top of it.
const key = fc.integer({ min: 0, max: 2_000 }).map(String);
const entries = fc.array(fc.tuple(key, fc.integer()), { maxLength: 1_500 });
const edits = fc.array(fc.tuple(key, fc.option(fc.integer(), { nil: undefined })), { maxLength: 300 });

const inOrder = (model: ReadonlyMap<string, number>): readonly (readonly [string, number])[] =>
  [...model].sort(([a], [b]) => (a < b ? -1 : 1));

test("a SortedMap reads like a Map in order, before and after changes", () => {
  fc.assert(
    fc.property(entries, edits, key, (first, changes, from) => {
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
      expect([...map.startingAt(from)]).toEqual(inOrder(model).filter(([name]) => name >= from));
      expect([...original]).toEqual(before);
    }),
    { numRuns: 60 },
  );
});

test("SortedMap.of and SortedMap.by: in order, however the keys come", () => {
  const keys = ["b", "a", "c"];
  expect([...SortedMap.of(keys, [2, 1, 3])]).toEqual([
    ["a", 1],
    ["b", 2],
    ["c", 3],
  ]);
  expect([...SortedMap.by(keys, (value) => value)].map(([name]) => name)).toEqual(["a", "b", "c"]);
  expect([...SortedMap.of<string, number>([], [])]).toEqual([]);
});

test("a LayeredMap reads like a Map, before and after changes", () => {
  fc.assert(
    fc.property(entries, edits, (first, changes) => {
      const model = new Map(first);
      const original = LayeredMap.from(new Map(first));
      let map = original;
      for (const [changed, value] of changes) {
        if (value === undefined) model.delete(changed);
        else model.set(changed, value);
        map = value === undefined ? map.without(changed) : map.with(changed, value);
      }
      expect(read(map)).toEqual(model);
      expect(map.size).toBe(model.size);
      expect(read(original)).toEqual(new Map(first));
    }),
    { numRuns: 60 },
  );
});

function read(map: LayeredMap<string, number>): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  map.forEach((value, name) => found.set(name, value));
  return found;
}

test("an IdSet holds each id once, in order, whether one, few or many", () => {
  fc.assert(
    fc.property(fc.array(key, { maxLength: 700 }), edits, (ids, changes) => {
      const sets = new IdSets<string, string>();
      for (const id of ids) sets.add("all", id);
      const model = new Set(ids);
      let set = sets.toMap().get("all");
      expect(idsIn(set)).toEqual([...model].sort());
      for (const [id, value] of changes) {
        if (value === undefined) model.delete(id);
        else model.add(id);
        set = value === undefined ? idSetWithout(set, id) : idSetWith(set, id);
      }
      expect(idsIn(set)).toEqual([...model].sort());
      expect(set === undefined).toBe(model.size === 0);
    }),
    { numRuns: 60 },
  );
});

function idsIn(set: IdSet<string> | undefined): readonly string[] {
  const ids: string[] = [];
  forEachId(set, (id) => ids.push(id));
  return ids;
}
