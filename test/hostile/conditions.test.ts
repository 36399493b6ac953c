import { describe, expect, test } from "vitest";
import { createCel } from "../../src/adapters/cel/create-cel.ts";
import { createRegex } from "../../src/adapters/regex/create-regex.ts";
import type { Json, JsonObject } from "../../src/core/model/json.ts";
import { buildSnapshot, effectivePolicies, evaluate, findings, verdicts } from "../../src/index.ts";
import { bakery, definitions, policy, toGateway, toRoute } from "./bakery-cluster.ts";

const numbers = Array.from({ length: 200 }, (_, at) => at);
const spec = { xs: numbers, text: "a".repeat(50_000), n: 1, map: Object.fromEntries(numbers.map((n) => [`k${n}`, n])) };

const loop = (depth: number): string => (depth === 0 ? "false" : `spec.xs.exists(x${depth}, ${loop(depth - 1)})`);

const endless: readonly (readonly [string, string])[] = [
  ["three loops", loop(3)],
  ["six loops", loop(6)],
  ["nested map", "spec.xs.map(a, spec.xs.map(b, spec.xs.map(c, a + b + c))).size() > 0"],
  [
    "growing lists",
    "[1,2,3,4].map(a, spec.xs + spec.xs + spec.xs).map(l, l + l + l + l).map(l, l + l + l + l).exists(l, size(l) == -1)",
  ],
  ["growing text", `${"(".repeat(30)}spec.text${" + spec.text)".repeat(30)} == ''`],
  [
    "doubled text",
    "[spec.text].map(t, t + t + t + t).map(t, t + t + t + t).map(t, t + t + t + t).map(t, t + t + t + t).exists(t, t.contains('b'))",
  ],
  ["deep brackets", `${"(".repeat(10_000)}true${")".repeat(10_000)}`],
  ["deep negation", `${"!".repeat(10_001)}true`],
  ["a long chain", Array(5000).fill("spec.n == 1").join(" && ")],
  ["deep selection", `spec${".a".repeat(10_000)} == 1`],
  ["deep lists", `${"[".repeat(5000)}${"]".repeat(5000)} == []`],
];

describe("a condition that would never end is an error, by its cost", () => {
  const cel = createCel({ matchRegex: createRegex() });
  test.each(endless)("%s", (_, expression) => {
    expect(cel(expression, { spec, self: { spec } })).toMatchObject({ state: "error" });
  });

  test("and costs the next one nothing", () => {
    cel(loop(6), { spec, self: { spec } });
    expect(cel("spec.n == 1", { spec, self: { spec } })).toEqual({ state: "value", holds: true });
  });

  test("the same again gives the same", () => {
    for (const [, expression] of endless) {
      expect(cel(expression, { spec, self: { spec } })).toEqual(cel(expression, { spec, self: { spec } }));
    }
  });
});

const catastrophic: readonly (readonly [pattern: string, text: string])[] = [
  ["^(a+)+$", `${"a".repeat(5000)}!`],
  ["^(a|a)*$", `${"a".repeat(5000)}!`],
  ["^(a|aa)+$", `${"a".repeat(5000)}!`],
  ["(.*)*(.*)*(.*)*x", "a".repeat(5000)],
  ["([a-zA-Z]+)*$", `${"a".repeat(5000)}!`],
  ["(x+x+)+y", "x".repeat(5000)],
  ["^(([a-z])+.)+[A-Z]([a-z])+$", "a".repeat(5000)],
  ["(a{1,100}){1,100}$", "a".repeat(5000)],
  ["((a{0,1000}){0,1000}){0,1000}", "a".repeat(5000)],
  [`${"(".repeat(5000)}a${")*".repeat(5000)}`, "a"],
  [".".repeat(100_000), "a".repeat(5000)],
];

describe("a regular expression that backtracks for ever elsewhere", () => {
  test.each(catastrophic)("%s", (pattern, text) => {
    const outcome = createRegex()(pattern, text);
    expect(["value", "error"]).toContain(outcome.state);
  });

  test.each(catastrophic)("in CEL: %s", (pattern, text) => {
    const cel = createCel({ matchRegex: createRegex() });
    const outcome = cel(`spec.text.matches(r'${pattern}')`, { spec: { text }, self: {} });
    expect(["value", "error"]).toContain(outcome.state);
  });

  test.each(["(?=a)", "\\1", "(", "[", "a**", "(?<!a)b", "\\p{Nope}"])("faulty or unsupported: %s", (pattern) => {
    expect(createRegex()(pattern, "a")).toMatchObject({ state: "error" });
  });
});

describe("in a policy, an error fails closed", () => {
  const big: JsonObject = { big: { xs: numbers } as Json };
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
    evaluate(buildSnapshot(cluster(block).map((value) => ({ value }))), { definitions, cel: createCel() });
  const specs = (evaluation: ReturnType<typeof evaluate>): readonly JsonObject[] =>
    [...effectivePolicies(evaluation)]
      .filter(({ policyKind, path }) => policyKind.kind === "MergePolicy" && path.some(({ name }) => name === "baker"))
      .map(({ spec: effective }) => effective["limits"] as JsonObject);

  test("defaults do not act", () => {
    const evaluation = run("defaults");
    expect(specs(evaluation).length).toBeGreaterThan(0);
    for (const limits of specs(evaluation)) expect(Object.keys(limits)).toEqual(["big"]);
    expect(findings(evaluation).some(({ object }) => object?.endsWith("/hostile"))).toBe(true);
  });

  test("overrides do", () => {
    const evaluation = run("overrides");
    expect(specs(evaluation).length).toBeGreaterThan(0);
    for (const limits of specs(evaluation)) expect(Object.keys(limits).sort()).toEqual(["a", "big"]);
    expect(findings(evaluation).some(({ object }) => object?.endsWith("/hostile"))).toBe(true);
    const verdict = verdicts(evaluation).find(({ policy: id }) => id.endsWith("/hostile"))?.verdict;
    expect(verdict).toMatchObject({ state: "Accepted", enforcement: "Enforced" });
  });
});
