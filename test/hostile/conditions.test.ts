import { describe, expect, test } from "vitest";
import { createRegex } from "../../src/adapters/regex/create-regex.ts";
import { createCel } from "../../src/core/model/cel/create-cel.ts";
import type { JsonObject } from "../../src/core/model/json.ts";
import { buildSnapshot, effectivePolicies, evaluate, findings, verdicts } from "../../src/index.ts";
import { bakery, definitions, policy, toGateway, toRoute } from "./bakery-cluster.ts";

const numbers = Array.from({ length: 200 }, (_, at) => at);
const spec = { xs: numbers, text: "a".repeat(50_000), n: 1, map: Object.fromEntries(numbers.map((n) => [`k${n}`, n])) };

const loop = (depth: number): string => (depth === 0 ? "false" : `spec.xs.exists(x${depth}, ${loop(depth - 1)})`);

const endless: readonly (readonly [name: string, expression: string, message: RegExp])[] = [
  ["three loops", loop(3), /cost/],
  ["six loops", loop(6), /cost/],
  ["nested map", "spec.xs.map(a, spec.xs.map(b, spec.xs.map(c, a + b + c))).size() > 0", /cost/],
  ["growing lists", `[spec.xs]${".map(l, l + l + l + l)".repeat(12)}.exists(l, size(l) == -1)`, /cost/],
  ["growing text", `${"(".repeat(30)}spec.text${" + spec.text)".repeat(30)} == ''`, /cost/],
  ["doubled text", `[spec.text]${".map(t, t + t + t + t)".repeat(8)}.exists(t, t.contains('b'))`, /cost/],
  ["deep brackets", `${"(".repeat(10_000)}true${")".repeat(10_000)}`, /long|deep/],
  ["brackets that are short and deep", `${"(".repeat(1000)}true${")".repeat(1000)}`, /long|deep/],
  ["deep negation", `${"!".repeat(10_001)}true`, /long|deep/],
  ["a long chain", Array(5000).fill("spec.n == 1").join(" && "), /long|deep/],
  ["deep selection", `spec${".a".repeat(10_000)} == 1`, /long|deep/],
  ["deep lists", `${"[".repeat(5000)}${"]".repeat(5000)} == []`, /long|deep/],
  ["ten megabytes", `spec.text == '${"x".repeat(10 * 1024 * 1024)}'`, /long|deep/],
];

describe("a condition that exceeds the cost limit is an error", () => {
  const cel = createCel({ matchRegex: createRegex() });
  test.each(endless)("%s", (_, expression, message) => {
    const outcome = cel(expression, { spec, self: { spec } });
    expect(outcome).toMatchObject({ state: "error", message: expect.stringMatching(message) });
    // The limit does not depend on time: a second evaluation gives the same result.
    expect(cel(expression, { spec, self: { spec } })).toEqual(outcome);
  });

  test("and the next condition has the whole cost limit", () => {
    cel(loop(6), { spec, self: { spec } });
    expect(cel("spec.n == 1", { spec, self: { spec } })).toEqual({ state: "value", value: true });
  });
});

const catastrophic: readonly (readonly [name: string, pattern: string, text: string, outcome: "no match" | RegExp])[] =
  [
    ["plus in plus", "^(a+)+$", `${"a".repeat(5000)}!`, "no match"],
    ["two equal branches", "^(a|a)*$", `${"a".repeat(5000)}!`, "no match"],
    ["branches that overlap", "^(a|aa)+$", `${"a".repeat(5000)}!`, "no match"],
    ["stars in a row", "(.*)*(.*)*(.*)*x", "a".repeat(5000), "no match"],
    ["a class in a star", "^([a-zA-Z]+)*$", `${"a".repeat(5000)}!`, "no match"],
    ["two plusses in a plus", "(x+x+)+y", "x".repeat(5000), "no match"],
    ["an e-mail address", "^(([a-z])+.)+[A-Z]([a-z])+$", "a".repeat(5000), "no match"],
    ["counted twice", "^(a{1,5}){1,5}b$", "a".repeat(30), "no match"],
    ["counted beyond measure", "((a{0,1000}){0,1000}){0,1000}", "a", /repeats too much/],
    ["nested beyond measure", `${"(".repeat(300)}a${")*".repeat(300)}b`, "a", "no match"],
    ["a pattern without end", ".".repeat(100_000), "a", /100000 characters long; at most/],
    ["a text without end", "(a|b|c|d|e)*f", "a".repeat(10 * 1024 * 1024), /10485760 characters is too long/],
    ["lookahead", "(?=a)", "a", /unsupported/],
    ["lookbehind", "(?<!a)b", "a", /invalid/],
    ["a backreference", "(a)\\1", "aa", /invalid escape/],
    ["not closed", "(", "a", /missing closing/],
    ["a class not closed", "[", "a", /missing closing/],
    ["an unknown class", "\\p{Nope}", "a", /invalid character class/],
  ];

