import { describe, expect, test } from "vitest";
import { definitionFrom } from "../../../test/support/cluster/kube-objects.ts";
import type { Json, JsonObject } from "./json.ts";
import { escapePointer } from "./json-pointer.ts";
import { compileSchema } from "./schema/compile-schema.ts";
import { buildSpec, unitRules, unitRulesOf, unitsOf } from "./units.ts";

const leaves = unitRules({ ruleMaps: [], atomicPaths: ["labels", "maps.*.inner"], leaves: true, nulls: false });
const patch = unitRules({ ruleMaps: [], atomicPaths: [], leaves: true, nulls: true });
const named = unitRules({ ruleMaps: ["limits", "rules.*"], atomicPaths: [], leaves: false, nulls: false });
const both = unitRules({ ruleMaps: ["limits"], atomicPaths: ["limits.*.labels"], leaves: true, nulls: true });

const pointers = (spec: JsonObject, rules: typeof leaves) =>
  unitsOf(spec, rules).map(({ pointer, rule }) => (pointer === rule ? pointer : `${pointer} in ${rule}`));

describe("what is one unit", () => {
  for (const [name, spec, rules, expected] of [
    ["nothing", {}, leaves, []],
    ["REF: scalar fields", { a: 1, b: { c: "x", d: false } }, leaves, ["/a", "/b/c", "/b/d"]],
    ["REF: a list of strings is one value", { retryOn: ["501", "502"] }, leaves, ["/retryOn"]],
    ["a list of structs is one value", { a: [{ b: 1 }] }, leaves, ["/a"]],
    ["an empty object", { a: {}, b: [] }, leaves, ["/a", "/b"]],
    [
      "REF: a map[string]string is one value",
      { labels: { a: "1", b: "2" }, other: { a: 1 } },
      leaves,
      ["/labels", "/other/a"],
    ],
    [
      "a map inside any entry of a map",
      { maps: { x: { inner: { a: 1 }, y: 2 } } },
      leaves,
      ["/maps/x/inner", "/maps/x/y"],
    ],
    [
      "null counts as absent, and the map that has it is empty",
      { a: null, b: { c: null }, d: 1 },
      leaves,
      ["/b", "/d"],
    ],
    ["null is a tombstone for Patch kinds", { a: null, b: { c: null } }, patch, ["/a", "/b/c"]],
    ["RFC 9: a named rule", { limits: { a: { rates: [1] }, b: {} } }, named, ["/limits/a", "/limits/b"]],
    [
      "RFC 9: named rules in every map of rules",
      { rules: { authentication: { a: 1 }, authorization: { b: { c: 1 } } } },
      named,
      ["/rules/authentication/a", "/rules/authorization/b"],
    ],
    ["a scalar among the maps of rules", { rules: { color: "blue" } }, named, ["/rules/color"]],
    ["an empty map of rules gives no unit", { limits: {}, rules: { authentication: {} } }, named, []],
    ["an empty object above a map of rules gives no unit", { rules: {} }, named, []],
    [
      "outside the maps of rules: leaves",
      { when: { a: 1, b: {} }, limits: { x: 1 } },
      named,
      ["/when/a", "/when/b", "/limits/x"],
    ],
    ["a list where a map of rules should be", { limits: ["a"] }, named, ["/limits"]],
    [
      "a kind with Merge and Patch: leaves that know their rule",
      { limits: { a: { b: 1, c: { d: 2 } }, e: 3, f: {} }, g: 4 },
      both,
      ["/limits/a/b in /limits/a", "/limits/a/c/d in /limits/a", "/limits/e", "/limits/f", "/g"],
    ],
    [
      "a map that is one value inside a named rule",
      { limits: { a: { labels: { x: "1" } } } },
      both,
      ["/limits/a/labels in /limits/a"],
    ],
    [
      "a rule map inside a named rule is no rule map",
      { limits: { limits: { a: { b: 1 } } } },
      both,
      ["/limits/limits/a/b in /limits/limits"],
    ],
    ["RFC 6901 escapes", { "a/b": { "c~d": 1 } }, leaves, ["/a~1b/c~0d"]],
  ] as const) {
    test(name, () => {
      expect(pointers(spec, rules)).toEqual(expected);
    });
  }
});

