import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { MatchRegex } from "../regex.ts";
import { compileRule, newRuleFrame } from "./compile-rule.ts";
import { createCel } from "./create-cel.ts";

interface Case {
  readonly name: string;
  readonly expression: string;
  readonly outcome: boolean | "error";
}

/**
 * The conformance tests of https://github.com/google/cel-spec (Apache-2.0), taken from @bufbuild/cel-spec 0.6.1: those
 * of the core language that need no protocol buffers and no variables. A test whose value is not a bool is stated here
 * as a comparison with that value.
 */
const cases = JSON.parse(readFileSync(new URL("testdata/cel-spec.json", import.meta.url), "utf8")) as readonly Case[];

/** Names of cases, or the beginnings of names, that we do not meet. */
const excluded: readonly (readonly [name: string, reason: string])[] = [
  [
    "basic/variables/unbound_is_runtime_error",
    "an unknown name is an error of the expression, even where it is not read",
  ],
  ["basic/functions/unbound_is_runtime_error", "so is an unknown function"],
  ["parse/receiver_function_names/", "so is an unknown function"],
  ["timestamps/timestamp_selectors_tz/getDate", "a time zone by name depends on the machine"],
  ["timestamps/timestamp_selectors_tz/getDayOfMonth_name_pos", "a time zone by name depends on the machine"],
  ["timestamps/timestamp_selectors_tz/getDayOfMonth_name_neg", "a time zone by name depends on the machine"],
  ["timestamps/timestamp_selectors_tz/getDayOfYear", "a time zone by name depends on the machine"],
  ["timestamps/timestamp_selectors_tz/getMinutes", "a time zone by name depends on the machine"],
];

/** Stands in for the regular expression adapter; the patterns of the tests are harmless. */
const matchRegex: MatchRegex = (pattern, text) => {
  try {
    return { state: "value", matches: new RegExp(pattern, "u").test(text) };
  } catch {
    return { state: "error", message: `faulty pattern ${pattern}` };
  }
};

const evaluate = createCel({ matchRegex });
const outcomeOf = ({ expression }: Case): boolean | "error" => {
  const outcome = evaluate(expression, { spec: {}, self: {} });
  return outcome.state === "value" ? outcome.value : "error";
};
/** A rule that is not evaluated counts as an error: that a pattern or a number is invalid is found when it is compiled. */
const ruleOutcomeOf = ({ expression }: Case): boolean | "error" => {
  const outcome = compileRule(expression, {})(newRuleFrame(1_000_000, matchRegex), {});
  return outcome.state === "value" && typeof outcome.value === "boolean" ? outcome.value : "error";
};
const sections = [...new Set(cases.map(({ name }) => name.slice(0, name.lastIndexOf("/"))))];
const isExcluded = (name: string): boolean =>
  excluded.some(([start]) => (start.endsWith("/") ? name.startsWith(start) : name === start));

describe("cel-spec", () => {
  test.each(sections)("%s", (section) => {
    const rest = cases.filter(({ name }) => name.startsWith(`${section}/`) && !isExcluded(name));
    expect(rest.map((row) => [row.name, row.expression, outcomeOf(row), ruleOutcomeOf(row)])).toEqual(
      rest.map(({ name, expression, outcome }) => [name, expression, outcome, outcome]),
    );
  });

  test.each(excluded)("%s: excluded, as %s", (start) => {
    const rows = cases.filter(({ name }) => (start.endsWith("/") ? name.startsWith(start) : name === start));
    expect(rows).not.toEqual([]);
    expect(rows.filter((row) => outcomeOf(row) === row.outcome)).toEqual([]);
  });
});
