/** RFC 9, "Merging a generic block of policy rules (defaults or overrides) into a policy with conditions" */
import { describe, expect, test } from "vitest";
import { authn, compared, merge, specOf } from "./compare-policies.ts";

describe("Merging a generic block of policy rules (defaults or overrides) into a policy with conditions", () => {
  for (const block of ["defaults", "overrides"] as const) {
    test(`conditions do not match: return p (${block})`, () => {
      expect(specOf(compared({ [block]: merge({ when: "false", ...authn({ a: "G" }) }) }, authn({ b: "R" })))).toEqual(
        authn({ b: "R" }),
      );
    });

    test(`conditions match: merge B as ${block}`, () => {
      expect(specOf(compared({ [block]: merge({ when: "true", ...authn({ a: "G" }) }) }, authn({ b: "R" })))).toEqual(
        authn({ a: "G", b: "R" }),
      );
    });
  }
});
