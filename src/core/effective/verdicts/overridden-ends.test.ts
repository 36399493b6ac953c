import fc from "fast-check";
import { expect, test } from "vitest";
import { type ObjectId, objectId, type TargetId, targetId } from "../../model/refs.ts";
import { firstTargets, OVERRIDDEN_NOWHERE, OverriddenChanges, SharedCounts } from "./overridden-ends.ts";

interface Step {
  readonly object: ObjectId;
  readonly sections: readonly (string | undefined)[];
  readonly paths: number;
}

const object = fc
  .integer({ min: 0, max: 60 })
  .map((nth) => objectId({ group: "g", kind: "Route", namespace: "n", name: `r${nth}` }));
const FIRST = objectId({ group: "g", kind: "Route", namespace: "n", name: "r0" });
const sections = fc.uniqueArray(fc.constantFrom(undefined, "a", "b", "c"), { minLength: 1 });
const stepsOf = (paths: fc.Arbitrary<number>): fc.Arbitrary<Step[]> =>
  fc.array(fc.record({ object, sections, paths }), { maxLength: 80 });

function collected(steps: readonly Step[], model: Map<TargetId, number>): OverriddenChanges {
  const changes = new OverriddenChanges({ object: { id: FIRST }, sections: [undefined] }, 0);
  for (const { object: id, sections: names, paths } of steps) {
    changes.add({ object: { id }, sections: names }, paths);
    for (const name of names) model.set(targetId(id, name), (model.get(targetId(id, name)) ?? 0) + paths);
  }
  return changes;
}

const inOrder = (model: ReadonlyMap<TargetId, number>): readonly (readonly [TargetId, number])[] =>
  [...model].filter(([, paths]) => paths !== 0).sort(([a], [b]) => (a < b ? -1 : 1));

test("ends add up, however they come, and what comes to nothing is not there", () => {
  fc.assert(
    fc.property(stepsOf(fc.integer({ min: 1, max: 4 })), stepsOf(fc.integer({ min: -2, max: 2 })), (first, more) => {
      const model = new Map<TargetId, number>();
      const shared = new SharedCounts();
      const before = collected(first, model).addTo(OVERRIDDEN_NOWHERE, shared);
      const changed = new Map<TargetId, number>();
      const changes = collected(more, changed);
      for (const [target, paths] of changed) model.set(target, (model.get(target) ?? 0) + paths);
      const after = changes.addTo(before, shared);
      const expected = inOrder(model);
      expect(firstTargets(after, 1_000).map(({ target, paths }) => [target, paths])).toEqual(expected);
      expect(firstTargets(after, 10)).toEqual(firstTargets(after, 1_000).slice(0, 10));
      expect(after.targets).toBe(expected.length);
      expect(changes.isLevel).toBe(inOrder(changed).length === 0);
    }),
  );
});
