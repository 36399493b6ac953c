/** RFC 9, "Atomic vs. individually merged policy rules" */
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/model/json.ts";
import { cluster } from "../../support/cluster/cluster.ts";
import { gateway, policy, routeTo } from "../../support/cluster/gateway-objects.ts";
import { policyKind } from "../../support/cluster/policy-kind.ts";
import { authn, compared, merge, outcomes, sourcesOf, specOf } from "./compare-policies.ts";

describe("Atomic vs. individually merged policy rules", () => {
  const higher = authn({ a: "G", b: "G" });
  const lower = authn({ a: "R", c: "R" });

  for (const [cell, block, expected] of [
    [
      "Defaults, Atomic: takes all the rules from the lower policy",
      { defaults: { strategy: "atomic", ...higher } },
      { a: "R", c: "R" },
    ],
    ["Defaults, Merge: take the lower one if they conflict", { defaults: merge(higher) }, { a: "R", b: "G", c: "R" }],
    [
      "Overrides, Atomic: takes all the rules from the higher policy",
      { overrides: { strategy: "atomic", ...higher } },
      { a: "G", b: "G" },
    ],
    [
      "Overrides, Merge: take the higher one if they conflict",
      { overrides: merge(higher) },
      { a: "G", b: "G", c: "R" },
    ],
    ["Defaults, strategy omitted: atomic is assumed", { defaults: higher }, { a: "R", c: "R" }],
    ["Overrides, strategy omitted: atomic is assumed", { overrides: higher }, { a: "G", b: "G" }],
  ] as const) {
    test(`Matrix of D/O strategies and Effective Policy: ${cell}`, () => {
      expect(specOf(compared(block, lower))).toEqual(authn(expected));
    });
  }

  for (const block of ["defaults", "overrides"] as const) {
    test(`the policy that sets higher in the hierarchy dictates the strategy: ${block}`, () => {
      const atomic = { strategy: "atomic", ...higher };
      const isDefault = block === "defaults";
      expect(specOf(compared({ [block]: atomic }, { defaults: merge(lower) }))).toEqual(
        authn(isDefault ? { a: "R", c: "R" } : { a: "G", b: "G" }),
      );
      expect(specOf(compared({ [block]: merge(higher) }, { defaults: { strategy: "atomic", ...lower } }))).toEqual(
        authn(isDefault ? { a: "R", b: "G", c: "R" } : { a: "G", b: "G", c: "R" }),
      );
      expect(specOf(compared({ [block]: merge(higher) }, { overrides: { strategy: "atomic", ...lower } }))).toEqual(
        authn(isDefault ? { a: "R", b: "G", c: "R" } : { a: "G", b: "G", c: "R" }),
      );
    });
  }

  describe("Atomic policy rules: the two sets are never merged into one", () => {
    const limits = (rules: JsonObject): JsonObject => ({ limits: rules });

    test("also where a rule of the lower policy has an empty body", () => {
      const both = compared(limits({ g: { rates: [1] } }), limits({ test: {} }), "RateLimitPolicy");
      expect(specOf(both, "RateLimitPolicy")).toEqual(limits({ test: {} }));
      expect(outcomes(both)).toEqual({ gw: "Overridden by rt", rt: "Enforced" });
    });

    test("also where the lower policy has an empty value outside of rule maps", () => {
      const both = compared({ b: 1 }, { a: {} }, "RateLimitPolicy");
      expect(specOf(both, "RateLimitPolicy")).toEqual({ a: {} });
      expect(outcomes(both)).toEqual({ gw: "Overridden by rt", rt: "Enforced" });
    });

    test("a field that is null is absent, as in the API server; the map that has it is there", () => {
      const both = compared({ b: 1 }, { a: { x: null } }, "RateLimitPolicy");
      expect(specOf(both, "RateLimitPolicy")).toEqual({ a: {} });
      expect(outcomes(both)).toEqual({ gw: "Overridden by rt", rt: "Enforced" });
    });

    for (const [what, lower] of [
      ["a map of named rules without a rule", limits({})],
      ["a rule that is null", limits({ a: null })],
      ["a key that is null", { a: null }],
      ["`remove` alone", { remove: ["c"] }],
      ["`strategy` alone", { strategy: "merge" }],
      ["`when` alone", { defaults: { when: "true" } }],
    ] as const) {
      test(`an empty policy is no set of rules: ${what}`, () => {
        const both = compared(limits({ g: { rates: [1] } }), lower, "RateLimitPolicy");
        expect(specOf(both, "RateLimitPolicy")).toEqual(limits({ g: { rates: [1] } }));
        expect(both.outcome("gw")).toBe("Enforced");
      });
    }
  });

  describe("Level of granularity of compared policy rules", () => {
    test("merge: the value of a named rule is an atomic object, never mixed", () => {
      const body = (from: string, extra: JsonObject) => ({ from, ...extra });
      const gw = authn({ a: body("G", { onlyG: 1 }) });
      const rt = authn({ a: body("R", { onlyR: 1 }) });
      expect(specOf(compared({ defaults: merge(gw) }, rt))).toEqual(rt);
      expect(specOf(compared({ overrides: merge(gw) }, rt))).toEqual(gw);
    });

    test("merge: a rule's identity is its full path: equal names in two maps are two rules", () => {
      const both = compared(
        { defaults: merge({ rules: { authentication: { a: "G" }, authorization: { a: "G" } } }) },
        authn({ a: "R" }),
      );
      expect(specOf(both)).toEqual({ rules: { authentication: { a: "R" }, authorization: { a: "G" } } });
      expect(outcomes(both)).toEqual({ gw: "PartiallyEnforced by rt", rt: "Enforced" });
    });

    test("units are named rules: a rule with many fields counts once", () => {
      const both = compared({ defaults: merge(authn({ a: { x: 1, y: 2, z: 3 } })) }, authn({ b: { x: 1 } }));
      expect(Object.keys(sourcesOf(both)).toSorted()).toEqual(["/rules/authentication/a", "/rules/authentication/b"]);
    });

    test("a rule equal to the winner's is not overridden", () => {
      const both = compared({ defaults: merge(authn({ a: { x: 1 }, b: "G" })) }, authn({ a: { x: 1 } }));
      expect(sourcesOf(both)["/rules/authentication/a"]?.lost).toEqual(['gw defaults {"x":1} equal']);
      expect(outcomes(both)).toEqual({ gw: "Enforced", rt: "Enforced" });
    });
  });
});

describe("Hostile names", () => {
  test("__proto__, constructor and toString are names like any other", () => {
    const definition = policyKind("LocalPolicy", {
      targets: ["Gateway", "HTTPRoute"],
      ends: ["HTTPRoute"],
      merge: { granularity: { default: "Merge", field: "strategy", values: {} }, rules: ["rules"] },
    });
    const spec = JSON.parse('{"rules":{"__proto__":{"x":1},"constructor":{"x":2},"toString":{"x":3}}}') as JsonObject;
    const made = cluster([gateway("g"), routeTo("r", "Gateway/g"), policy("LocalPolicy", "p", "Gateway/g", spec)], {
      definitions: [definition],
    });
    expect(JSON.stringify(made.spec("HTTPRoute/r"))).toBe(
      '{"rules":{"__proto__":{"x":1},"constructor":{"x":2},"toString":{"x":3}}}',
    );
    expect(made.outcome("p")).toBe("Enforced");
  });
});
