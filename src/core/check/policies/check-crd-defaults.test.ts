import { describe, expect, test } from "vitest";
import { checkText, findingsOf, retryPolicy, smallCluster } from "../../../../test/support/cli/check-text.ts";

describe("CrdDefaultReplacesDefault", () => {
  const withRetry = (retry: string): string =>
    smallCluster.replace("  - name: one\n", `  - name: one\n    retry: ${retry}\n`);
  const onRoute = (spec: string): string => retryPolicy("p", "{kind: HTTPRoute, name: r}", spec);
  const onGateway = (spec: string): string => retryPolicy("house", "{kind: Gateway, name: g}", spec);

  test("a field that the route does not set, with the policy, its value and what to do", async () => {
    const found = await checkText(withRetry("{codes: [503]}") + onRoute("defaults: {retry: {attempts: 3}}"));
    expect(found.filter(({ code }) => code === "CrdDefaultReplacesDefault")).toEqual([
      expect.objectContaining({
        severity: "warning",
        object: expect.objectContaining({ kind: "HTTPRoute", name: "r" }),
        field: "spec.rules[0].retry.attempts",
        message:
          "HTTPRoute a/r does not set spec.rules[0].retry.attempts; the default of its CRD is filled in, and replaces the default 3 of RetryPolicy a/p",
        fix: "Set spec.rules[0].retry.attempts to the value that should take effect, or set it in the overrides of the policy.",
        related: [expect.objectContaining({ message: "this default is replaced" })],
      }),
    ]);
  });

  test("all policies whose defaults it replaces, in one finding", async () => {
    const policies = onRoute("retry: {attempts: 3}") + onGateway("defaults: {retry: {attempts: 5}}");
    const found = await findingsOf("CrdDefaultReplacesDefault", withRetry("{codes: [503]}") + policies);
    expect(found).toEqual([expect.stringContaining("the default 3 of RetryPolicy a/p and 5 of RetryPolicy a/house")]);
  });

  test("each rule of each route, though they share one result", async () => {
    const two = withRetry("{codes: [503]}").replace(
      "  - name: one\n",
      "  - name: two\n    retry: {codes: [503]}\n  - name: one\n",
    );
    const found = await findingsOf("CrdDefaultReplacesDefault", two + onRoute("retry: {attempts: 3}"));
    expect(found).toEqual([
      expect.stringContaining("does not set spec.rules[0].retry.attempts"),
      expect.stringContaining("does not set spec.rules[1].retry.attempts"),
    ]);
  });

  test.each([
    ["the route sets the field", "{attempts: 1}", "retry: {attempts: 3}"],
    ["the policy has the same value", "{codes: [503]}", "retry: {attempts: 1}"],
    ["the policy overrides it", "{codes: [503]}", "overrides: {retry: {attempts: 3}}"],
    ["the policy does not set the field", "{codes: [503]}", "retry: {codes: [500]}"],
  ])("none if %s", async (_, retry, spec) => {
    expect(await findingsOf("CrdDefaultReplacesDefault", withRetry(retry) + onRoute(spec))).toEqual([]);
  });
});
