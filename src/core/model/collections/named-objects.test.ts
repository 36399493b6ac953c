import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonObject } from "../json.ts";
import { KubeObject, objectFamily } from "../kube-object.ts";
import { NamedObjects } from "./named-objects.ts";
import { ObjectOrder } from "./object-order.ts";

const family = objectFamily("v1", "Service", "shop");
const service = (name: string): KubeObject => new KubeObject(family, name, {});

const name = fc.integer({ min: 0, max: 40 }).map((nth) => `s${String(nth).padStart(2, "0")}`);
const does = fc.constantFrom("add", "add", "come", "come", "get", "get", "delete", "other");
const steps = fc.array(fc.record({ does, name }), { maxLength: 120 });

/** Sorted, as a cluster lists them, or as it comes. */
const histories = fc.tuple(fc.uniqueArray(name), fc.boolean(), steps);

test("names are found as in a Map, in whatever order they come and are asked for", () => {
  fc.assert(
    fc.property(histories, ([first, isSorted, more]) => {
      const order = new ObjectOrder();
      const names = new NamedObjects(order);
      const model = new Map<string, JsonObject>();
      const come = (own: string): void => {
        const raw = { metadata: { name: own } };
        const isNew = !model.has(own);
        expect(names.addNext(own, raw, family)).toBe(isNew);
        if (isNew) model.set(own, raw);
      };
      const add = (object: KubeObject): void => {
        expect(names.add(object)).toBe(!model.has(object.name));
        if (!model.has(object.name)) model.set(object.name, object.raw);
      };
      for (const one of isSorted ? first.toSorted() : first) come(one);
      for (const step of more) {
        if (step.does === "come") come(step.name);
        if (step.does === "add") add(service(step.name));
        // Something of another kind stands between.
        if (step.does === "other") order.push({ metadata: { name: step.name } });
        if (step.does === "get") {
          const found = names.get(step.name);
          expect(found?.raw).toBe(model.get(step.name));
          expect(names.get(step.name)).toBe(found);
          if (found !== undefined && found.place >= 0) expect(order.at(found.place)).toBe(found);
        }
        if (step.does === "delete") {
          names.delete(step.name);
          model.delete(step.name);
        }
      }
      const all = new Map<string, JsonObject>();
      names.forEach((object, key) => {
        expect(object.name).toBe(key);
        all.set(key, object.raw);
      });
      expect(all).toEqual(model);
      expect(names.size).toBe(model.size);
    }),
  );
});

test("names far apart are found too", () => {
  const names = new NamedObjects(new ObjectOrder());
  const all = Array.from({ length: 100 }, (_, nth) => `s${String(nth).padStart(3, "0")}`);
  for (const one of all) names.addNext(one, { metadata: { name: one } }, family);
  for (let step = 0; step < 200; step++) {
    const one = all[(step * 37) % all.length] ?? "";
    expect(names.get(one)?.name).toBe(one);
    expect(names.get(`${one}x`)).toBeUndefined();
  }
});

test("a name that stands beside the one found last, and one that does not", () => {
  const names = new NamedObjects(new ObjectOrder());
  const all = ["a", "b", "c", "d", "e", "f", "g", "h"].map(service);
  for (const object of all) names.add(object);
  for (const object of [...all, ...all, ...all.toReversed()]) expect(names.get(object.name)).toBe(object);
  expect(names.get("aa")).toBeUndefined();
});