describe("a regular expression that takes exponential time in backtracking engines ends", () => {
  test.each(catastrophic)("%s", (_, pattern, text, expected) => {
    const outcome = createRegex()(pattern, text);
    if (expected === "no match") expect(outcome).toEqual({ state: "value", matches: false });
    else expect(outcome).toMatchObject({ state: "error", message: expect.stringMatching(expected) });
  });

  test.each(catastrophic)("as a condition: %s", (_, pattern, text, expected) => {
    const cel = createCel({ matchRegex: createRegex() });
    const outcome = cel(`spec.text.matches(spec.pattern)`, { spec: { text, pattern }, self: {} });
    if (expected === "no match") expect(outcome).toEqual({ state: "value", value: false });
    else expect(outcome).toMatchObject({ state: "error" });
  });
});

describe("`when` fails closed", () => {
  const big: JsonObject = { big: { xs: numbers } };
  const hostile = `spec.limits.big.xs.exists(a, spec.limits.big.xs.exists(b, spec.limits.big.xs.exists(c, spec.limits.big.xs.exists(d, false))))`;
  const cluster = (block: "defaults" | "overrides"): readonly JsonObject[] => [
    ...bakery.filter(({ kind }) => kind !== "MergePolicy"),
    policy("MergePolicy", "below", { targetRef: toRoute, limits: big }),
    policy("MergePolicy", "hostile", {
      targetRef: toGateway,
      [block]: { strategy: "merge", when: hostile, limits: { a: 1 } },
    }),
  ];
  const run = (block: "defaults" | "overrides"): ReturnType<typeof evaluate> =>
    evaluate(buildSnapshot(cluster(block)), {
      definitions,
      cel: createCel({ matchRegex: createRegex() }),
    });
  const specs = (evaluation: ReturnType<typeof evaluate>): readonly JsonObject[] =>
    [...effectivePolicies(evaluation)]
      .filter(({ policyKind, path }) => policyKind.kind === "MergePolicy" && path.some(({ name }) => name === "baker"))
      .map(({ spec: effective }) => effective["limits"] as JsonObject);

  const problemsOf = (evaluation: ReturnType<typeof evaluate>): readonly string[] =>
    findings(evaluation)
      .filter(({ object }) => object?.endsWith("/hostile"))
      .map(({ code }) => code);

  test("defaults do not take effect after an error", () => {
    const evaluation = run("defaults");
    expect(specs(evaluation).length).toBeGreaterThan(0);
    for (const limits of specs(evaluation)) expect(Object.keys(limits)).toEqual(["big"]);
    expect(problemsOf(evaluation)).toEqual(["ConditionError"]);
  });

  test("overrides take effect after an error", () => {
    const evaluation = run("overrides");
    expect(specs(evaluation).length).toBeGreaterThan(0);
    for (const limits of specs(evaluation)) expect(Object.keys(limits).sort()).toEqual(["a", "big"]);
    expect(problemsOf(evaluation)).toEqual(["ConditionError"]);
    const verdict = [...verdicts(evaluation)].find(({ policy: id }) => id.endsWith("/hostile"))?.verdict;
    expect(verdict).toMatchObject({ state: "Accepted", enforcement: "Enforced" });
  });
});
