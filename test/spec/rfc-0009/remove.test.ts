/**
 * RFC 9, "Examples F - Policy rule that deactivates default from higher level": `remove`
 * RFC 9, "Merge a defaults block of policy rules into a policy"
 */
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/model/json.ts";
import { check, plan, reach } from "../../../src/index.ts";
import { cluster } from "../../support/cluster/cluster.ts";
import { policy } from "../../support/cluster/gateway-objects.ts";
import { policyKind } from "../../support/cluster/policy-kind.ts";
import { at, auth, authn, compared, effective, made, merge, network, outcomes, specOf } from "./compare-policies.ts";

describe("remove", () => {
  const defaults = { defaults: merge({ rules: { authentication: { a: "G", b: "G" }, authorization: { a: "G" } } }) };

  test("specified by name of the policy rules: in every map of rules", () => {
    expect(specOf(compared(defaults, { ...authn({ c: "R" }), remove: ["a"] }))).toEqual(authn({ b: "G", c: "R" }));
  });

  test("specified by dotted path: that rule only", () => {
    expect(specOf(compared(defaults, { ...authn({ c: "R" }), remove: ["rules.authentication.a"] }))).toEqual({
      rules: { authentication: { b: "G", c: "R" }, authorization: { a: "G" } },
    });
  });

  test("specified by a path above rules: all of them", () => {
    expect(specOf(compared(defaults, { ...authn({ c: "R" }), remove: ["rules.authentication"] }))).toEqual({
      rules: { authentication: { c: "R" }, authorization: { a: "G" } },
    });
  });

  test("a name that is only the beginning of another removes nothing", () => {
    const long = { defaults: merge(authn({ ab: "G" })) };
    expect(
      specOf(compared(long, { ...authn({ c: "R" }), remove: ["a", "rules.authentication.a", "rules.auth"] })),
    ).toEqual(authn({ ab: "G", c: "R" }));
  });

  test("nor does a name that begins another one up to a dot", () => {
    const dotted = { defaults: merge(authn({ a: "G", "a.b": "G" })) };
    for (const entry of ["a", "rules.authentication.a"])
      expect(specOf(compared(dotted, { ...authn({ c: "R" }), remove: [entry] }))).toEqual(
        authn({ "a.b": "G", c: "R" }),
      );
    expect(specOf(compared(dotted, { ...authn({ c: "R" }), remove: ["rules.authentication.a.b"] }))).toEqual(
      authn({ a: "G", c: "R" }),
    );
  });

  test("remove and unset are one", () => {
    for (const word of ["remove", "unset"]) {
      expect(specOf(compared({ defaults: merge(authn({ a: "G" })) }, { ...authn({ b: "R" }), [word]: ["a"] }))).toEqual(
        authn({ b: "R" }),
      );
    }
  });

  test("it may stand in a block, and alone", () => {
    const higher = { defaults: merge(authn({ a: "G", b: "G" })) };
    expect(specOf(compared(higher, { defaults: { ...authn({ c: "R" }), remove: ["a"] } }))).toEqual(
      authn({ b: "G", c: "R" }),
    );
    expect(specOf(compared(higher, { overrides: merge({ ...authn({ c: "R" }), remove: ["a"] }) }))).toEqual(
      authn({ b: "G", c: "R" }),
    );
    const alone = compared(higher, { remove: ["a"] });
    expect(specOf(alone)).toEqual(authn({ b: "G" }));
    expect(alone.outcome("gw")).toBe("PartiallyEnforced by rt");
  });

  test("an atomic default without its removed rules is taken, if nothing else is there", () => {
    expect(specOf(compared({ defaults: authn({ a: "G", b: "G" }) }, { remove: ["a"] }))).toEqual(authn({ b: "G" }));
  });

  test("a removed rule was overridden by its remover", () => {
    const both = compared(defaults, { ...authn({ c: "R" }), remove: ["a"] });
    expect(outcomes(both)).toEqual({ gw: "PartiallyEnforced by rt", rt: "Enforced" });
    expect(both.overridden("gw").by).toEqual(["rt"]);
  });

  test("it does not remove the same policy's defaults", () => {
    const own = { defaults: merge(authn({ a: "R" })), remove: ["a"] };
    expect(effective(auth("rt", "HTTPRoute/r", own))).toEqual(authn({ a: "R" }));
    expect(effective(auth("rt", "HTTPRoute/r", { ...authn({ a: "R" }), remove: ["a"] }))).toEqual(authn({ a: "R" }));
    expect(effective(auth("rt", "HTTPRoute/r", { defaults: merge({ ...authn({ a: "R" }), remove: ["a"] }) }))).toEqual(
      authn({ a: "R" }),
    );
    // Nor on its later blocks.
    const later = { defaults: merge({ ...authn({ b: "R" }), remove: ["a"] }), ...merge(authn({ a: "R" })) };
    expect(effective(auth("rt", "HTTPRoute/r", later))).toEqual(authn({ a: "R", b: "R" }));
  });

  test("removals of several levels add up", () => {
    expect(
      effective(
        auth("rule", "HTTPRoute/r#rule", { ...authn({ own: "S" }), remove: ["a"] }),
        auth("rt", "HTTPRoute/r", { defaults: merge({ ...authn({ rt: "R" }), remove: ["b"] }) }),
        auth("gw", "Gateway/g", { defaults: merge(authn({ a: "G", b: "G", c: "G" })) }),
      ),
    ).toEqual(authn({ own: "S", rt: "R", c: "G" }));
  });

  test("it removes defaults of strictly higher policies only: lower ones stay", () => {
    const both = made(
      auth("rt", "HTTPRoute/r", { ...authn({ b: "R" }), strategy: "merge", remove: ["a"] }),
      auth("rule", "HTTPRoute/r#rule", authn({ a: "S" })),
    );
    expect(specOf(both)).toEqual(authn({ a: "S", b: "R" }));
  });

  test("an override cannot be removed, neither by a rule's name nor by a path above", () => {
    const higher = { overrides: merge(authn({ a: "G" })) };
    for (const entry of ["a", "rules.authentication.a", "rules.authentication", "rules"]) {
      expect(specOf(compared(higher, { ...authn({ b: "R" }), remove: [entry] }))).toEqual(authn({ a: "G", b: "R" }));
      expect(specOf(compared({ overrides: authn({ a: "G" }) }, { ...authn({ b: "R" }), remove: [entry] }))).toEqual(
        authn({ a: "G" }),
      );
    }
  });

  test("it reaches over a level that says nothing of the rule", () => {
    const both = made(
      auth("gw", "Gateway/g", { defaults: merge(authn({ a: "G" })) }),
      auth("rt", "HTTPRoute/r", { defaults: merge(authn({ b: "R" })) }),
      auth("rule", "HTTPRoute/r#rule", { ...authn({ c: "S" }), remove: ["a"] }),
    );
    expect(specOf(both)).toEqual(authn({ b: "R", c: "S" }));
  });

  test("an atomic override discards the removals collected so far", () => {
    const both = made(
      auth("gw", "Gateway/g", { defaults: merge(authn({ a: "G" })) }),
      auth("rt", "HTTPRoute/r", { overrides: authn({ c: "R" }) }),
      auth("rule", "HTTPRoute/r#rule", { ...authn({ b: "S" }), remove: ["a"] }),
    );
    expect(specOf(both)).toEqual(authn({ a: "G", c: "R" }));
  });

  test("an atomic override keeps its own removals", () => {
    const both = made(
      auth("gw", "Gateway/g", { defaults: merge(authn({ a: "G", b: "G" })) }),
      auth("rt", "HTTPRoute/r", { overrides: { ...authn({ c: "R" }), remove: ["a"] } }),
      auth("rule", "HTTPRoute/r#rule", { ...authn({ d: "S" }), remove: ["b"] }),
    );
    expect(specOf(both)).toEqual(authn({ b: "G", c: "R" }));
  });

  test("a merged override keeps the removals", () => {
    const both = made(
      auth("gw", "Gateway/g", { defaults: merge(authn({ a: "G" })) }),
      auth("rt", "HTTPRoute/r", { overrides: merge(authn({ c: "R" })) }),
      auth("rule", "HTTPRoute/r#rule", { ...authn({ b: "S" }), remove: ["a"] }),
    );
    expect(specOf(both)).toEqual(authn({ b: "S", c: "R" }));
  });
});

