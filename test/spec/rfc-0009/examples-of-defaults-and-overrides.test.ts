/** RFC 9, "Examples of D/O cases": defaults and overrides */
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/model/json.ts";
import { ab, authn, compared, merge, outcomes, sourcesOf, specOf } from "./compare-policies.ts";

/** The worked examples: the policies, the effective policy, the source of each value, and the outcome of each policy. */
const examples: readonly {
  readonly id: string;
  readonly title: string;
  readonly kind?: string;
  readonly higher: JsonObject;
  readonly lower: JsonObject;
  readonly effective: JsonObject;
  readonly sources: Readonly<Record<string, JsonObject>>;
  readonly gw: string;
  readonly rt: string;
}[] = [
  {
    id: "A1",
    title: "a default policy that is replaced entirely if another one is set at a lower level",
    higher: { defaults: { strategy: "atomic", ...ab } },
    lower: authn({ c: "R" }),
    effective: authn({ c: "R" }),
    sources: {
      "/rules/authentication/a": {
        held: "nobody",
        by: "gw defaults AtomicDefaults",
        lost: ['gw defaults "G" replaced by rt'],
      },
      "/rules/authentication/c": { held: "rt bare", by: "rt bare AtomicDefaults", lost: [] },
      "/rules/authorization/b": {
        held: "nobody",
        by: "gw defaults AtomicDefaults",
        lost: ['gw defaults "G" replaced by rt'],
      },
    },
    gw: "Overridden by rt",
    rt: "Enforced",
  },
  {
    id: "B1",
    title: "a default policy whose rules are merged into other policies, without conflict",
    higher: { defaults: merge(ab) },
    lower: authn({ c: "R" }),
    effective: { rules: { authentication: { a: "G", c: "R" }, authorization: { b: "G" } } },
    sources: {
      "/rules/authentication/a": { held: "gw defaults", by: "gw defaults MergeDefaults", lost: [] },
      "/rules/authentication/c": { held: "rt bare", by: "rt bare AtomicDefaults", lost: [] },
      "/rules/authorization/b": { held: "gw defaults", by: "gw defaults MergeDefaults", lost: [] },
    },
    gw: "Enforced",
    rt: "Enforced",
  },
  {
    id: "B2",
    title: "a default policy whose rules are merged into other policies, with conflict",
    higher: { defaults: merge(ab) },
    lower: authn({ a: "R" }),
    effective: { rules: { authentication: { a: "R" }, authorization: { b: "G" } } },
    sources: {
      "/rules/authentication/a": {
        held: "rt bare",
        by: "gw defaults MergeDefaults",
        lost: ['gw defaults "G" replaced by rt'],
      },
      "/rules/authorization/b": { held: "gw defaults", by: "gw defaults MergeDefaults", lost: [] },
    },
    gw: "PartiallyEnforced by rt",
    rt: "Enforced",
  },
  {
    id: "C1",
    title: "an override policy that replaces any other that is set at a lower level entirely",
    higher: { overrides: { strategy: "atomic", ...ab } },
    lower: authn({ c: "R" }),
    effective: ab,
    sources: {
      "/rules/authentication/a": { held: "gw overrides", by: "gw overrides AtomicOverrides", lost: [] },
      "/rules/authentication/c": {
        held: "nobody",
        by: "gw overrides AtomicOverrides",
        lost: ['rt bare "R" overridden by gw'],
      },
      "/rules/authorization/b": { held: "gw overrides", by: "gw overrides AtomicOverrides", lost: [] },
    },
    gw: "Enforced",
    rt: "Overridden by gw",
  },
  {
    id: "D1",
    title: "an override policy whose rules are merged into other policies, without conflict",
    higher: { overrides: merge(ab) },
    lower: authn({ c: "R" }),
    effective: { rules: { authentication: { a: "G", c: "R" }, authorization: { b: "G" } } },
    sources: {
      "/rules/authentication/a": { held: "gw overrides", by: "gw overrides MergeOverrides", lost: [] },
      "/rules/authentication/c": { held: "rt bare", by: "rt bare AtomicDefaults", lost: [] },
      "/rules/authorization/b": { held: "gw overrides", by: "gw overrides MergeOverrides", lost: [] },
    },
    gw: "Enforced",
    rt: "Enforced",
  },
  {
    id: "D2",
    title: "an override policy whose rules are merged into other policies, with conflict",
    higher: { overrides: merge(ab) },
    lower: { rules: { authentication: { a: "R" }, authorization: { d: "R" } } },
    effective: { rules: { authentication: { a: "G" }, authorization: { b: "G", d: "R" } } },
    sources: {
      "/rules/authentication/a": {
        held: "gw overrides",
        by: "gw overrides MergeOverrides",
        lost: ['rt bare "R" overridden by gw'],
      },
      "/rules/authorization/b": { held: "gw overrides", by: "gw overrides MergeOverrides", lost: [] },
      "/rules/authorization/d": { held: "rt bare", by: "rt bare AtomicDefaults", lost: [] },
    },
    gw: "Enforced",
    rt: "PartiallyEnforced by gw",
  },
  {
    id: "E1",
    title: "the lower policy is compliant with the constraint",
    higher: { overrides: merge({ when: "spec.rules.authentication.a > 50", ...authn({ a: 50 }) }) },
    lower: authn({ a: 30, b: 120 }),
    effective: authn({ a: 30, b: 120 }),
    sources: {
      "/rules/authentication/a": { held: "rt bare", lost: ["gw overrides 50 gated"] },
      "/rules/authentication/b": { held: "rt bare", by: "rt bare AtomicDefaults", lost: [] },
    },
    gw: "Enforced",
    rt: "Enforced",
  },
  {
    id: "E2",
    title: "the lower policy violates the constraint",
    higher: { overrides: merge({ when: "spec.rules.authentication.a > 50", ...authn({ a: 50 }) }) },
    lower: authn({ a: 100, b: 120 }),
    effective: authn({ a: 50, b: 120 }),
    sources: {
      "/rules/authentication/a": {
        held: "gw overrides",
        by: "gw overrides MergeOverrides",
        lost: ["rt bare 100 overridden by gw"],
      },
      "/rules/authentication/b": { held: "rt bare", by: "rt bare AtomicDefaults", lost: [] },
    },
    gw: "Enforced",
    rt: "PartiallyEnforced by gw",
  },
  {
    id: "E3",
    title: "merge granularity problem: the whole rule is replaced",
    kind: "RateLimitPolicy",
    higher: {
      overrides: merge({
        when: "spec.limits.a.rates.exists(r, r.limit > 50)",
        limits: { a: { rates: [{ limit: 50, duration: 10, unit: "second" }] } },
      }),
    },
    lower: {
      limits: {
        a: {
          rates: [
            { limit: 100, duration: 1, unit: "minute" },
            { limit: 10000, duration: 1, unit: "day" },
          ],
        },
        b: {},
      },
    },
    effective: { limits: { a: { rates: [{ limit: 50, duration: 10, unit: "second" }] }, b: {} } },
    sources: {
      "/limits/a": { held: "gw overrides", by: "gw overrides MergeOverrides" },
      "/limits/b": { held: "rt bare", by: "rt bare AtomicDefaults", lost: [] },
    },
    gw: "Enforced",
    rt: "PartiallyEnforced by gw",
  },
  {
    id: "F1",
    title: "a policy that deactivates a default policy rule set at a higher level",
    higher: { defaults: merge(authn({ a: "G" })) },
    lower: { ...authn({ b: "R" }), unset: ["rules.authentication.a"] },
    effective: authn({ b: "R" }),
    sources: {
      "/rules/authentication/a": { held: "nobody", by: "rt bare Remove", lost: ['gw defaults "G" removed by rt'] },
      "/rules/authentication/b": { held: "rt bare", by: "rt bare AtomicDefaults", lost: [] },
    },
    gw: "Overridden by rt",
    rt: "Enforced",
  },
  {
    id: "F2",
    title: "a policy that tries to deactivate an override policy rule set a higher level",
    higher: { overrides: merge(authn({ a: "G" })) },
    lower: { ...authn({ b: "R" }), unset: ["rules.authentication.a"] },
    effective: authn({ a: "G", b: "R" }),
    sources: {
      "/rules/authentication/a": { held: "gw overrides", by: "gw overrides MergeOverrides", lost: [] },
      "/rules/authentication/b": { held: "rt bare", by: "rt bare AtomicDefaults", lost: [] },
    },
    gw: "Enforced",
    // The entry of `unset` is a setting, and the override keeps what it names.
    rt: "PartiallyEnforced by gw",
  },
];

describe("Examples of D/O cases", () => {
  for (const { id, title, kind = "AuthPolicy", higher, lower, effective: expected, sources, gw, rt } of examples) {
    const both = () => compared(higher, lower, kind);
    test(`Example ${id}. ${title}: effective policy`, () => {
      expect(specOf(both(), kind)).toEqual(expected);
    });
    test(`Example ${id}. ${title}: provenance`, () => {
      const found = sourcesOf(both(), kind);
      expect(Object.keys(found).toSorted()).toEqual(Object.keys(sources));
      expect(found).toMatchObject(sources);
    });
    test(`Example ${id}. ${title}: verdicts`, () => {
      expect(outcomes(both())).toEqual({ gw, rt });
    });
  }

  test("Example E1. a constraint that is met is counted as met, not as overridden", () => {
    const e1 = examples.find(({ id }) => id === "E1");
    const both = compared(e1?.higher ?? {}, e1?.lower ?? {});
    expect(both.tally("gw")).toEqual({ paths: 1, full: 0, partial: 0, none: 0, met: 1 });
    expect(both.tally("rt")).toEqual({ paths: 1, full: 1, partial: 0, none: 0, met: 0 });
  });
});
