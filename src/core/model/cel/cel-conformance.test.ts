import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { MatchRegex } from "../regex.ts";
import { compileRule, type RuleOutcome } from "./compile-rule.ts";

interface Case {
  readonly name: string;
  readonly expression: string;
  readonly outcome: boolean | "error";
}

/** The cases of cel-spec that the adapter for conditions runs, too. */
const file = new URL("../../../adapters/cel/testdata/cel-spec.json", import.meta.url);
const cases = JSON.parse(readFileSync(file, "utf8")) as readonly Case[];

const matchRegex: MatchRegex = (pattern, text) => {
  try {
    return { state: "value", matches: new RegExp(pattern, "u").test(text) };
  } catch {
    return { state: "error", message: "invalid pattern" };
  }
};
const run = ({ expression }: Case): RuleOutcome =>
  compileRule(expression, {})({ self: {} }, { left: 1_000_000 }, matchRegex);
const outcomes = cases.map((row) => [row, run(row)] as const);

test("no case of cel-spec has a wrong outcome", () => {
  const wrong = outcomes.filter(([{ outcome: expected }, outcome]) => {
    if (outcome.state === "unknown") return false;
    return (outcome.state === "value" && typeof outcome.value === "boolean" ? outcome.value : "error") !== expected;
  });
  expect(wrong.map(([{ name, expression }, outcome]) => [name, expression, outcome])).toEqual([]);
});

test("cases that cannot be evaluated: unsigned integers, bytes, other keys than strings, large integers, unknown names", () => {
  const reasons = outcomes.flatMap(([, outcome]) => (outcome.state === "unknown" ? [outcome.message] : []));
  const known =
    /unsigned integers|bytes|keys that are not strings|is too large|unknown (?:name|function)|time zones by name|messages/;
  expect(reasons.filter((reason) => !known.test(reason))).toEqual([]);
  expect(reasons.length).toBeLessThan(cases.length / 3);
});
