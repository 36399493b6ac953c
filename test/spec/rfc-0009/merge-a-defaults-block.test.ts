/** RFC 9, "Merge a defaults block of policy rules into a policy" */
import { describe, expect, test } from "vitest";
import { authn, compared, merge, specOf } from "./compare-policies.ts";

describe("Merge a `defaults` block of policy rules into a policy", () => {
  test("remove from B all policy rules listed in p.remove", () => {
    expect(
      specOf(compared({ defaults: merge(authn({ a: "G", b: "G" })) }, { ...authn({ c: "R" }), remove: ["a"] })),
    ).toEqual(authn({ b: "G", c: "R" }));
  });

  for (const strategy of ["atomic", "merge"]) {
    test(`p.empty? Yes: p.rules ← B (${strategy})`, () => {
      for (const lower of [{}, { rules: {} }, { defaults: {} }, { overrides: { rules: {} } }]) {
        expect(specOf(compared({ defaults: { strategy, ...authn({ a: "G" }) } }, lower))).toEqual(
          expect.objectContaining(authn({ a: "G" })),
        );
      }
    });
  }

  test("p.empty? No, B.strategy Atomic: nothing is taken", () => {
    expect(specOf(compared({ defaults: authn({ a: "G" }) }, { rules: { authorization: { b: "R" } } }))).toEqual({
      rules: { authorization: { b: "R" } },
    });
  });

  test("p.empty? No, B.strategy Merge, p[r.id].exists? Yes: p's stays", () => {
    expect(specOf(compared({ defaults: merge(authn({ a: "G" })) }, authn({ a: "R" })))).toEqual(authn({ a: "R" }));
  });

  test("p.empty? No, B.strategy Merge, p[r.id].exists? No: p[r.id] ← r", () => {
    expect(specOf(compared({ defaults: merge(authn({ a: "G" })) }, authn({ b: "R" })))).toEqual(
      authn({ a: "G", b: "R" }),
    );
  });

  test("p[r.id].exists? Yes: also a rule with an empty body exists", () => {
    expect(specOf(compared({ defaults: merge(authn({ a: { x: 1 } })) }, authn({ a: {} })))).toEqual(authn({ a: {} }));
  });
});
