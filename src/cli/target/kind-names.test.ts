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

const inherited = (group: string): string =>
  definition(group).replace(
    "class: Direct, targeting: {kinds: [Service]}",
    "class: Inherited, targeting: {kinds: [Gateway, HTTPRoute]}, hierarchy: {effectiveTargets: [HTTPRouteRule]}, merge: {granularity: {default: Field}}",
  );
const onGateway = (group: string, name: string, kind = "Gateway", target = "g"): string =>
  policy(group, name, target).replace(
    '{group: "", kind: Service,',
    `{group: gateway.networking.k8s.io, kind: ${kind},`,
  );
const routed = {
  files: {
    "a.yaml": [
      inherited(istio),
      inherited(linkerd),
      "apiVersion: gateway.networking.k8s.io/v1\nkind: GatewayClass\nmetadata: {name: c}\nspec: {controllerName: example.com/x}\n",
      "apiVersion: gateway.networking.k8s.io/v1\nkind: Gateway\nmetadata: {name: g, namespace: shop}\nspec: {gatewayClassName: c, listeners: [{name: http, port: 80, protocol: HTTP}]}\n",
      "apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nmetadata: {name: r, namespace: shop}\nspec: {parentRefs: [{name: g}], rules: [{name: a, backendRefs: [{name: till, port: 80}]}]}\n",
      service,
      onGateway(istio, "x"),
      onGateway(linkerd, "x"),
      onGateway(linkerd, "low", "HTTPRoute", "r").replace(`allow: ${linkerd}`, "allow: others"),
    ].join("---\n"),
  },
};

describe("two kinds of one name on one route", () => {
  for (const line of [
    "explain httproute/r",
    "get effective",
    "how httproute/r allow=5",
    "trace GET http://example.com/",
    "reach authorizationpolicies.policy.linkerd.io/low",
    "graph",
    "status",
    "status httproute/r",
    "check",
    "plan --delete authorizationpolicies.policy.linkerd.io/low",
  ])
    test(`${line} names their groups`, async () => {
      const { stdout } = await runCli(`${line} -f a.yaml`, { ...routed, columns: 300 });
      expect(stdout).toContain("AuthorizationPolicy.policy.linkerd.io");
      const bare = stdout.split("\n").filter((text) => /(?<![\w.])AuthorizationPolicy (?!\()/.test(text));
      expect(bare).toEqual([]);
    });

  for (const word of [
    "authorizationpolicies.policy.linkerd.io/low",
    "AuthorizationPolicy.v1.policy.linkerd.io/low",
    "authorizationpolicy.v1alpha1.policy.linkerd.io/shop/low",
  ])
    test(`kubectl's form ${word} selects one`, async () => {
      const { stdout, code } = await runCli(`reach ${word} -f a.yaml`, { ...routed, columns: 200 });
      expect({ code, first: stdout.split("\n")[0] }).toMatchObject({
        code: 0,
        first: expect.stringContaining("AuthorizationPolicy.policy.linkerd.io shop/low"),
      });
    });

  test("an error about a name that does not exist names the group, too", async () => {
    const { stderr } = await runCli("reach authorizationpolicies.policy.linkerd.io/lw -f a.yaml", routed);
    expect(stderr.replaceAll(/\s+/g, " ")).toContain(
      "there is no AuthorizationPolicy.policy.linkerd.io 'lw'; did you mean 'low' (AuthorizationPolicy.policy.linkerd.io shop/low)?",
    );
  });

  for (const line of [
    "explain httproute/r",
    "reach authorizationpolicies.policy.linkerd.io/low",
    "trace GET http://example.com/",
  ])
    test(`${line} -o json has the group of each policy`, async () => {
      const { stdout } = await runCli(`${line} -o json -f a.yaml`, routed);
      const missing: unknown[] = [];
      JSON.parse(stdout, (_, value: unknown) => {
        if (typeof value === "object" && value !== null && "kind" in value && value.kind === "AuthorizationPolicy")
          if (!("group" in value) && !("apiVersion" in value)) missing.push(value);
        return value;
      });
      expect(missing).toEqual([]);
      expect(stdout).toContain(linkerd);
    });
});

describe("caveats of answers about kinds that are not known, and of a definition with an error", () => {
  const files = {
    "a.yaml": [
      "apiVersion: gateway.networking.k8s.io/v1\nkind: Gateway\nmetadata: {name: g, namespace: shop}\nspec: {gatewayClassName: c, listeners: [{name: http, port: 80, protocol: HTTP}]}\n",
      onGateway("a.example.com", "x"),
      onGateway("b.example.com", "x"),
      definition("b.example.com").replace("class: Direct", "class: Other"),
    ].join("---\n"),
  };
  for (const line of ["explain gtw/g", "check", "get policies -A", "explain gtw/g -o json"])
    test(line, async () => {
      const { stdout, stderr } = await runCli(`${line} -f a.yaml`, { files, columns: 300 });
      const text = `${stdout}${stderr}`;
      expect(text).toContain("AuthorizationPolicy.b.example.com");
      expect(text).toContain("AuthorizationPolicy.a.example.com");
      expect(text.split("\n").filter((one) => /(?<![\w.])AuthorizationPolicy (?!\()/.test(one))).toEqual([]);
    });
});

test("one kind of the name is shown without its group", async () => {
  const { stdout } = await runCli("get policies -f a.yaml", one);
  expect(stdout).toContain("AuthorizationPolicy   x");
});
