import fc from "fast-check";
import { expect, test } from "vitest";
import { SortedMap } from "../../model/collections/sorted-map.ts";
import { Counts } from "./counts.ts";

const key = fc.integer({ min: 0, max: 400 }).map(String);
const changes = fc.array(fc.tuple(key, fc.integer({ min: -2, max: 2 })), { maxLength: 120 });

test("counts add up, whether few or many of the keys change, and what comes to nothing is not there", () => {
  fc.assert(
    fc.property(fc.array(key, { maxLength: 600 }), changes, (first, more) => {
      const model = new Map(first.map((name) => [name, 1]));
      const before = SortedMap.from(model);
      const counts = new Counts<string>("0", 0);
      for (const [name, count] of more) {
        counts.add(name, count);
        model.set(name, (model.get(name) ?? 0) + count);
      }
      const expected = [...model].filter(([, count]) => count !== 0).sort(([a], [b]) => (a < b ? -1 : 1));
      expect([...counts.addTo(before)]).toEqual(expected);
      expect(counts.isLevel).toBe([...new Map(sums(more)).values()].every((count) => count === 0));
    }),
  );
});

function sums(more: readonly (readonly [string, number])[]): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const [name, count] of more) found.set(name, (found.get(name) ?? 0) + count);
  return found;
}
