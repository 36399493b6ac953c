import { describe, expect, test } from "vitest";
import { runCli } from "../../../test/support/cli/run-cli.ts";

const flat = (text: string): string => text.replaceAll(/\s+/g, " ");

const gateway = (name: string, hostname: string): string => `
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: "${name}", namespace: infra}
spec:
  gatewayClassName: any
  listeners: [{name: web, hostname: "${hostname}", protocol: HTTP, port: 80}]
`;
const route = (name: string, parent: string): string => `
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: ${name}, namespace: infra}
spec: {parentRefs: [{name: "${parent}"}], rules: [{}]}
`;
const policy = (attempts: string): string => `
apiVersion: prevail.dev/v1alpha1
kind: RetryPolicy
metadata: {name: p, namespace: infra}
spec: {targetRefs: [{kind: HTTPRoute, name: r}], retry: {attempts: "${attempts}"}}
`;
const join = (...documents: readonly string[]): string => documents.join("---");

describe("placeholders that are not replaced", () => {
  const files = { "a.yaml": join(gateway("g", "$" + "{HOST}"), route("r", "g")) };
  const sentence =
    "partial: a.yaml:7: 1 object has placeholders that are not replaced, such as ${HOST}: Gateway infra/g. It is left out, as the API server would refuse it.";

  for (const line of ["explain httproute/r", "get targets", "check", "graph", "plan --delete httproute/r"])
    test(`${line}: one caveat, no error`, async () => {
      const { code, stdout, stderr } = await runCli(`${line} -f a.yaml`, { files });
      expect(flat(stdout)).toContain(sentence);
      expect(flat(stdout)).toContain("fix: Replace them first, such as with envsubst");
      expect(`${stdout}${stderr}`).not.toContain("error");
      expect(code).toBe(0);
    });

  test("JSON has the code", async () => {
    const { stdout } = await runCli("explain httproute/r -o json -f a.yaml", { files });
    const { caveats } = JSON.parse(stdout) as { readonly caveats: readonly { readonly code: string }[] };
    expect(caveats.map(({ code }) => code)).toContain("UnreplacedPlaceholder");
  });

  test("--fail-on caveat and --complete fail", async () => {
    expect((await runCli("explain httproute/r --complete -f a.yaml", { files })).code).toBe(1);
    expect((await runCli("check --fail-on caveat -f a.yaml", { files })).code).toBe(1);
  });

  test("another mistake in the object stays an error", async () => {
    const broken = files["a.yaml"].replace("port: 80}", "port: many}");
    const { code, stdout } = await runCli("check -f a.yaml", { files: { "a.yaml": broken } });
    expect(flat(stdout)).toContain('spec.listeners[0].port is "many"');
    expect(stdout).not.toContain("HOST");
    expect(code).toBe(1);
  });

  test("a name counts as it is written", async () => {
    const named = join(gateway("$" + "{GW}", "a.example"), route("r", "$" + "{GW}"));
    const { code, stdout } = await runCli("explain httproute/r -f a.yaml", { files: { "a.yaml": named } });
    expect(flat(stdout)).toContain("such as ${GW}: Gateway infra/${GW}. It counts as written.");
    expect(stdout).not.toContain("not in the input");
    expect(code).toBe(0);
  });

  test("a policy with a placeholder is ignored, and never Enforced", async () => {
    const all = join(gateway("g", "a.example"), route("r", "g"), policy("$" + "{ATTEMPTS}"));
    const { code, stdout } = await runCli("get policies -f a.yaml", { files: { "a.yaml": all } });
    expect(stdout).not.toContain("Enforced");
    expect(flat(stdout)).toContain("such as ${ATTEMPTS}: RetryPolicy infra/p. It is left out");
    expect(stdout).not.toContain("broken:");
    expect(code).toBe(0);
  });

  test("a placeholder in a flow mapping is not YAML: the message says what to do", async () => {
    const text = "kind: Gateway\nmetadata: {name: $" + "{GW}, namespace: a}\n";
    const { code, stdout } = await runCli("check -f a.yaml", { files: { "a.yaml": text } });
    expect(flat(stdout)).toContain("replace placeholders first, such as with envsubst, or quote it");
    expect(code).toBe(65);
  });
});
