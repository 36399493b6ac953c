import fc from "fast-check";
import { expect, test } from "vitest";
import { KubeObject, objectFamily } from "../kube-object.ts";
import type { ObjectId } from "../refs.ts";
import { ObjectOrder } from "./object-order.ts";
import { ObjectTable, TableDraft } from "./object-table.ts";

const family = objectFamily("v1", "Service", "shop");
const COUNT = 30;

/** Each third one has lost its place: as if it were of another snapshot. */
const objects = Array.from(
  { length: COUNT },
  (_, nth) => new KubeObject(family, `s${nth}`, {}, undefined, nth % 3 === 0 ? -1 : nth),
);
const order = new ObjectOrder();
for (const object of objects) if (object.place !== -1) order.set(object.place, object);
const index = fc.nat(COUNT - 1);
const at = (nth: number): KubeObject => objects[nth] as KubeObject;

test("a table is what a Map would be, asked by id or by object, at first and after changes", () => {
  const changes = fc.array(fc.record({ index, value: fc.option(fc.nat(9), { nil: undefined }) }), { maxLength: 40 });
  fc.assert(
    fc.property(fc.array(fc.tuple(index, fc.nat(9))), fc.array(fc.nat(4)), changes, (first, others, later) => {
      const model = new Map<ObjectId, number>();
      const draft = new TableDraft<ObjectId, number>(order);
      for (const [nth, value] of first) {
        draft.set(at(nth), value);
        model.set(at(nth).id, value);
        expect(draft.soFar(at(nth))).toBe(value);
      }
      for (const nth of others) {
        const id = `virtual/${nth}` as ObjectId;
        draft.setOther(id, nth);
        model.set(id, nth);
      }
      const versions: {
        readonly table: ObjectTable<ObjectId, number>;
        readonly model: ReadonlyMap<ObjectId, number>;
      }[] = [{ table: ObjectTable.from(draft), model: new Map(model) }];
      for (const { index: nth, value } of later) {
        const { table } = versions.at(-1) ?? { table: ObjectTable.from(draft) };
        const { id } = at(nth);
        if (value === undefined) model.delete(id);
        else model.set(id, value);
        const next = value === undefined ? table.without(id) : table.with(id, value);
        versions.push({ table: next, model: new Map(model) });
      }
      // Older versions stay as they were.
      for (const version of versions) expectSame(version.table, version.model);
    }),
  );
});

function expectSame(table: ObjectTable<ObjectId, number>, model: ReadonlyMap<ObjectId, number>): void {
  expect(table.size).toBe(model.size);
  for (const object of objects) {
    expect(table.of(object)).toBe(model.get(object.id));
    expect(table.get(object.id)).toBe(model.get(object.id));
    // Another version of the object, as a change brings it.
    expect(table.of(new KubeObject(family, object.name, {}))).toBe(model.get(object.id));
  }
  const all = new Map<ObjectId, number>();
  table.forEach((value, id) => all.set(id, value));
  expect(all).toEqual(model);
}
