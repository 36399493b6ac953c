/** RFC 9, "Merging a generic block of policy rules (defaults or overrides) into a policy with conditions" */
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/model/json.ts";
import { cluster } from "../../support/cluster/cluster.ts";
import { gateway, route } from "../../support/cluster/gateway-objects.ts";
import { auth, authn, compared, definitions, effective, made, merge, outcomes, specOf } from "./compare-policies.ts";

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

describe("when", () => {
  const gated = (when: string, lower: JsonObject, block: "defaults" | "overrides" = "overrides") =>
    compared({ [block]: merge({ when, ...authn({ a: 50 }) }) }, lower);

  for (const [name, when] of [
    ["spec is the lower policy's spec", "spec.rules.authentication.a > 50"],
    ["self is the lower policy", "self.spec.rules.authentication.a > 50"],
  ] as const) {
    test(name, () => {
      expect(specOf(gated(when, authn({ a: 51 })))).toEqual(authn({ a: 50 }));
      expect(specOf(gated(when, authn({ a: 50 })))).toEqual(authn({ a: 50 }));
      expect(specOf(gated(when, authn({ a: 49 })))).toEqual(authn({ a: 49 }));
    });
  }

  test("self.metadata is the metadata of the policy that has the condition", () => {
    const limit = (when: string) => specOf(gated(when, authn({ a: 51 })));
    for (const when of ["self.metadata.name == 'gw'", "self.metadata.namespace == 'default' && spec == self.spec"])
      expect(limit(when)).toEqual(authn({ a: 50 }));
    expect(limit("self.metadata.name == 'rt'")).toEqual(authn({ a: 51 }));
    // Fields that the API server maintains are absent: a change of them alone changes nothing.
    expect(limit("has(self.metadata.generation) || has(self.metadata.managedFields)")).toEqual(authn({ a: 51 }));
  });

  test("a missing key means false, for overrides", () => {
    const both = gated("spec.rules.authentication.a > 50", authn({ b: 1 }));
    expect(specOf(both)).toEqual(authn({ b: 1 }));
    expect(both.outcome("gw")).toBe("Enforced");
  });

  test("a missing key means false, for defaults", () => {
    expect(specOf(gated("spec.rules.authentication.nothing", authn({ b: 1 }), "defaults"))).toEqual(authn({ b: 1 }));
  });

  test("it is asked even of an empty result", () => {
    const alone = (when: string) =>
      effective(auth("gw", "Gateway/g", { overrides: merge({ when, ...authn({ a: 50 }) }) }));
    expect(alone("!has(spec.rules)")).toEqual(authn({ a: 50 }));
    expect(alone("has(spec.rules)")).toEqual({});
  });

  test("it sees the result so far, not only the next policy", () => {
    const both = made(
      auth("gw", "Gateway/g", {
        overrides: merge({
          when: "spec.rules.authentication.a == 1 && spec.rules.authentication.b == 2",
          ...authn({ c: 3 }),
        }),
      }),
      auth("rt", "HTTPRoute/r", { defaults: merge(authn({ a: 1 })) }),
      auth("rule", "HTTPRoute/r#rule", authn({ b: 2 })),
    );
    expect(specOf(both)).toEqual(authn({ a: 1, b: 2, c: 3 }));
  });

  test("it sees its own policy's earlier blocks", () => {
    expect(
      effective(
        auth("gw", "Gateway/g", {
          defaults: authn({ a: 1 }),
          overrides: merge({ when: "spec.rules.authentication.a == 1", ...authn({ b: 2 }) }),
        }),
      ),
    ).toEqual(authn({ a: 1, b: 2 }));
  });

  test("it gates defaults, too", () => {
    const when = "has(spec.rules.authentication.b)";
    expect(specOf(gated(when, authn({ b: 1 }), "defaults"))).toEqual(authn({ a: 50, b: 1 }));
    expect(specOf(gated(when, authn({ c: 1 }), "defaults"))).toEqual(authn({ c: 1 }));
  });

  test.each([
    ["no CEL", "spec.rules >"],
    ["an unknown name", "route.rules == 1"],
    ["an unknown function", "spec.rules.sparkle()"],
    ["a number", "1"],
    ["a sum", "spec.rules.a + 1"],
    ["a text for some values", "has(spec.rules) ? 'yes' : true"],
    ["a list beside a bool", "has(spec.rules) && [1]"],
  ])("a condition that is %s makes the policy Invalid", (_, when) => {
    for (const block of ["overrides", "defaults"] as const) {
      const both = gated(when, authn({ b: 1 }), block);
      expect(both.outcome("gw")).toBe("Invalid");
      expect(both.conditions("gw")).toEqual(["Gateway/g: Accepted=False/Invalid"]);
      expect(both.findingsOn("gw").map(({ code, field }) => [code, field])).toEqual([
        ["InvalidBlock", `spec.${block}.when`],
      ]);
      expect(specOf(both)).toEqual(authn({ b: 1 }));
    }
  });

  test("an error fails closed: an override takes effect, and a finding reports the error", () => {
    const both = gated("spec.rules.authentication.a > 50", authn({ a: "many" }));
    expect(specOf(both)).toEqual(authn({ a: 50 }));
    expect(both.findingsOn("gw")).not.toEqual([]);
    expect(both.outcome("rt")).toBe("Overridden by gw");
  });

  test.each([
    ["a missing key and another error", "spec.rules.nothing > 1 || spec.rules.authentication.a > 50"],
    ["a field of a text, which is no missing key", "spec.rules.authentication.a.b > 50"],
    [
      "more than the bound",
      `${[1, 2, 3, 4, 5, 6].map((n) => `spec.rules.authentication.many.exists(x${n}, `).join("")}false${")".repeat(6)}`,
    ],
    ["something that is not supported", "timestamp(0).getHours('Europe/Berlin') == 7"],
  ])("%s fails closed", (_, when) => {
    const both = gated(when, authn({ a: "many", many: [1, 2, 3, 4, 5, 6, 7, 8] }));
    expect(specOf(both)).toMatchObject(authn({ a: 50 }));
    expect(both.findingsOn("gw")).not.toEqual([]);
  });

  test("an error fails closed: a default does not apply", () => {
    const both = gated("spec.rules.authentication.b > 50", authn({ b: "many" }), "defaults");
    expect(specOf(both)).toEqual(authn({ b: "many" }));
    expect(both.findingsOn("gw")).not.toEqual([]);
  });

  test("a gated block has no units: overridden wherever it acts, a policy is overridden, although its constraint is met elsewhere", () => {
    const limit = (max: number) => authn({ a: max });
    const constraint = merge({ when: "spec.rules.authentication.a > 50", ...limit(50) });
    const routes = [100, 10].flatMap((max, i) => [
      route(`r${i}`, "Gateway/g", { rules: [{ name: "rule" }] }),
      auth(`rt${i}`, `HTTPRoute/r${i}`, limit(max)),
    ]);
    const both = (higher: JsonObject) =>
      cluster(
        [
          gateway("g"),
          ...routes,
          auth("top", "Gateway/g", higher, 1),
          auth("gw", "Gateway/g", { overrides: constraint }, 2),
        ],
        { definitions },
      );
    const overridden = both({ overrides: merge(limit(40)) });
    expect(overridden.outcome("gw")).toBe("Overridden by top");
    expect(overridden.tally("gw")).toEqual({ paths: 2, full: 0, partial: 0, none: 1, met: 1 });
    expect(overridden.conditions("gw")).toEqual(["Gateway/g: Accepted=True/Accepted Enforced=False/Overridden"]);
    expect(both({ overrides: merge(authn({ b: 1 })) }).outcome("gw")).toBe("Enforced");
  });

  test("a gated block is no block: its removals do not act", () => {
    const both = compared(
      { defaults: merge(authn({ a: "G" })) },
      { ...authn({ b: "R" }), overrides: merge({ when: "false", remove: ["a"], ...authn({ c: "R" }) }) },
    );
    expect(specOf(both)).toEqual(authn({ a: "G", b: "R" }));
    expect(outcomes(both)).toEqual({ gw: "Enforced", rt: "Enforced" });
  });

  test("a gated atomic override replaces nothing and keeps the removals", () => {
    const both = made(
      auth("gw", "Gateway/g", { defaults: merge(authn({ a: "G" })) }),
      auth("rt", "HTTPRoute/r", { overrides: { strategy: "atomic", when: "false", ...authn({ c: "R" }) } }),
      auth("rule", "HTTPRoute/r#rule", { ...authn({ b: "S" }), remove: ["a"] }),
    );
    expect(specOf(both)).toEqual(authn({ b: "S" }));
  });
});
