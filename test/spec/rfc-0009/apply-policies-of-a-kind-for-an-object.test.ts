/** RFC 9, "Apply policies of a kind for an object" */
import { describe, expect, test } from "vitest";
import { auth, authn, effective, made, merge, specOf } from "./compare-policies.ts";

describe("Apply policies of a kind for an object", () => {
  test("P ← all policies of the kind that affect o; none: no effective policy", () => {
    expect(made().effective()).toEqual([]);
  });

  test("sort P from lowest to highest: rule, route, listener, Gateway; on one object newest first", () => {
    const values = ["rl", "rt-new", "rt-old", "ln", "gw"];
    const policies = [
      auth("gw", "Gateway/g", { overrides: merge(authn({ a: "gw" })) }),
      auth("ln", "Gateway/g#http", { overrides: merge(authn({ a: "ln" })) }),
      auth("rt-old", "HTTPRoute/r", { overrides: merge(authn({ a: "rt-old" })) }, 0),
      auth("rt-new", "HTTPRoute/r", { overrides: merge(authn({ a: "rt-new" })) }, 1),
      auth("rl", "HTTPRoute/r#rule", { overrides: merge(authn({ a: "rl" })) }),
    ];
    // Each override replaces what the lower ones came to: taking the highest away leaves the next.
    for (let i = 0; i < policies.length; i++) {
      expect(effective(...policies.slice(i))).toEqual(authn({ a: values.at(-1 - i) ?? "" }));
    }
  });

  test("ep begins without any policy rules: the lowest policy's blocks meet nothing", () => {
    const one = made(auth("rt", "HTTPRoute/r", { overrides: authn({ a: "R" }), defaults: merge(authn({ b: "R" })) }));
    expect(specOf(one)).toEqual(authn({ a: "R" }));
    expect(one.outcome("rt")).toBe("Enforced");
  });
});