describe("An entry of `remove` is a setting of its policy", () => {
  const gw = { defaults: merge(authn({ a: "G", b: "G" })) };
  const removals = (both: ReturnType<typeof compared>) =>
    (both.effectiveAt(at, { kind: "AuthPolicy" }).removals ?? []).map(
      ({ policy, entry, state, removes, by }) =>
        `${policy.split("/").at(-1)} ${entry} ${state}: ${removes.join(" ")}${by.map((one) => `by ${one.split("/").at(-1)}`).join(" ")}`,
    );

  test("it takes effect where a default would be in the result without it: the target is affected", () => {
    const both = compared(gw, { remove: ["a", "b"] });
    expect(specOf(both)).toEqual({});
    expect(removals(both)).toEqual([
      "rt a inEffect: /rules/authentication/a",
      "rt b inEffect: /rules/authentication/b",
    ]);
    expect(outcomes(both)).toEqual({ gw: "Overridden by rt", rt: "Enforced" });
    expect(both.affectedBy("HTTPRoute/r")).toEqual(["rt"]);
    const [path] = reach(both.evaluation, "authpolicy/rt")?.paths ?? [];
    expect(path?.effect).toBe("full");
  });

  test("a policy whose values are overridden and whose `remove` acts is partially enforced", () => {
    const both = made(
      auth("gw", "Gateway/g", { ...gw, overrides: merge(authn({ c: "G" })) }),
      auth("rt", "HTTPRoute/r", { ...authn({ c: "R" }), remove: ["a"] }),
    );
    expect(specOf(both)).toEqual(authn({ b: "G", c: "G" }));
    expect(both.outcome("rt")).toBe("PartiallyEnforced by gw");
    expect(both.affectedBy("HTTPRoute/r")).toEqual(["gw", "rt"]);
  });

  test("it is overridden where an override sets what it names", () => {
    const both = compared({ overrides: merge(authn({ a: "G" })) }, { remove: ["a"] });
    expect(removals(both)).toEqual(["rt a overridden: by gw"]);
    expect(outcomes(both)).toEqual({ gw: "Enforced", rt: "Overridden by gw" });
    expect(both.affectedBy("HTTPRoute/r")).toEqual(["gw"]);
  });

  test("it is overridden where an override sets what it has removed", () => {
    const both = made(
      auth("gw", "Gateway/g", { overrides: merge(authn({ a: "O" })) }),
      auth("listener", "Gateway/g#http", { defaults: merge(authn({ a: "G" })) }),
      auth("rt", "HTTPRoute/r", { remove: ["rules.authentication"] }),
    );
    expect(specOf(both)).toEqual(authn({ a: "O" }));
    expect(both.outcome("rt")).toBe("Overridden by gw");
  });

  test("it is overridden where an override sets again, field by field, what it has removed", () => {
    const fields = policyKind("FieldPolicy", {
      targets: ["Gateway/Listener", "HTTPRoute"],
      ends: ["HTTPRoute"],
      merge: { granularity: { default: "Field", field: "strategy", values: {} } },
    });
    const on = (name: string, target: string, spec: JsonObject) => policy("FieldPolicy", name, target, spec);
    const both = cluster(
      [
        ...network,
        on("gw", "Gateway/g", { overrides: { a: { b: "O" } } }),
        on("listener", "Gateway/g#http", { defaults: { a: { b: "G" } } }),
        on("rt", "HTTPRoute/r", { remove: ["a"] }),
      ],
      { definitions: [fields] },
    );
    expect(both.spec("HTTPRoute/r")).toEqual({ a: { b: "O" } });
    expect(both.outcome("rt")).toBe("Overridden by gw");
  });

  test("it is overridden where an atomic override discards it", () => {
    const both = made(
      auth("gw", "Gateway/g", { defaults: merge(authn({ a: "G" })) }),
      auth("rt", "HTTPRoute/r", { overrides: authn({ c: "R" }) }),
      auth("rule", "HTTPRoute/r#rule", { remove: ["a"] }),
    );
    expect(specOf(both)).toEqual(authn({ a: "G", c: "R" }));
    expect(both.outcome("rule")).toBe("Overridden by rt");
  });

  for (const [what, higher, lower] of [
    ["no higher policy sets it", { defaults: merge(authn({ b: "G" })) }, { remove: ["a"] }],
    ["the policy itself sets it", gw, { ...authn({ a: "R", b: "R" }), remove: ["a"] }],
    ["an atomic default is not taken anyway", { defaults: authn({ a: "G" }) }, { ...authn({ c: "R" }), remove: ["a"] }],
  ] as const) {
    test(`else there is nothing to remove: ${what}`, () => {
      const both = compared(higher, lower);
      expect(removals(both)).toEqual(["rt a neutral: "]);
      expect(both.outcome("rt")).toBe("Enforced");
    });
  }

  test("with nothing to remove, and nothing set, the policy is Enforced, and affects nothing", () => {
    const both = compared({ defaults: merge(authn({ b: "G" })) }, { remove: ["a"] });
    expect(outcomes(both)).toEqual({ gw: "Enforced", rt: "Enforced" });
    expect(both.affectedBy("HTTPRoute/r")).toEqual(["gw"]);
    expect(both.messages("rt", "Enforced")).toEqual([
      expect.stringContaining("nothing to set or to remove on its only path"),
    ]);
    expect(check(both.evaluation).map(({ code }) => code)).toContain("RemovesNothing");
  });

  test("in a block whose condition is false it is no setting", () => {
    const both = compared(gw, { overrides: merge({ when: "has(spec.nothing)", remove: ["a"] }) });
    expect(removals(both)).toEqual(["rt a gated: "]);
    expect(specOf(both)).toEqual(authn({ a: "G", b: "G" }));
    expect(both.outcome("rt")).toBe("Enforced");
  });

  test("two policies that remove the same both do", () => {
    const both = made(
      auth("gw", "Gateway/g", gw),
      auth("rt", "HTTPRoute/r", { remove: ["a"] }),
      auth("rule", "HTTPRoute/r#rule", { remove: ["a"] }),
    );
    expect(specOf(both)).toEqual(authn({ b: "G" }));
    expect(both.affectedBy("HTTPRoute/r#rule")).toEqual(["gw", "rt", "rule"]);
  });

  test("plan says that a removal begins to take effect", () => {
    const higher = auth("gw", "Gateway/g", gw);
    const found = plan(made(higher).evaluation, [{ upsert: auth("rt", "HTTPRoute/r", { remove: ["a"] }) }]);
    const changed = found.policies.find(({ policy }) => policy.endsWith("/rt"));
    expect(changed?.nowInEffect).toEqual([{ remove: "a", paths: 1 }]);
  });
});
