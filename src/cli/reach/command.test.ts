import { describe, expect, test } from "vitest";
import { limitPolicy, retryPolicy, smallCluster } from "../../../test/support/cli/check-text.ts";
import { testTerminals, testTranscripts } from "../../../test/support/cli/cli-transcript.ts";
import { runCli } from "../../../test/support/cli/run-cli.ts";
import { schemaViolations } from "../../../test/support/cli/validate-schema.ts";

describe("the bakery", () => {
  testTerminals([
    ["reach-override", "reach retrypolicy/friday-fix -f examples/bakery"],
    ["reach-defaults", "reach clusterretrypolicy/house-rules -f examples/bakery"],
    ["reach-own-value", "reach retrypolicy/baker-retries -f examples/bakery"],
    ["reach-rule", "reach ratelimitpolicy/fair-share --rule per-client -f examples/bakery"],
    ["reach-overridden", "reach ratelimitpolicy/guests -f examples/bakery"],
    ["reach-nothing", "reach ratelimitpolicy/stocktaking -f examples/bakery"],
    ["reach-not-found", "reach retrypolicy/no-double-orders -f examples/bakery"],
    ["reach-conflicted", "reach backendtlspolicy/oven-tls-2026 -f examples/bakery"],
    [
      "reach-incomplete",
      "reach retrypolicy/baker-retries -f examples/bakery/bakery.yaml -f examples/bakery/team-policies.yaml",
    ],
  ]);
  testTranscripts([
    ["reach-wide", "reach authpolicy/baker-keys -o wide -f examples/bakery"],
    ["reach-name", "reach authpolicy/front-door -o name -f examples/bakery"],
    ["reach-json", "reach ratelimitpolicy/menu -o json -f examples/bakery"],
    ["reach-yaml", "reach retrypolicy/baker-retries --rule retry.attempts -o yaml -f examples/bakery"],
    ["reach-redacted", "reach retrypolicy/baker-retries -n bakery --redact -f examples/bakery"],
    ["reach-unknown-rule", "reach ratelimitpolicy/fair-share --rule perclient -f examples/bakery"],
    ["reach-no-policy", "reach httproute/baker -f examples/bakery"],
    ["reach-what", "reach -f examples/bakery"],
    ["reach-misspelt", "reach retrypolicy/friday-fxi -f examples/bakery"],
  ]);

  test("redacted, no name, value or line of another namespace appears", async () => {
    for (const output of ["", "-o json", "-o wide"]) {
      const { stdout } = await runCli(
        `reach retrypolicy/baker-retries -n bakery --redact ${output} -f examples/bakery`,
      );
      expect(stdout).toContain("250ms");
      for (const secret of ["friday-fix", "house-rules", "platform-policies"]) expect(stdout).not.toContain(secret);
    }
  });
});

describe("what -o json prints is what docs/schemas/reach.json says", () => {
  for (const policy of [
    "clusterretrypolicy/house-rules",
    "retrypolicy/baker-retries",
    "retrypolicy/no-double-orders",
    "ratelimitpolicy/fair-share",
    "ratelimitpolicy/stocktaking",
    "backendtlspolicy/oven-tls-2026",
    "retrypolicy/baker-retries -n bakery --redact",
    "ratelimitpolicy/fair-share --rule ceiling",
  ]) {
    test(policy, async () => {
      const { stdout } = await runCli(`reach ${policy} -o json -f examples/bakery`);
      expect(schemaViolations("reach.json", JSON.parse(stdout))).toEqual([]);
    });
  }
});

const definition = `
apiVersion: prevail.dev/v1alpha1
kind: PolicyDefinition
metadata: {name: colours.example.com}
spec:
  policies: [{group: example.com, kind: Colour}]
  class: Inherited
  targeting: {kinds: [{kind: Gateway}, {kind: HTTPRoute}]}
  hierarchy: {effectiveTargets: [HTTPRouteRule]}
  merge: {granularity: {default: Field}}
`;

