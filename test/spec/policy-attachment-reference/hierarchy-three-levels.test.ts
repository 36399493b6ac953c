/**
 * Policy attachment reference, "Hierarchy": three levels on one path
 * The direction of the fold matters for G > R > S. We fold bottom-up, f_G(G, f_R(R, S)): the only way that keeps
 * "A override > B override > C override > C default > B default > A default".
 */
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/model/json.ts";
import { cluster } from "../../support/cluster/cluster.ts";
import { gateway, policy, routeTo, service } from "../../support/cluster/gateway-objects.ts";
import { policyKind } from "../../support/cluster/policy-kind.ts";

type Strategy = "AD" | "AO" | "MD" | "MO";
type Rules = Readonly<Record<string, string>>;

const words = {
  AD: { block: "defaults", strategy: "atomic" },
  AO: { block: "overrides", strategy: "atomic" },
  MD: { block: "defaults", strategy: "merge" },
  MO: { block: "overrides", strategy: "merge" },
} as const;

const definition = policyKind("RulesPolicy", {
  targets: ["Gateway", "HTTPRoute", "Service"],
  ends: ["Service"],
  merge: {
    granularity: { default: "Atomic", field: "strategy", values: { atomic: "Atomic", merge: "Merge" } },
    rules: ["rules"],
  },
});

function effective(levels: Readonly<Record<"g" | "r" | "s", JsonObject>>) {
  return cluster(
    [
      gateway("g"),
      routeTo("r", "Gateway/g", "s"),
      service("s"),
      policy("RulesPolicy", "on-g", "Gateway/g", levels.g),
      policy("RulesPolicy", "on-r", "HTTPRoute/r", levels.r),
      policy("RulesPolicy", "on-s", "Service/s", levels.s),
    ],
    { definitions: [definition] },
  );
}
const block = (strategy: Strategy, rules: Rules): JsonObject => ({
  [words[strategy].block]: { strategy: words[strategy].strategy, rules },
});

/** RFC 9's matrix on two sets of rules, neither empty. */
function merged(strategy: Strategy, higher: Rules, lower: Rules): Rules {
  switch (strategy) {
    case "AD":
      return lower;
    case "AO":
      return higher;
    case "MD":
      return { ...higher, ...lower };
    case "MO":
      return { ...lower, ...higher };
  }
}

interface Level {
  readonly strategy: Strategy;
  readonly rules: Rules;
}
const bottomUp = (g: Level, r: Level, s: Rules) => merged(g.strategy, g.rules, merged(r.strategy, r.rules, s));
/** The other fold: what G and R come to carries the lower one's strategy on. */
const topDown = (g: Level, r: Level, s: Rules) => merged(r.strategy, merged(g.strategy, g.rules, r.rules), s);

describe("three levels, where the direction of the fold matters", () => {
  for (const { g, r, s, expected, other, sources } of [
    {
      g: { strategy: "AO", rules: { a: "G" } },
      r: { strategy: "AD", rules: { a: "R" } },
      s: { a: "S" },
      expected: { a: "G" },
      other: { a: "S" },
      sources: { "/rules/a": "on-g overrides" },
    },
    {
      g: { strategy: "AO", rules: { a: "G" } },
      r: { strategy: "MO", rules: { a: "R" } },
      s: { b: "S" },
      expected: { a: "G" },
      other: { a: "G", b: "S" },
      sources: { "/rules/a": "on-g overrides", "/rules/b": "nobody" },
    },
    {
      g: { strategy: "MD", rules: { a: "G" } },
      r: { strategy: "AD", rules: { a: "R" } },
      s: { b: "S" },
      expected: { a: "G", b: "S" },
      other: { b: "S" },
      sources: { "/rules/a": "on-g defaults", "/rules/b": "on-s bare" },
    },
    {
      g: { strategy: "MD", rules: { a: "G" } },
      r: { strategy: "MO", rules: { b: "R" } },
      s: { a: "S" },
      expected: { a: "S", b: "R" },
      other: { a: "G", b: "R" },
      sources: { "/rules/a": "on-s bare", "/rules/b": "on-r overrides" },
    },
    {
      g: { strategy: "MO", rules: { a: "G" } },
      r: { strategy: "AD", rules: { a: "R" } },
      s: { a: "S" },
      expected: { a: "G" },
      other: { a: "S" },
      sources: { "/rules/a": "on-g overrides" },
    },
  ] as const) {
    const name = `G ${g.strategy} ${JSON.stringify(g.rules)}, R ${r.strategy} ${JSON.stringify(r.rules)}, S ${JSON.stringify(s)}`;
    const made = () => effective({ g: block(g.strategy, g.rules), r: block(r.strategy, r.rules), s: { rules: s } });
    const at = "Gateway/g > HTTPRoute/r > Service/s";

    test(`${name}: bottom-up`, () => {
      expect(bottomUp(g, r, s)).toEqual(expected);
      expect(made().spec(at)).toEqual({ rules: expected });
      expect(
        Object.fromEntries(Object.entries(made().sources(at)).map(([pointer, { held }]) => [pointer, held])),
      ).toEqual(sources);
    });

    test(`${name}: the top-down fold would differ`, () => {
      expect(topDown(g, r, s)).toEqual(other);
      expect(made().spec(at)).not.toEqual({ rules: other });
    });
  }

  test("reasons: a middle default does not replace the admin's override", () => {
    const made = effective({ g: block("AO", { a: "G" }), r: block("AD", { a: "R" }), s: { rules: { a: "S" } } });
    expect(made.source("Service/s", "/rules/a")).toEqual({
      held: "on-g overrides",
      by: "on-g overrides AtomicOverrides",
      lost: ['on-r defaults "R" replaced by on-s', 'on-s bare "S" overridden by on-g'],
    });
    expect(["on-g", "on-r", "on-s"].map((name) => made.outcome(name))).toEqual([
      "Enforced",
      "Overridden by on-s",
      "Overridden by on-g",
    ]);
  });
});

describe("every combination of strategies and rules on three levels", () => {
  const strategies: readonly Strategy[] = ["AD", "AO", "MD", "MO"];
  const choices: readonly (readonly string[])[] = [["a"], ["b"], ["a", "b"]];
  const rules = (names: readonly string[], value: string): Rules =>
    Object.fromEntries(names.map((name) => [name, value]));

  for (const gs of strategies) {
    for (const rs of strategies) {
      test(`G ${gs}, R ${rs}`, () => {
        for (const g of choices) {
          for (const r of choices) {
            for (const s of choices) {
              const made = effective({
                g: block(gs, rules(g, "G")),
                r: block(rs, rules(r, "R")),
                s: { rules: rules(s, "S") },
              });
              const wanted = bottomUp(
                { strategy: gs, rules: rules(g, "G") },
                { strategy: rs, rules: rules(r, "R") },
                rules(s, "S"),
              );
              expect(made.spec("Service/s"), JSON.stringify({ g, r, s })).toEqual({ rules: wanted });
            }
          }
        }
      });
    }
  }
});
