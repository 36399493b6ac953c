/**
 * GEP-713, "Atomicity of merging specs": lists that merge
 * A definition says which lists are merged item by item (`merge.lists`).
 */
import { expect, test } from "vitest";
import type { MergeRules } from "../../../src/core/model/definition.ts";
import type { JsonObject } from "../../../src/core/model/json.ts";
import { definitionObject } from "../../../src/core/model/parse/definition/definition-object.ts";
import { parseDefinition } from "../../../src/core/model/parse/definition/parse-definition.ts";
import { cluster } from "../../support/cluster/cluster.ts";
import { gateway, gatewayClass, policy, route } from "../../support/cluster/gateway-objects.ts";
import { kubeObject } from "../../support/cluster/kube-objects.ts";
import { policyKind } from "../../support/cluster/policy-kind.ts";

const merging = (merge: Partial<MergeRules>) =>
  policyKind("TrafficPolicy", {
    targets: ["Gateway", "HTTPRoute"],
    ends: ["HTTPRoute/Rule"],
    merge: { granularity: { default: "Field", field: "strategy", values: { atomic: "Atomic" } }, ...merge },
  });
const RULE = "HTTPRoute/r#rule";

/** The Gateway's policy `high` and the route's policy `low`. */
const made = (merge: Partial<MergeRules>, high: JsonObject, low: JsonObject) =>
  cluster(
    [
      gatewayClass("class"),
      gateway("g"),
      route("r", "Gateway/g", { rules: [{ name: "rule" }] }),
      policy("TrafficPolicy", "high", "Gateway/g", high),
      policy("TrafficPolicy", "low", "HTTPRoute/r", low),
    ],
    { definitions: [merging(merge)] },
  );
const upgrades = [
  { type: "websocket", size: 1 },
  { type: "spdy", size: 1 },
];

test("by a field: each item takes effect as a whole, with a source of its own", () => {
  const { spec, sources, outcome } = made(
    { lists: [{ path: "upgrades", by: "type", items: "Whole" }] },
    { upgrades },
    { upgrades: [{ type: "websocket", color: "red" }] },
  );
  expect(spec(RULE)).toEqual({
    upgrades: { websocket: { type: "websocket", color: "red" }, spdy: { type: "spdy", size: 1 } },
  });
  expect(sources(RULE)["/upgrades/websocket"]?.held).toBe("low bare");
  expect(sources(RULE)["/upgrades/spdy"]?.held).toBe("high bare");
  expect(outcome("high")).toBe("PartiallyEnforced by low");
});

test("except: in a policy with such a word the list is one value, which replaces the items of higher policies", () => {
  const lists = [{ path: "upgrades", by: "type", items: "Fields", except: ["replace"] }] as const;
  const granularity = { default: "Field", field: "how", values: { merge: "Field", replace: "Field" } } as const;
  const low = [{ type: "websocket", color: "red" }];
  const merged = (how: string) => made({ lists, granularity }, { upgrades, a: 1 }, { upgrades: low, how });
  expect(merged("replace").spec(RULE)).toEqual({ upgrades: low, a: 1 });
  expect(merged("replace").sources(RULE)["/upgrades/spdy/size"]?.lost).toContain("high bare 1 replaced by low");
  expect(merged("merge").spec(RULE)).toEqual({
    upgrades: { websocket: { type: "websocket", color: "red", size: 1 }, spdy: { type: "spdy", size: 1 } },
    a: 1,
  });
  const absent = made({ lists, granularity }, { upgrades }, { a: 1, how: "replace" });
  expect(absent.spec(RULE)).toEqual({ upgrades: { websocket: upgrades[0], spdy: upgrades[1] }, a: 1 });
});

test("except: a word that selects no strategy is a mistake of the definition", () => {
  const object = definitionObject(
    merging({ lists: [{ path: "upgrades", by: "type", items: "Whole", except: ["atomc"] }] }),
  );
  expect(parseDefinition(kubeObject(object)).findings.map(({ message }) => message)).toEqual([
    `spec.merge.lists[0].except[0] is "atomc", which is none of the words in spec.merge.granularity.values; did you mean 'atomic'?`,
  ]);
});

test("by a field: the fields of an item are merged", () => {
  const { spec, sources } = made(
    { lists: [{ path: "upgrades", by: "type", items: "Fields" }] },
    { upgrades },
    { upgrades: [{ type: "websocket", color: "red" }] },
  );
  expect(spec(RULE)).toEqual({
    upgrades: { websocket: { type: "websocket", color: "red", size: 1 }, spdy: { type: "spdy", size: 1 } },
  });
  expect(sources(RULE)["/upgrades/websocket/size"]?.held).toBe("high bare");
});

test("Append: the items of all policies take effect, those of one policy in its order", () => {
  const { spec, outcome } = made(
    { lists: [{ path: "limits.rules", items: "Whole" }] },
    { limits: { rules: [{ unit: "Hour" }, { unit: "Day" }], shared: true } },
    { limits: { rules: [{ unit: "Hour" }], shared: false } },
  );
  expect(spec(RULE)).toEqual({
    limits: {
      rules: {
        "default/low[0]": { unit: "Hour" },
        "default/high[0]": { unit: "Hour" },
        "default/high[1]": { unit: "Day" },
      },
      shared: false,
    },
  });
  expect(outcome("low")).toBe("Enforced");
});

test("lists in blocks", () => {
  const { spec } = made(
    { lists: [{ path: "rules", items: "Whole" }] },
    { overrides: { rules: [{ unit: "Hour" }] } },
    { defaults: { rules: [{ unit: "Day" }] } },
  );
  expect(spec(RULE)).toEqual({ rules: { "default/high[0]": { unit: "Hour" }, "default/low[0]": { unit: "Day" } } });
});

test("a policy that is compared as a whole replaces the lists, too", () => {
  const { spec } = made(
    { lists: [{ path: "rules", items: "Whole" }] },
    { rules: [1], strategy: "atomic" },
    { rules: [2] },
  );
  expect(spec(RULE)).toEqual({ rules: { "default/low[0]": 2 } });
});

test("an item without the field, or with the value of another, has the name of its policy and its index", () => {
  const { spec } = made(
    { lists: [{ path: "upgrades", by: "type", items: "Whole" }] },
    { upgrades: [{ size: 1 }, { type: "a" }, { type: "a", size: 2 }] },
    { upgrades: [] },
  );
  expect(spec(RULE)).toEqual({
    upgrades: { "default/high[0]": { size: 1 }, a: { type: "a" }, "default/high[2]": { type: "a", size: 2 } },
  });
});

test("conflicts on one target: items with different keys are no conflict", () => {
  const rivals = [
    policy("TrafficPolicy", "older", "Gateway/g", { rules: [1] }, { created: 1 }),
    policy("TrafficPolicy", "newer", "Gateway/g", { rules: [2] }, { created: 2 }),
  ];
  const objects = [
    gatewayClass("class"),
    gateway("g"),
    route("r", "Gateway/g", { rules: [{ name: "rule" }] }),
    ...rivals,
  ];
  const sharing = { sameTarget: "ConflictedWhereBothSet" as const };
  const joined = cluster(objects, {
    definitions: [merging({ ...sharing, lists: [{ path: "rules", items: "Whole" }] })],
  });
  expect(joined.outcome("newer")).toBe("Enforced");
  const whole = cluster(objects, { definitions: [merging(sharing)] });
  expect(whole.outcome("newer")).toBe("Conflicted by older");
});
