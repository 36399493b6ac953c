import { describe, expect, test } from "vitest";
import { checkText, findingsOf, limitPolicy, smallCluster } from "../../../../test/support/cli/check-text.ts";

const defaults = limitPolicy("low", "HTTPRoute", "limits: {one: {rate: 1}}");
const constraint = (when: string): string =>
  limitPolicy("high", "Gateway", `overrides:\n  strategy: merge\n  when: ${when}\n  limits: {top: {rate: 9}}`);

describe("a condition that is true nowhere", () => {
  test("is a note, because no policy violates the constraint", async () => {
    expect(
      await findingsOf("ConditionNeverHolds", smallCluster + defaults + constraint("spec.limits.one.rate > 9")),
    ).toEqual([
      "info at «spec.limits.one.rate > 9»: the condition of the overrides of LimitPolicy a/high is false on its only path, so the block has no effect",
    ]);
  });

  test("because it asks for a key that there is not: a warning with the key", async () => {
    expect(
      await findingsOf("ConditionReadsMissingKey", smallCluster + defaults + constraint("spec.limit.one.rate > 9")),
    ).toEqual([
      "warning at «spec.limit.one.rate > 9»: the condition of the overrides of LimitPolicy a/high reads spec.limit, which is missing on its only path and which no LimitPolicy sets, so it is never true",
    ]);
  });

  test("because no policy sets a key that the kind has: a note", async () => {
    const found = await checkText(smallCluster + constraint("spec.limits.one.rate > 9"));
    expect(found.map(({ code }) => code)).toEqual(["ConditionNeverHolds"]);
  });

  test("not one that is true somewhere", async () => {
    const found = await checkText(smallCluster + defaults + constraint("spec.limits.one.rate == 1"));
    expect(found.map(({ code }) => code)).toEqual([]);
  });
});

describe("a condition that cannot be evaluated", () => {
  test("is reported at the expression", async () => {
    expect(await findingsOf("ConditionError", smallCluster + defaults + constraint("spec.limits > 1"))).toEqual([
      expect.stringMatching(/^error at «spec\.limits > 1»: the condition of a block cannot be evaluated \(overrides: /),
    ]);
  });

  test("also on a policy that no path leads to", async () => {
    const alone = smallCluster.replace("parentRefs: [{name: g}]", "parentRefs: []");
    const long = `spec.limits.one.rate > ${"1 + ".repeat(2000)}1`;
    expect(await findingsOf("ConditionError", alone + constraint(long))).toEqual([
      expect.stringMatching(/: the condition cannot be evaluated: the expression is \d+ characters long/),
    ]);
    expect(await findingsOf("ConditionError", alone + constraint("spec.limits.one.rate > 9"))).toEqual([]);
  });
});
