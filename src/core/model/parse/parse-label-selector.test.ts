import { describe, expect, test } from "vitest";
import { matchesSelector } from "../../topology/matches-selector.ts";
import { parseLabelSelector } from "./parse-label-selector.ts";

const labels = { team: "bread", tier: "prod", "app.kubernetes.io/name": "oven", empty: "" };

describe("a selector selects as kubectl does", () => {
  for (const [text, expected] of [
    ["team=bread", true],
    ["team==bread", true],
    ["team=cake", false],
    ["team!=cake", true],
    ["missing!=cake", true],
    ["team!=bread", false],
    ["team", true],
    ["!team", false],
    ["!missing", true],
    ["missing", false],
    ["tier in (prod, stage)", true],
    ["tier in(prod,stage)", true],
    ["tier notin (prod)", false],
    ["missing notin (prod)", true],
    ["app.kubernetes.io/name=oven,tier in (a,prod),!missing", true],
    ["team=bread,tier=test", false],
    ["empty=", true],
  ] as const) {
    test(text, () => {
      const parsed = parseLabelSelector(text);
      expect(parsed.ok && matchesSelector(parsed.selector, labels)).toBe(expected);
    });
  }

  for (const text of ["", "team=a b", "=x", "a,,b", "a in ()b", "a in (b"]) {
    test(`'${text}' is no selector`, () => expect(parseLabelSelector(text)).toMatchObject({ ok: false }));
  }
});
