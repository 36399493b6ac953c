import fc from "fast-check";
import { expect, test } from "vitest";
import { KubeObject, objectFamily } from "./kube-object.ts";
import { NamedObjects } from "./named-objects.ts";

const family = objectFamily("v1", "Service", "shop");
const service = (name: string): KubeObject => new KubeObject(family, name, {});

const name = fc.integer({ min: 0, max: 40 }).map((nth) => `s${String(nth).padStart(2, "0")}`);
const steps = fc.array(fc.record({ does: fc.constantFrom("add", "add", "add", "get", "get", "delete"), name }), {
  maxLength: 120,
});

/** Sorted, as a cluster lists them, or as it comes. */
const histories = fc.tuple(fc.uniqueArray(name), fc.boolean(), steps);

test("names are found as in a Map, in whatever order they come and are asked for", () => {
  fc.assert(
    fc.property(histories, ([first, isSorted, more]) => {
      const names = new NamedObjects();
      const model = new Map<string, KubeObject>();
      const add = (object: KubeObject): void => {
        expect(names.add(object)).toBe(!model.has(object.name));
        if (!model.has(object.name)) model.set(object.name, object);
      };
      for (const one of isSorted ? first.toSorted() : first) add(service(one));
      for (const step of more) {
        if (step.does === "add") add(service(step.name));
        if (step.does === "get") expect(names.get(step.name)).toBe(model.get(step.name));
        if (step.does === "delete") {
          names.delete(step.name);
          model.delete(step.name);
        }
      }
      const all = new Map<string, KubeObject>();
      names.forEach((object, key) => all.set(key, object));
      expect(all).toEqual(model);
      expect(names.size).toBe(model.size);
    }),
  );
});

test("a name that stands beside the one found last, and one that does not", () => {
  const names = new NamedObjects();
  const all = ["a", "b", "c", "d", "e", "f", "g", "h"].map(service);
  for (const object of all) names.add(object);
  for (const object of [...all, ...all, ...all.toReversed()]) expect(names.get(object.name)).toBe(object);
  expect(names.get("aa")).toBeUndefined();
});