describe("unitRulesOf", () => {
  for (const [name, expected] of [
    ["auth-policy", { ruleMaps: ["rules.*"], leaves: false, nulls: false }],
    ["rate-limit-policy", { ruleMaps: ["limits"], leaves: false, nulls: false }],
    ["color-policy-atomic", { ruleMaps: [], leaves: true, nulls: false }],
    ["color-policy-patch", { ruleMaps: [], leaves: true, nulls: true }],
    ["color-policy-direct", { ruleMaps: [], leaves: true, nulls: false }],
    ["vendor-a-traffic-policy", { ruleMaps: [], leaves: true, nulls: true }],
  ] as const) {
    test(name, () => {
      expect(unitRulesOf(definitionFrom(name))).toMatchObject(expected);
    });
  }

  const crd = {
    group: "",
    kind: "",
    scope: "Namespaced",
    mapPaths: ["labels"],
    specSchema: {},
    hasConditions: false,
    spec: compileSchema({}),
  } as const;
  test("REF: maps of the CRD are one value for Field kinds", () => {
    expect(unitRulesOf(definitionFrom("acme-service-policy"), crd).atomicPaths).toEqual(["labels"]);
  });
  test("RFC 7386: but not for Patch kinds", () => {
    expect(unitRulesOf(definitionFrom("color-policy-patch"), crd).atomicPaths).toEqual([]);
  });
});

describe("hostile input", () => {
  test("keys that JavaScript has too are keys like any other", () => {
    const spec = JSON.parse(
      '{"__proto__": {"polluted": 1}, "constructor": {"prototype": 2}, "toString": 3}',
    ) as JsonObject;
    const units = unitsOf(spec, leaves);
    expect(units.map(({ pointer }) => pointer)).toEqual(["/__proto__/polluted", "/constructor/prototype", "/toString"]);
    const built = buildSpec(units);
    expect(JSON.stringify(built)).toBe(JSON.stringify(spec));
    expect(Object.getPrototypeOf(built)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  test("no depth overflows the stack", () => {
    let deep: Json = 1;
    for (let i = 0; i < 50_000; i++) deep = { a: deep };
    expect(unitsOf({ deep }, leaves)).toHaveLength(1);
  });

  test("invented keys do not grow the table of shared pointers beyond its limit", () => {
    const rules = unitRules({ ruleMaps: [], atomicPaths: [], leaves: true, nulls: false });
    for (let i = 0; i < 30_000; i++) unitsOf({ [`key${i}`]: 1 }, rules);
    expect(rules.pointers.root.children.size).toBeLessThanOrEqual(20_000);
    expect(unitsOf({ key29999: { a: 1 } }, rules)).toEqual([
      { pointer: "/key29999/a", path: ["key29999", "a"], value: 1, rule: "/key29999/a" },
    ]);
  });
});

test("policies share pointers and paths", () => {
  const [first] = unitsOf({ a: { b: 1 } }, leaves);
  const [second] = unitsOf({ a: { b: 2 } }, leaves);
  expect(first?.path).toBe(second?.path);
});

test("escapePointer", () => {
  expect(escapePointer("a~b/c~1")).toBe("a~0b~1c~01");
});

describe("buildSpec", () => {
  const unit = (path: string, value: Json) => ({ path: path.split("."), value });

  for (const [name, units, expected] of [
    ["nothing", [], {}],
    ["nested values", [unit("a.b", 1), unit("a.c.d", [2]), unit("e", null)], { a: { b: 1, c: { d: [2] } }, e: null }],
    ["an empty object stays", [unit("a", {})], { a: {} }],
    ["an empty object takes in what is set below it", [unit("a", {}), unit("a.b", 1)], { a: { b: 1 } }],
    ["and does not erase what was", [unit("a.b", 1), unit("a", {})], { a: { b: 1 } }],
    ["a scalar is replaced by a value below it", [unit("a", 1), unit("a.b", 2)], { a: { b: 2 } }],
  ] as const) {
    test(name, () => {
      expect(buildSpec(units)).toEqual(expected);
    });
  }

  test("puts together what unitsOf took apart", () => {
    const spec = { retry: { codes: [502], budget: { percent: 20 } }, labels: { a: "b" }, empty: {} };
    expect(buildSpec(unitsOf(spec, leaves))).toEqual(spec);
  });

  test("never writes to a unit's value", () => {
    const map = Object.freeze({ x: 1 });
    expect(buildSpec([unit("a", map), unit("a.y", 2)])).toEqual({ a: { x: 1, y: 2 } });
    expect(map).toEqual({ x: 1 });
  });
});
