import { describe, expect, test } from "vitest";
import { brokenBakery } from "../../../test/support/cli/broken-bakery.ts";
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
