/** GEP-713, "Merge strategy" */
import { expect, test } from "vitest";
import { customResourceDefinition } from "../../../../test/support/crd/custom-resource.ts";
import { buildSnapshot, check, evaluate } from "../../../index.ts";
import type { JsonObject } from "../../model/json.ts";

const label = { "gateway.networking.k8s.io/policy": "Inherited" };
const text = { type: "object" };
const spec = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: "object", properties, ...more });
const found = (crd: JsonObject): readonly string[] =>
  check(evaluate(buildSnapshot([crd])))
    .filter(({ code }) => code === "PolicyCrdIncomplete")
    .map(({ severity, message }) => `${severity}: ${message.slice(0, 40)}`);
const status = { type: "object" };
const targets = { targetRefs: { type: "array", items: text } };
const both = { ...targets, defaults: text, overrides: text };
const rule = { "x-kubernetes-validations": [{ rule: "!(has(self.defaults) && has(self.overrides))" }] };

test.each<[string, JsonObject, readonly string[]]>([
  ["complete", customResourceDefinition({ spec: spec(targets), status, labels: label }), []],
  ["no policy kind", customResourceDefinition({ spec: spec({}) }), []],
  [
    "without target fields",
    customResourceDefinition({ spec: spec({}), status, labels: label }),
    ["warning: the spec of a policy kind has none of ta"],
  ],
  [
    "without a status",
    customResourceDefinition({ spec: spec(targets), labels: label }),
    ["warning: the CRD of a policy kind has no status, "],
  ],
  [
    "several merge strategies in one policy",
    customResourceDefinition({ spec: spec(both), status, labels: label }),
    ["info: a policy may have both defaults and over"],
  ],
  ["one merge strategy, by a rule", customResourceDefinition({ spec: spec(both, rule), status, labels: label }), []],
  [
    "without the label",
    customResourceDefinition({ spec: spec(targets), status, group: "prevail.dev", kind: "RetryPolicy" }),
    ["info: the CRD of a policy kind has no label ga"],
  ],
])("%s", (_, crd, expected) => {
  expect(found(crd)).toEqual(expected);
});
