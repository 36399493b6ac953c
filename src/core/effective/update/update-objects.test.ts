import { expect, test } from "vitest";
import { gateway, gatewayClass, routeTo } from "../../../../test/support/cluster/gateway-objects.ts";
import { apply } from "../../apply.ts";
import { evaluate } from "../../evaluate.ts";
import { worldOf } from "../../evaluation.ts";
import { buildSnapshot } from "../../model/snapshot.ts";

const broken = {
  apiVersion: "prevail.dev/v1alpha1",
  kind: "PolicyDefinition",
  metadata: { name: "broken" },
  spec: {},
};

test("a change of objects leaves the rules the object that they are, also where a definition has an error", () => {
  const start = [gatewayClass("class", "example.com/gateway"), gateway("g"), broken];
  const evaluation = evaluate(buildSnapshot(start), { definitions: [] });
  const { rulebook } = worldOf(evaluation);
  expect(rulebook.findings).not.toEqual([]);
  const applied = apply(evaluation, [{ upsert: routeTo("r", "Gateway/g", "s") }]);
  expect(worldOf(applied.evaluation).rulebook).toBe(rulebook);
});
