import { describe, expect, test } from "vitest";
import {
  checkText,
  findingsOf,
  limitPolicy,
  retryPolicy,
  smallCluster,
} from "../../../../test/support/cli/check-text.ts";

test("a cluster in which nothing is wrong has no findings", async () => {
  const policy = limitPolicy("fine", "HTTPRoute", "limits: {one: {rate: 1}}");
  expect(await checkText(smallCluster + policy)).toEqual([]);
});

describe("NeverTakesEffect", () => {
  const low = limitPolicy("low", "HTTPRoute", "limits: {one: {rate: 1}}");
  const high = limitPolicy("high", "Gateway", "overrides:\n  limits: {two: {rate: 2}}");

  test("a policy that an override replaces whole, with who wins", async () => {
    expect(await findingsOf("NeverTakesEffect", smallCluster + low + high)).toEqual([
      "warning at «apiVersion: example.com/v1»: no setting of LimitPolicy a/low takes effect on its only path; it is overridden by LimitPolicy a/high",
    ]);
  });

  test("a policy that the routes' own values override", async () => {
    const inline = smallCluster.replace("  - name: one\n", "  - name: one\n    retry: {attempts: 3}\n");
    const policy = retryPolicy("r", "{kind: HTTPRoute, name: r}", "retry: {attempts: 1}");
    expect(await findingsOf("NeverTakesEffect", inline + policy)).toEqual([
      expect.stringContaining("it is overridden by the objects' own values"),
    ]);
  });

  test("a constraint that is overridden where it acts, and met elsewhere", async () => {
    const rules = smallCluster.replace("  - name: one\n", "  - name: two\n  - name: one\n");
    const much = limitPolicy("much", "HTTPRoute", "limits: {a: {max: 100}}").replace(
      "name: r}",
      "name: r, sectionName: one}",
    );
    const cap = limitPolicy("cap", "Gateway", "overrides: {strategy: merge, limits: {a: {max: 40}}}");
    const when = "has(spec.limits) && spec.limits.a.max > 50";
    const late = limitPolicy(
      "late",
      "Gateway",
      `overrides: {strategy: merge, when: "${when}", limits: {a: {max: 50}}}`,
    );
    expect(await findingsOf("NeverTakesEffect", rules + much + cap + late)).toContain(
      "warning at «apiVersion: example.com/v1»: no setting of LimitPolicy a/late takes effect on any of its 2 paths; it is overridden by LimitPolicy a/cap; on 1 of them its condition is false",
    );
  });

  test("not one that takes effect somewhere", async () => {
    expect(await findingsOf("NeverTakesEffect", smallCluster + low)).toEqual([]);
  });
});

describe("ValuesNeverTakeEffect", () => {
  test("names the values, and leads to the first", async () => {
    const high = retryPolicy("high", "{kind: Gateway, name: g}", "overrides:\n  retry: {attempts: 5}");
    const low = retryPolicy(
      "low",
      "{kind: HTTPRoute, name: r}",
      "defaults:\n  retry: {attempts: 1, backoff: 1s}\n  timeouts: {request: 9m}",
    );
    expect(await findingsOf("ValuesNeverTakeEffect", smallCluster + high + low)).toEqual([
      "info at «1, backoff: 1s}»: 1 of the 3 values of RetryPolicy a/low takes effect nowhere: retry.attempts; overridden by RetryPolicy a/high",
    ]);
  });

  test("a policy that overrides itself has another finding", async () => {
    const own = limitPolicy("own", "HTTPRoute", "defaults:\n  limits: {one: {rate: 1}}\nlimits: {two: {rate: 2}}");
    const codes = (await checkText(smallCluster + own)).map(({ code }) => code);
    expect(codes).toEqual(["BareRulesBesideDefaults"]);
  });
});

describe("ReachesNothing", () => {
  test("a policy on a Gateway without routes", async () => {
    const alone = smallCluster.replace("parentRefs: [{name: g}]", "parentRefs: []");
    const policy = limitPolicy("idle", "Gateway", "limits: {one: {rate: 1}}");
    expect(await findingsOf("ReachesNothing", alone + policy)).toEqual([
      "info at «apiVersion: example.com/v1»: LimitPolicy a/idle is accepted and takes effect nowhere in the input: no path through Gateway a/g leads to any HTTPRouteRule",
    ]);
    const complete = await checkText(alone + policy, "--complete");
    expect(complete.filter(({ code }) => code === "ReachesNothing")).toMatchObject([
      {
        severity: "warning",
        message:
          "LimitPolicy a/idle is accepted and takes effect nowhere: no path through Gateway a/g leads to any HTTPRouteRule",
      },
    ]);
  });

  test("a policy on a route that no listener takes, with the reason", async () => {
    const refused = smallCluster.replace("parentRefs: [{name: g}]", "parentRefs: [{name: g, sectionName: htp}]");
    const policy = limitPolicy("idle", "HTTPRoute", "limits: {one: {rate: 1}}");
    const found = (await checkText(refused + policy)).filter(({ code }) => code === "ReachesNothing");
    expect(found).toMatchObject([
      {
        message:
          "LimitPolicy a/idle is accepted and takes effect nowhere: HTTPRoute a/r is not attached to any Gateway",
        related: [{ at: { line: 22 }, message: expect.stringContaining("htp") }],
      },
    ]);
  });
});

describe("OverrideMeetsNothing", () => {
  const override = limitPolicy("high", "Gateway", "overrides:\n  strategy: merge\n  limits: {one: {rate: 1}}");

  test("no policy below sets anything", async () => {
    expect(await findingsOf("OverrideMeetsNothing", smallCluster + override)).toEqual([
      "info at «strategy: merge»: on its only path no lower policy or object sets what the overrides of LimitPolicy a/high set",
    ]);
  });

  test.each([
    ["it replaces something", "limits: {one: {rate: 2}}"],
    ["a policy below sets the same", "limits: {one: {rate: 1}}"],
  ])("not where %s", async (_, low) => {
    const text = smallCluster + override + limitPolicy("low", "HTTPRoute", low);
    expect(await findingsOf("OverrideMeetsNothing", text)).toEqual([]);
  });

  test("not where a condition says when it acts", async () => {
    const when = limitPolicy(
      "high",
      "Gateway",
      "overrides:\n  strategy: merge\n  when: '!has(spec.limits)'\n  limits: {one: {rate: 1}}",
    );
    expect(await checkText(smallCluster + when)).toEqual([]);
  });
});
