/** RFC 9, "Examples of D/O-enabled Kuadrant policy" */
import { describe, expect, test } from "vitest";
import { ab, auth, authn, compared, effective, specOf } from "./compare-policies.ts";

describe("Examples of D/O-enabled Kuadrant policy", () => {
  const policyWith = (strategy: string) => ({ defaults: { ...ab, strategy } });

  test("Example 1. Atomic defaults: set at lower objects that do not have policies of their own at all", () => {
    expect(effective(auth("gw-policy", "Gateway/g", policyWith("atomic")))).toEqual(ab);
    expect(specOf(compared(policyWith("atomic"), authn({ c: "R" })))).toEqual(authn({ c: "R" }));
  });

  test("Example 2. Merged defaults: evaluated one by one", () => {
    expect(effective(auth("gw-policy", "Gateway/g", policyWith("merge")))).toEqual(ab);
    expect(specOf(compared(policyWith("merge"), authn({ a: "R" })))).toEqual({
      rules: { authentication: { a: "R" }, authorization: { b: "G" } },
    });
  });
});
