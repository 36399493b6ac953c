/** RFC 9, "Merge an overrides block of policy rules into a policy" */
import { describe, expect, test } from "vitest";
import { authn, compared, merge, specOf } from "./compare-policies.ts";

describe("Merge an `overrides` block of policy rules into a policy", () => {
  test("B.strategy Atomic: p.rules ← B", () => {
    expect(specOf(compared({ overrides: authn({ a: "G" }) }, { rules: { authorization: { b: "R" } } }))).toEqual(
      authn({ a: "G" }),
    );
  });

  test("B.strategy Merge: p[r.id] ← r, for each r in B", () => {
    expect(specOf(compared({ overrides: merge(authn({ a: "G", b: "G" })) }, authn({ a: "R", c: "R" })))).toEqual(
      authn({ a: "G", b: "G", c: "R" }),
    );
  });
});
