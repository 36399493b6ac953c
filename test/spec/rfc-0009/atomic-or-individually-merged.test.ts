/** RFC 9, "Atomic vs. individually merged policy rules" */
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/model/json.ts";
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
