import { describe, expect, test } from "vitest";
import { runCli } from "../../../test/support/cli/run-cli.ts";

const definition = (group: string): string => `
apiVersion: prevail.dev/v1alpha1
kind: PolicyDefinition
metadata: {name: authorizationpolicies.${group}}
spec: {policies: [{group: ${group}, kind: AuthorizationPolicy}], class: Direct, targeting: {kinds: [Service]}}
`;
const policy = (group: string, name: string, target: string): string => `
apiVersion: ${group}/v1
kind: AuthorizationPolicy
metadata: {name: ${name}, namespace: shop}
spec: {targetRef: {group: "", kind: Service, name: ${target}}, allow: ${group}}
`;
const service = "apiVersion: v1\nkind: Service\nmetadata: {name: till, namespace: shop}\nspec: {ports: [{port: 80}]}\n";
const [istio, linkerd] = ["security.istio.io", "policy.linkerd.io"];

const one = { files: { "a.yaml": [definition(istio), policy(istio, "x", "till"), service].join("---\n") } };
const two = {
  files: {
    "a.yaml": [
      definition(istio),
      definition(linkerd),
      policy(istio, "x", "till"),
      policy(linkerd, "x", "till"),
      policy(linkerd, "lost", "tll"),
      service,
    ].join("---\n"),
  },
};

describe("two kinds of one name in the input", () => {
  for (const line of [
    "get policies",
    "get effective",
    "explain svc/till",
    "reach authorizationpolicy.security.istio.io/x",
    "status authorizationpolicy",
    "graph",
    "plan --delete authorizationpolicy.security.istio.io/x",
  ]) {
    test(`${line} names their groups`, async () => {
      const { stdout } = await runCli(`${line} -f a.yaml`, { ...two, columns: 200 });
      expect(stdout).toContain("AuthorizationPolicy.security.istio.io");
      expect(stdout.replaceAll(/AuthorizationPolicy\.(security\.istio|policy\.linkerd)\.io/g, "")).not.toMatch(
        /^\s*AuthorizationPolicy\b/m,
      );
    });
  }

  test("check names the group", async () => {
    const { stdout } = await runCli("check -f a.yaml", { ...two, columns: 200 });
    expect(stdout).toContain("TargetNotFound AuthorizationPolicy.policy.linkerd.io shop/lost: no Service 'tll'");
  });

  test("a bare name means both, and the error says how to select one", async () => {
    const { stderr, code } = await runCli("reach authorizationpolicy/x -f a.yaml", two);
    expect(code).not.toBe(0);
    expect(stderr).toContain("authorizationpolicy.policy.linkerd.io/shop/x");
    expect(stderr).toContain("authorizationpolicy.security.istio.io/shop/x");
  });

  test("kubectl's form selects one", async () => {
    const { stdout } = await runCli("get policies authorizationpolicies.policy.linkerd.io/x -o name -f a.yaml", two);
    expect(stdout).toBe("authorizationpolicy.policy.linkerd.io/x\n");
  });
});

test("one kind of the name is shown without its group", async () => {
  const { stdout } = await runCli("get policies -f a.yaml", one);
  expect(stdout).toContain("AuthorizationPolicy   x");
});
