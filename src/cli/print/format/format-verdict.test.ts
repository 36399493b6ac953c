import { expect, test } from "vitest";
import type { Enforcement, Tally, Verdict } from "../../../core/effective/verdicts/verdict.ts";
import { formatExtent } from "./format-verdict.ts";

const verdict = (enforcement: Enforcement, counts: Partial<Tally>): Verdict => ({
  state: "Accepted",
  enforcement,
  total: {
    paths: 0,
    incomplete: 0,
    full: 0,
    partial: 0,
    none: 0,
    met: 0,
    idle: 0,
    overriddenBy: [],
    overriddenByTotal: 0,
    overriddenAt: [],
    overriddenAtTotal: 0,
    ...counts,
  },
  ancestors: [],
});

for (const [shown, enforcement, counts] of [
  ["its only path", "Enforced", { paths: 1, full: 1 }],
  ["all 8 paths", "Enforced", { paths: 8, full: 8 }],
  ["all 8 paths, partly", "PartiallyEnforced", { paths: 8, partial: 8 }],
  ["2 of 8 paths, 6 partly", "PartiallyEnforced", { paths: 8, full: 2, partial: 6 }],
  ["6 of 8 paths, partly", "PartiallyEnforced", { paths: 8, partial: 6, none: 2 }],
  ["none of 8", "Overridden", { paths: 8, none: 8 }],
  ["constraint met", "Enforced", { paths: 8, met: 8 }],
  ["6 of 8 paths, constraint met on 2", "Enforced", { paths: 8, full: 6, met: 2 }],
  ["none of 8, constraint met on 2", "Overridden", { paths: 8, none: 6, met: 2 }],
  ["nowhere", "NoPath", {}],
  ["not known on 3 paths", "Incomplete", { paths: 3, incomplete: 3 }],
  ["all 2 paths, not known on 1", "Enforced", { paths: 3, incomplete: 1, full: 2 }],
] as const) {
  test(`extent: ${shown}`, () => {
    expect(formatExtent(verdict(enforcement, counts))).toBe(shown);
  });
}
