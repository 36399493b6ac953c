import fc from "fast-check";
import { expect, test } from "vitest";
import { KubeObject, objectFamily } from "../kube-object.ts";
import { compareText, kindId, type ObjectId } from "../refs.ts";
import { ObjectIndex, ObjectIndexDraft } from "./object-index.ts";

const object = fc
  .record({
    kind: fc.constantFrom("Service", "Gateway"),
    namespace: fc.constantFrom("", "a", "a-b", "b"),
    name: fc.integer({ min: 0, max: 30 }).map(String),
  })
  .map(({ kind, namespace, name }) => new KubeObject(objectFamily("v1", kind, namespace), name, {}));

const inOrder = (objects: Iterable<KubeObject>): readonly KubeObject[] =>
  [...objects].sort((a, b) => compareText(a.id, b.id));

function expectSame(index: ObjectIndex, model: ReadonlyMap<ObjectId, KubeObject>): void {
  expect(index.size).toBe(model.size);
  expect(inOrder(index.values())).toEqual(inOrder(model.values()));
  for (const kind of ["Service", "Gateway"]) {
    const own = inOrder(model.values()).filter(({ family }) => family.kind === kind);
    const id = kindId({ group: "", kind });
    expect(index.ofKind(id)).toEqual(own);
    expect(index.hasKind(id)).toBe(own.length > 0);
    for (const namespace of ["", "a", "a-b", "b"])
      expect(index.inNamespace(id, namespace)).toEqual(own.filter(({ family }) => family.namespace === namespace));
  }
  const namespaces = new Set([...model.values()].map(({ family }) => family.namespace).filter((name) => name !== ""));
  expect([...index.namespaces()].sort()).toEqual([...namespaces].sort());
  for (const [id, one] of model) expect(index.get(id)).toBe(one);
}

test("an ObjectIndex reads like a Map by id, before and after changes", () => {
  fc.assert(
    fc.property(fc.array(object), fc.array(fc.tuple(object, fc.boolean())), (first, changes) => {
      const model = new Map<ObjectId, KubeObject>();
      const draft = new ObjectIndexDraft();
      for (const one of first) {
        draft.add(one);
        model.set(one.id, one);
      }
      const original = ObjectIndex.from(draft);
      const before = new Map(model);
      let index = original;
      for (const [one, isAdded] of changes) {
        if (isAdded) model.set(one.id, one);
        else model.delete(one.id);
        index = isAdded ? index.with(one) : index.without(one.ref);
        expect(index.has(one.id)).toBe(isAdded);
      }
      expectSame(index, model);
      expectSame(original, before);
    }),
  );
});
