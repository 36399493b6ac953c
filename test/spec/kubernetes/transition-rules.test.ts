/** Kubernetes, "Transition rules" */
import { expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/model/json.ts";
import { buildSnapshot, evaluate, plan } from "../../../src/index.ts";
import { gatewayClass } from "../../support/cluster/gateway-objects.ts";
import { customResource, customResourceDefinition } from "../../support/crd/custom-resource.ts";

const added = (objects: readonly JsonObject[], change: JsonObject): readonly string[] =>
  plan(evaluate(buildSnapshot(objects)), [{ upsert: change }]).findings.added.map(
    ({ code, field, message }) => `${code} ${field}: ${message.replace(/^.*; the object/, "the object")}`,
  );
const STAYS = "the object stays as it is, as the API server would refuse the change";

test("a GatewayClass keeps its controller", () => {
  const of = (controllerName: string): JsonObject => ({ ...gatewayClass("c"), spec: { controllerName } });
  const [one, other] = [of("example.com/a"), of("example.com/b")];
  expect(added([one], other)).toEqual([`InvalidField spec.controllerName: ${STAYS}`]);
  expect(added([one], { ...one, spec: { controllerName: "example.com/a", description: "new" } })).toEqual([]);
  expect(plan(evaluate(buildSnapshot([one])), [{ upsert: other }]).objects).toEqual([]);
});

test("rules of a CRD in the input, at items that have the same keys", () => {
  const text = { type: "string" };
  const item = { type: "object", properties: { name: text, size: text } };
  const rule = { rule: "self.size == oldSelf.size", message: "the size stays" };
  const list = {
    type: "array",
    items: { ...item, "x-kubernetes-validations": [rule] },
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["name"],
  };
  const crd = customResourceDefinition({ spec: { type: "object", properties: { list } } });
  const box = (...sizes: readonly (readonly [string, string])[]): JsonObject =>
    customResource({ list: sizes.map(([name, size]) => ({ name, size })) });
  const before = [crd, box(["a", "1"], ["b", "2"])];
  expect(added(before, box(["b", "2"], ["c", "9"]))).toEqual([]);
  expect(added(before, box(["b", "3"]))).toEqual([`InvalidField spec.list[0]: ${STAYS}`]);
});
