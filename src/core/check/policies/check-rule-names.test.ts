import { describe, expect, test } from "vitest";
import { checkText, findingsOf, limitPolicy, smallCluster } from "../../../../test/support/cli/check-text.ts";

const merged = (name: string, kind: "Gateway" | "HTTPRoute", block: string, limits: string): string =>
  limitPolicy(name, kind, `${block}:\n  strategy: merge\n  limits: ${limits}`);

describe("RuleNameCollision", () => {
  test("a default that a more specific rule of the same name replaces", async () => {
    const text =
      smallCluster +
      merged("high", "Gateway", "defaults", "{one: {rate: 1}, two: {rate: 2}}") +
      merged("low", "HTTPRoute", "defaults", "{one: {rate: 9}}");
    expect(await findingsOf("RuleNameCollision", text)).toEqual([
      "info at «{rate: 1}, two: {rate: 2}}»: rule 'one' of LimitPolicy a/high has the same name as a rule of LimitPolicy a/low, which replaces this default on one path",
    ]);
  });

  test("a rule that an override of the same name replaces", async () => {
    const text =
      smallCluster +
      merged("high", "Gateway", "overrides", "{one: {rate: 1}}") +
      merged("low", "HTTPRoute", "defaults", "{one: {rate: 9}, two: {rate: 2}}");
    expect(await findingsOf("RuleNameCollision", text)).toEqual([
      "info at «{rate: 9}, two: {rate: 2}}»: rule 'one' of LimitPolicy a/low has the same name as a rule of LimitPolicy a/high, which overrides it on one path",
    ]);
  });

  test("on one target it is a warning", async () => {
    const text =
      smallCluster +
      merged("b", "HTTPRoute", "defaults", "{one: {rate: 1}, two: {rate: 2}}") +
      merged("a", "HTTPRoute", "defaults", "{one: {rate: 9}}");
    expect(await findingsOf("RuleNameCollision", text)).toEqual([
      expect.stringMatching(/^warning at .* on one path, and both are attached to the same target$/),
    ]);
  });

  test.each([
    ["rules that say the same", merged("high", "Gateway", "defaults", "{one: {rate: 9}}")],
    ["rules of different names", merged("high", "Gateway", "defaults", "{two: {rate: 1}}")],
    ["a whole block that is overridden", limitPolicy("high", "Gateway", "defaults:\n  limits: {one: {rate: 1}}")],
  ])("not %s", async (_, high) => {
    const text = smallCluster + high + merged("low", "HTTPRoute", "defaults", "{one: {rate: 9}}");
    expect(await findingsOf("RuleNameCollision", text)).toEqual([]);
  });
});

describe("RemovesNothing", () => {
  const high = merged("high", "Gateway", "defaults", "{per-client: {rate: 1}}");

  test("a name that is misspelt", async () => {
    const low = limitPolicy("low", "HTTPRoute", "remove: [per-clint]\nlimits: {one: {rate: 9}}");
    expect(await findingsOf("RemovesNothing", smallCluster + high + low)).toEqual([
      "warning at «per-clint]»: LimitPolicy a/low removes 'per-clint', but no higher policy sets it as a default on its only path; did you mean 'per-client'?",
    ]);
  });

  test("an override, which cannot be removed; in the other spelling", async () => {
    const override = merged("high", "Gateway", "overrides", "{top: {rate: 1}}");
    const low = limitPolicy("low", "HTTPRoute", "defaults:\n  unset: [top]\n  limits: {one: {rate: 9}}");
    expect(await findingsOf("RemovesNothing", smallCluster + override + low)).toEqual([
      expect.stringMatching(
        /^warning at «top\]».*; LimitPolicy a\/high sets it as an override, which cannot be removed$/,
      ),
    ]);
  });

  test("a note where a parent is not in the input, which may have the default", async () => {
    const low = limitPolicy("low", "HTTPRoute", "remove: [per-client]\nlimits: {one: {rate: 9}}");
    const absent = smallCluster.replace("parentRefs: [{name: g}]", "parentRefs: [{name: elsewhere}]");
    expect(await findingsOf("RemovesNothing", absent + low)).toEqual([expect.stringMatching(/^info /)]);
  });

  test("not one that keeps something out", async () => {
    const low = limitPolicy("low", "HTTPRoute", "remove: [per-client]\nlimits: {one: {rate: 9}}");
    expect(await checkText(smallCluster + high + low)).toMatchObject([{ code: "NeverTakesEffect" }]);
  });
});