describe("odd policies", () => {
  const reach = (policy: string, line = "reach colour/c -f c.yaml") =>
    runCli(line, { files: { "c.yaml": `${definition}---\n${policy}` } });
  const colour = (spec: string): string =>
    `apiVersion: example.com/v1\nkind: Colour\nmetadata: {name: c, namespace: ns}\nspec: ${spec}\n`;

  test("one that is invalid says what is wrong with it", async () => {
    const { stdout, code } = await reach(colour("{targetRef: {kind: Gateway, name: g}, defaults: 5}"));
    expect(code).toBe(0);
    expect(stdout).toMatch(/Not accepted, Invalid: spec\.defaults/);
    expect(stdout).toContain("reaches nothing");
  });

  test("one on a gateway without routes says that nothing is attached below it", async () => {
    const gateway = `apiVersion: gateway.networking.k8s.io/v1\nkind: Gateway\nmetadata: {name: g, namespace: ns}\nspec: {gatewayClassName: x, listeners: [{name: l, protocol: HTTP, port: 80}]}\n`;
    const files = `${colour("{targetRef: {kind: Gateway, name: g}, a: 1}")}---\n${gateway}`;
    const { stdout } = await reach(files, "reach colour/c --complete -f c.yaml");
    expect(stdout).toContain("NoPath: the policy is accepted and reaches nothing.");
    expect((await reach(files)).stdout).toContain("Incomplete: no path of the policy is in the input");
    expect(stdout).toContain("no path: nothing that a Colour takes effect on is attached below it");
  });

  test("one behind a Gateway of another controller does not say that nothing is attached there", async () => {
    const foreign = smallCluster.replace("gatewayClassName: c", "gatewayClassName: theirs");
    expect(foreign).not.toBe(smallCluster);
    const ofTheirs = `---
apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: {name: theirs}
spec: {controllerName: other.io/ctrl}
`;
    const files = {
      "c.yaml": foreign + ofTheirs + retryPolicy("p", "{kind: Gateway, name: g}", "retry: {attempts: 1}"),
    };
    const { stdout } = await runCli("reach retrypolicy/p -f c.yaml", { files });
    expect(stdout).toContain("  No controller enforces it here: Gateway a/g belongs to other.io/ctrl");
    expect(stdout).toContain("On Gateway a/g: no path: the Gateways on its paths belong to other controllers");
  });

  test("one that is conflicted names the other policy, unless that is hidden", async () => {
    const direct = definition
      .replace("class: Inherited", "class: Direct")
      .replace("targeting: {", "targeting: {crossNamespace: ReferenceGrant, ")
      .replace(/ {2}hierarchy.*/s, "");
    const other = (namespace: string): string => `apiVersion: example.com/v1
kind: Colour
metadata: {name: older, namespace: ${namespace}, creationTimestamp: "2020-01-01T00:00:00Z"}
spec: {targetRef: {kind: Gateway, namespace: ns, name: g}, a: 2}
`;
    const gateway = `apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: g, namespace: ns}
spec: {gatewayClassName: x, listeners: [{name: l, protocol: HTTP, port: 80}]}
`;
    const grant = `apiVersion: gateway.networking.k8s.io/v1
kind: ReferenceGrant
metadata: {name: all, namespace: ns}
spec: {from: [{group: example.com, kind: Colour, namespace: secret}], to: [{group: gateway.networking.k8s.io, kind: Gateway}]}
`;
    const own = colour("{targetRef: {kind: Gateway, name: g}, a: 1}");
    const files = { "c.yaml": [direct, gateway, grant, own, other("secret")].join("---\n") };
    const open = await runCli("reach colour/c -n ns -f c.yaml", { files });
    expect(open.stdout.replace(/\s+/g, " ")).toContain(
      "Conflicted: Gateway ns/g already has Colour secret/older, which is older; only one Colour takes effect on a target",
    );
    const redacted = await runCli("reach colour/c -n ns --redact -f c.yaml", { files });
    expect(redacted.stdout).toContain("Conflicted: Gateway ns/g already has a policy in another namespace\n");
    expect(redacted.stdout).not.toMatch(/secret|older/);
  });

  test("names that would move the cursor are made harmless", async () => {
    const { stdout } = await reach(colour('{targetRef: {kind: Gateway, name: "g\\u001b[31m"}, a: 1}'));
    expect(stdout).not.toContain("\u001b");
  });

  test("for an unknown kind the missing definition is named", async () => {
    const { stderr, code } = await runCli("reach mystery/c -f c.yaml", {
      files: { "c.yaml": colour("{}").replace("Colour", "Mystery") },
    });
    expect(code).toBe(64);
    expect(stderr).toContain("Mystery (example.com) is not known to be a policy kind");
  });

  test("a rule is found by its name, its path, and a path above it", async () => {
    const values = colour("{targetRef: {kind: Gateway, name: g}, a: {b: 1, c: 2}}");
    for (const rule of ["a", "a.b", "/a/b"])
      expect((await reach(values, `reach colour/c --rule ${rule} -f c.yaml`)).code).toBe(0);
    const { code, stderr } = await reach(values, "reach colour/c --rule a.d -f c.yaml");
    expect(code).toBe(64);
    expect(stderr).toContain("has no rule 'a.d'; did you mean 'a.b'?");
    expect(stderr).toContain("It has: a.b, a.c");
  });
});

test("overridden on one path, condition false on the other: no value takes effect", async () => {
  const rules = smallCluster.replace("  - name: one\n", "  - name: two\n  - name: one\n");
  const much = limitPolicy("much", "HTTPRoute", "limits: {a: {max: 9}}").replace(
    "name: r}",
    "name: r, sectionName: one}",
  );
  const cap = limitPolicy("cap", "Gateway", "overrides: {strategy: merge, limits: {a: {max: 4}}}");
  const when = "has(spec.limits) && spec.limits.a.max > 5";
  const late = limitPolicy("late", "Gateway", `overrides: {strategy: merge, when: "${when}", limits: {a: {max: 5}}}`);
  const { stdout } = await runCli("reach limitpolicy/late -f a.yaml", {
    files: { "a.yaml": rules + much + cap + late },
  });
  expect(stdout.replaceAll(/\s+/g, " ")).toContain(
    "Overridden: of its 2 paths, no value takes effect on 1, its condition is false on 1.",
  );
});
