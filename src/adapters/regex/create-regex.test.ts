import { describe, expect, test } from "vitest";
import { createRegex } from "./create-regex.ts";

const anywhere = createRegex();
const whole = createRegex({ match: "Whole" });

describe("RE2 syntax", () => {
  test.each([
    ["", "abc", true],
    ["b", "abc", true],
    ["^b", "abc", false],
    ["^a.c$", "abc", true],
    ["(?i)ABC", "xabcx", true],
    ["(?s)a.c", "a\nc", true],
    ["a.c", "a\nc", false],
    ["(?m)^b$", "a\nb\nc", true],
    ["\\bfoo\\b", "a foo b", true],
    ["^\\d{3}-\\d{4}$", "555-1234", true],
    ["^[[:alpha:]]+$", "abc", true],
    ["^\\p{Greek}+$", "αβγ", true],
    ["^.$", "😀", true],
    ["(?P<name>a)(?<other>b)", "ab", true],
    ["\\Qa.b\\E", "a.b", true],
    ["\\Qa.b\\E", "axb", false],
    ["^(a|b)*c$", "ababc", true],
  ])("%s on %j: %s", (pattern, text, matches) => {
    expect(anywhere(pattern, text)).toEqual({ state: "value", matches });
  });

  test.each([
    ["/api/v[0-9]+", "/api/v2", true],
    ["/api/v[0-9]+", "/api/v2/users", false],
    ["a|ab", "ab", true],
    ["", "", true],
    ["", "a", false],
  ])("the whole text: %s on %j: %s", (pattern, text, matches) => {
    expect(whole(pattern, text)).toEqual({ state: "value", matches });
  });
});

describe("patterns that are not accepted", () => {
  test.each([
    ["a group left open", "(a", "missing closing )"],
    ["a lookahead", "a(?=b)", "invalid"],
    ["a backreference", "(a)\\1", "invalid escape"],
    ["a class left open", "[a", "missing closing ]"],
    ["too long", "a".repeat(1001), "at most 1000 are allowed"],
    ["too many repetitions", "a{1001}", "error parsing regexp"],
    ["repetitions in repetitions", "((a{100}){100}){100}", "repeats too much"],
    ["a long group repeated", `(${"x".repeat(900)}){1000}`, "repeats too much"],
    ["many large repetitions", "a{1000}".repeat(100), "repeats too much"],
    ["repetitions behind literal text", `\\Q[\\E${"(ab){900}".repeat(9)}`, "repeats too much"],
    ["repetitions behind a class", `[]]${"(ab){900}".repeat(9)}`, "repeats too much"],
    ["large classes without case", `(?i)${"[a-\\x{1e000}]".repeat(50)}`, "repeats too much"],
  ])("%s", (_name, pattern, part) => {
    const started = performance.now();
    expect(anywhere(pattern, "a")).toEqual({ state: "error", message: expect.stringContaining(part) });
    expect(performance.now() - started).toBeLessThan(500);
  });
});

describe("patterns that keep a backtracking engine busy for ever", () => {
  test.each([
    ["(x+x+)+y", "x".repeat(20_000), false],
    ["^(a+)+$", `${"a".repeat(20_000)}b`, false],
    ["^(a|a)*$", `${"a".repeat(20_000)}b`, false],
    ["^(a?){30}a{30}$", "a".repeat(30), true],
    ["(.*)(.*)(.*)(.*)(.*)[^a]$", "a".repeat(20_000), false],
  ])("%s", (pattern, text, matches) => {
    const started = performance.now();
    expect(anywhere(pattern, text)).toEqual({ state: "value", matches });
    expect(performance.now() - started).toBeLessThan(1500);
  });

  test("and a text too long for the size of its pattern is turned down", () => {
    const pattern = "(a|b)*a(a|b){500}[cd]";
    expect(anywhere(pattern, "ab".repeat(200))).toEqual({ state: "value", matches: false });
    expect(anywhere(pattern, "ab".repeat(2000))).toMatchObject({ state: "error" });
  });
});

describe("the cache", () => {
  test("more patterns than it keeps, each asked twice, agree", () => {
    const patterns = Array.from({ length: 100 }, (_, at) => `^a{${at % 20}}b?$`);
    const ask = (): unknown[] => patterns.map((pattern, at) => anywhere(pattern, "a".repeat(at % 7)));
    expect(ask()).toEqual(ask());
  });

  test("emptied states do not change the result", () => {
    const pattern = "(a|b)*a(a|b){12}[cd]";
    const results = Array.from({ length: 60 }, (_, at) => anywhere(pattern, "abbab".repeat(50) + "b".repeat(at)));
    expect(new Set(results.map((result) => JSON.stringify(result)))).toEqual(
      new Set(['{"state":"value","matches":false}']),
    );
    expect(anywhere(pattern, `${"abbab".repeat(50)}a${"b".repeat(12)}c`)).toEqual({ state: "value", matches: true });
  });
});
