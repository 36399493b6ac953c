import { describe, expect, test } from "vitest";
import { bakeryWithout, brokenBakery } from "../../../test/support/cli/broken-bakery.ts";
import { runCli } from "../../../test/support/cli/run-cli.ts";
import { schemaViolations } from "../../../test/support/cli/validate-schema.ts";

const brk = brokenBakery();
const brk2 = brokenBakery({ builtIn: false });
const flat = (text: string): string => text.replaceAll(/\s+/g, " ");

const IGNORED = "3 AuthPolicies and 6 RateLimitPolicies are ignored, see below";
const HEADLINE =
  /brk\/policy-kinds\.yaml:18: PolicyDefinition authpolicies\.policies\.example\.com: .*GRPCRouteRul.* 3 AuthPolicies are ignored until this is fixed/;

describe("a definition with an error", () => {
  for (const [line, sentence] of [
    [
      "plan --delete authpolicy/front-door -f brk",
      `As far as the files show, nothing changes: no effective value, no verdict of a policy, no finding; ${IGNORED}`,
    ],
    ["explain httproute/counter -f brk", `No known policy takes effect on HTTPRoute shop/counter; ${IGNORED}`],
    ["trace GET http://baker.bakery.example:8080/menu -f brk", `No known policy takes effect on this path; ${IGNORED}`],
  ] as const) {
    test(`${line}: qualifies the negative sentence`, async () => {
      const { code, stdout } = await runCli(line, { files: line.startsWith("plan") ? brk : brk2 });
      expect(flat(stdout)).toContain(sentence);
      expect(flat(stdout)).toMatch(HEADLINE);
      expect(code).toBe(1);
    });
  }

  for (const resource of ["policies", "effective"]) {
    test(`get ${resource}: not just "nothing found"`, async () => {
      const { code, stdout, stderr } = await runCli(`get ${resource} -f brk`, { files: brk2 });
      expect(flat(stderr)).toContain(`nothing known found; ${IGNORED}`);
      expect(flat(stdout)).toMatch(HEADLINE);
      expect(code).toBe(1);
    });
  }

  test("get targets: shows the caveats", async () => {
    const { code, stdout } = await runCli("get targets -f brk", { files: brk2 });
    expect(flat(stdout)).toMatch(HEADLINE);
    expect(code).toBe(1);
  });

  test("reach of an ignored policy names the error of its definition", async () => {
    const { code, stderr } = await runCli("reach authpolicy/front-door -f brk", { files: brk });
    expect(flat(stderr)).toContain("AuthPolicy infra/front-door is ignored: the definition of its kind has an error");
    expect(flat(stderr)).toMatch(HEADLINE);
    expect(code).toBe(1);
  });

  test("reach of another kind does not mention it", async () => {
    const { code, stdout } = await runCli("reach retrypolicy/friday-fix -f brk", { files: brk });
    expect(stdout).not.toContain("Caveats");
    expect(code).toBe(0);
  });

  test("check: the definition is the finding, not each of its policies", async () => {
    const { code, stdout } = await runCli("check -f brk", { files: brk });
    expect(flat(stdout)).toContain("3 AuthPolicies are ignored until this is fixed");
    expect(flat(stdout)).toContain("6 RateLimitPolicies are ignored until this is fixed");
    expect(stdout).not.toContain("UnknownPolicyKind");
    expect(code).toBe(1);
  });

  for (const [line, schema] of [
    ["explain httproute/counter -o json -f brk", "explanation.json"],
    ["plan --delete authpolicy/front-door -o json -f brk", "plan.json"],
    ["get effective -o json -f brk", "effective-policy-list.json"],
    ["check -o json -f brk", "finding-list.json"],
  ] as const) {
    test(`${line}: has caveats`, async () => {
      const { stdout } = await runCli(line, { files: brk });
      const value = JSON.parse(stdout) as { readonly caveats: readonly { readonly code: string }[] };
      expect(value.caveats.map(({ code }) => code)).toEqual(["BrokenDefinition", "BrokenDefinition"]);
      expect(schemaViolations(schema, value)).toEqual([]);
    });
  }

  test("an answer that no ignored policy can change has no caveat", async () => {
    const { code, stdout } = await runCli("get policies retrypolicy/friday-fix -f brk", { files: brk });
    expect(stdout).not.toContain("Caveats");
    expect(code).toBe(0);
  });
});

describe("a Gateway that is not in the files", () => {
  const files = bakeryWithout("gateway.yaml");
  const names = ["baker-retries", "baker-keys"];

  test("get policies: Incomplete, not Enforced", async () => {
    const { code, stdout } = await runCli("get policies -n bakery -f brk", { files });
    for (const name of names) expect(stdout).toMatch(new RegExp(`${name} .* Incomplete +not known on \\d+ paths`));
    expect(stdout.split("Caveats")[0]).not.toMatch(/HTTPRoute\/baker +(Partially)?Enforced/);
    expect(flat(stdout)).toContain("Gateway infra/prod is named as a parent and is not in the input");
    expect(code).toBe(0);
  });

  test("get targets: whether it is affected is not known", async () => {
    const { stdout } = await runCli("get targets httproute/baker -f brk", { files });
    expect(stdout).toContain("RetryPolicy/baker-retries (incomplete)");
  });

  test("status: Enforced=Unknown/Incomplete, at the Gateway", async () => {
    const { stdout } = await runCli("status retrypolicy/baker-retries -f brk", { files });
    expect(stdout).toContain("Gateway infra/prod");
    expect(stdout).toContain("Enforced=Unknown/Incomplete");
    expect(stdout).not.toContain("Enforced=True");
  });

  test("plan: the verdict of what changes is not known", async () => {
    const stdin = JSON.stringify({
      apiVersion: "prevail.dev/v1alpha1",
      kind: "RetryPolicy",
      metadata: { name: "more", namespace: "bakery" },
      spec: {
        targetRefs: [{ group: "gateway.networking.k8s.io", kind: "HTTPRoute", name: "baker" }],
        defaults: { retry: { backoff: "1s" } },
      },
    });
    const { stdout } = await runCli("plan --apply - -f brk", { files, stdin });
    expect(flat(stdout)).toContain("RetryPolicy bakery/more: new → Incomplete, not known on");
    expect(stdout).toContain("Caveats");
  });

  test("graph: it is not known whether the policies take effect, and the parent is there, marked", async () => {
    const { stdout } = await runCli("graph httproute/baker -f brk", { files });
    expect(stdout).toContain("◆ RetryPolicy baker-retries: not known: a parent is not in the input");
    expect(stdout).toContain("Gateway (not in the input) infra/prod");
    expect(stdout).toContain("Caveats");
  });

  test("--complete: it does not exist, so the policies reach nothing, and the finding is an error", async () => {
    const { stdout } = await runCli("get policies baker-retries -f brk --complete", { files });
    expect(stdout).toMatch(/baker-retries .* NoPath/);
    const checked = await runCli("check -f brk --complete", { files });
    expect(checked.stdout).toContain("error ParentNotFound");
    expect(checked.code).toBe(1);
  });
});
