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
      expect(code).toBe(65);
    });
  }

  for (const resource of ["policies", "effective"]) {
    test(`get ${resource}: not just "nothing found"`, async () => {
      const { code, stdout, stderr } = await runCli(`get ${resource} -f brk`, { files: brk2 });
      expect(flat(stderr)).toContain(`nothing known found; ${IGNORED}`);
      expect(flat(stdout)).toMatch(HEADLINE);
      expect(code).toBe(65);
    });
  }

  test("get targets: shows the caveats", async () => {
    const { code, stdout } = await runCli("get targets -f brk", { files: brk2 });
    expect(flat(stdout)).toMatch(HEADLINE);
    expect(code).toBe(65);
  });

  test("reach of an ignored policy names the error of its definition", async () => {
    const { code, stderr } = await runCli("reach authpolicy/front-door -f brk", { files: brk });
    expect(flat(stderr)).toContain("AuthPolicy infra/front-door is ignored: the definition of its kind has an error");
    expect(flat(stderr)).toMatch(HEADLINE);
    expect(code).toBe(65);
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
    expect(stdout).toContain(
      "◆ RetryPolicy baker-retries: not known: an object that it depends on is not in the input",
    );
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

describe("a namespace or a selector that matches nothing", () => {
  for (const command of [
    "check",
    "explain httproute/baker",
    "reach retrypolicy/friday-fix",
    "get policies",
    "get targets",
    "get effective",
    "graph",
    "status",
    "plan --delete retrypolicy/friday-fix",
  ]) {
    test(`${command} -n bakrey: an error with a suggestion`, async () => {
      const { code, stderr } = await runCli(`${command} -n bakrey -f examples/bakery`);
      expect(flat(stderr)).toContain("-n bakrey: no object is in namespace 'bakrey'; did you mean 'bakery'?");
      expect(code).toBe(64);
    });
  }

  for (const command of ["check", "get policies", "graph", "status"]) {
    test(`${command} -l: an error with a suggestion`, async () => {
      const files = {
        "a.yaml": `apiVersion: v1\nkind: Service\nmetadata: {name: s, namespace: a, labels: {team: bread}}\nspec: {ports: [{port: 80}]}`,
      };
      const value = await runCli(`${command} -l team=bred -f a.yaml`, { files });
      expect(flat(value.stderr)).toContain("-l team=bred: no object has these labels; did you mean 'bread'?");
      expect(value.code).toBe(64);
      const key = await runCli(`${command} -l taem=bread -f a.yaml`, { files });
      expect(flat(key.stderr)).toContain("did you mean 'team'?");
    });
  }

  test("graph -n and -l act", async () => {
    const { stdout } = await runCli("graph -n shop -f examples/bakery");
    expect(stdout).toContain("HTTPRoute shop/counter");
    expect(stdout).toContain("Gateway infra/prod");
    expect(stdout).not.toContain("HTTPRoute bakery/baker");
  });
});

test("get definitions KIND shows the definition also without an object of the kind", async () => {
  const files = {
    "a.yaml": "apiVersion: v1\nkind: Service\nmetadata: {name: s, namespace: a}\nspec: {ports: [{port: 80}]}",
  };
  for (const word of ["RetryPolicy", "retrypolicies.prevail.dev", "clusterretrypolicy"]) {
    const { code, stdout } = await runCli(`get definitions ${word} -f a.yaml`, { files });
    expect(stdout).toContain("RetryPolicy, ClusterRetryPolicy");
    expect(stdout).not.toContain("BackendTLSPolicy");
    expect(code).toBe(0);
  }
});

describe("policies that the data plane does not carry out", () => {
  const NOT_BY = "3 AuthPolicies and 6 RateLimitPolicies are not carried out by";
  for (const [line, plane] of [
    ["run --dry-run", "the embedded gateway"],
    ["run --dry-run --dataplane envoy", "Envoy"],
    ["xds dump", "Envoy"],
    ["check --dataplane embedded", "the embedded gateway"],
    ["check --dataplane envoy", "Envoy"],
  ] as const) {
    test(line, async () => {
      const { code, stdout, stderr } = await runCli(`${line} -f examples/bakery`);
      expect(flat(stdout + stderr)).toContain(`${NOT_BY} ${plane}`);
      expect(code).toBe(line.startsWith("check") ? 1 : 0);
      expect((await runCli(`${line} --fail-on caveat -f examples/bakery`)).code).toBe(1);
    });
  }

  test("run --dry-run and xds dump name a definition with an error", async () => {
    for (const line of ["run --dry-run -f brk", "xds dump -f brk"]) {
      const { code, stdout, stderr } = await runCli(line, { files: brk2 });
      expect(flat(stdout + stderr)).toMatch(HEADLINE);
      expect(code).toBe(65);
    }
  });
});

describe("the files of a platform team, without routes", () => {
  const files = bakeryWithout("bakery.yaml", "shop.yaml", "team-policies.yaml");
  const message = "no route in the input leads through";

  for (const line of [
    "plan --delete authpolicy/front-door -f brk",
    "explain gateway/prod -f brk",
    "get policies -f brk",
    "reach authpolicy/front-door -f brk",
    "status authpolicy/front-door -f brk",
  ])
    test(`${line}: where its policies take effect is not known`, async () => {
      const { code, stdout } = await runCli(line, { files });
      expect(flat(stdout).split(message)).toHaveLength(line.startsWith("plan") || line.startsWith("explain") ? 3 : 2);
      expect(flat(stdout)).toMatch(/leads through [^.]*Gateway infra\/prod/);
      expect(flat(stdout)).not.toMatch(/No (policy takes effect|effective value changes)/);
      expect(code).toBe(0);
    });

  test("check: no warning to delete them", async () => {
    const { code, stdout } = await runCli("check -f brk", { files });
    expect(stdout).not.toContain("warning");
    expect(flat(stdout)).toContain(message);
    expect(code).toBe(0);
  });

  test("--complete: they reach nothing", async () => {
    const { stdout } = await runCli("check -f brk --complete", { files });
    expect(stdout).toContain("warning ReachesNothing");
    expect(flat(stdout)).not.toContain(message);
  });

  test("a route that its Gateway does not take is known", async () => {
    const { stdout } = await runCli("reach ratelimitpolicy/stocktaking -f brk", { files: bakeryWithout() });
    expect(stdout).not.toContain("Caveats");
  });
});

describe("several parents that are not in the files", () => {
  test("are counted and named, in the plural", async () => {
    const route = (name: string) => `apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: ${name}, namespace: a}
spec: {parentRefs: [{name: ${name}}]}
`;
    const files = { "a.yaml": `${route("red")}---\n${route("green")}` };
    const { stdout } = await runCli("check -f a.yaml", { files });
    expect(flat(stdout)).toContain("Policies on them and above them are not known.");
  });
});

describe("a policy with an error, on a Gateway", () => {
  const files = {
    ...bakeryWithout(),
    "brk/typo.yaml": `apiVersion: prevail.dev/v1alpha1
kind: RetryPolicy
metadata: {name: typo, namespace: infra}
spec:
  targetRefs: [{group: gateway.networking.k8s.io, kind: Gateway, name: prod}]
  overrides: {retry: {attempts: many}}
`,
  };
  const message = "brk/typo.yaml:6: 1 policy is invalid, and is ignored until this is fixed: RetryPolicy infra/typo.";

  for (const line of [
    "explain httproute/counter",
    "trace GET https://shop.bakery.example:8443/",
    "get effective",
    "get targets",
    "graph",
    "reach retrypolicy/friday-fix",
    "plan --delete retrypolicy/friday-fix",
  ])
    test(`${line}: says that it is ignored`, async () => {
      const { code, stdout } = await runCli(`${line} -f brk`, { files });
      expect(flat(stdout)).toContain(message);
      expect(code).toBe(65);
    });

  test.each(["reach authpolicy/front-door", "reach retrypolicy/typo"])("%s: no caveat", async (line) => {
    const { stdout } = await runCli(`${line} -f brk`, { files });
    expect(stdout).not.toContain("Caveats");
  });
});

describe("a policy whose CRD has a rule that cannot be evaluated", () => {
  const files = {
    ...bakeryWithout(),
    "brk/colour.yaml": `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: colours.example.com, labels: {gateway.networking.k8s.io/policy: Inherited}}
spec:
  group: example.com
  names: {kind: Colour, plural: colours}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            x-kubernetes-preserve-unknown-fields: true
            properties: {targetRef: {type: object, x-kubernetes-preserve-unknown-fields: true}}
            x-kubernetes-validations: [{rule: self.hue.frobnicate()}]
---
apiVersion: example.com/v1
kind: Colour
metadata: {name: red, namespace: shop}
spec:
  targetRef: {group: gateway.networking.k8s.io, kind: HTTPRoute, name: counter}
  hue: 1
`,
  };
  const caveat = "rules of CRDs could not be evaluated on 1 object";

  test.each(["explain httproute/counter", "reach colour/red", "get policies"])("%s: says so", async (line) => {
    const { code, stdout } = await runCli(`${line} -f brk`, { files });
    expect(flat(stdout)).toContain(`${caveat}, which the API server may refuse: Colour shop/red`);
    expect(code).toBe(0);
  });

  test.each(["explain httproute/baker", "reach retrypolicy/counter-retries"])(
    "%s: it is not about it",
    async (line) => {
      const { stdout } = await runCli(`${line} -f brk`, { files });
      expect(flat(stdout)).not.toContain(caveat);
    },
  );
});

describe("--redact hides policies of other namespaces in caveats", () => {
  test("one whose reference is not in the input", async () => {
    const tls = `apiVersion: gateway.networking.k8s.io/v1
kind: BackendTLSPolicy
metadata: {name: secret-tls, namespace: bakery}
spec:
  targetRefs: [{group: "", kind: Service, name: baker}]
  validation: {hostname: x.example, caCertificateRefs: [{group: "", kind: ConfigMap, name: ca}]}
`;
    const files = { ...bakeryWithout(), "brk/tls.yaml": tls };
    const caveatsOf = async (more: string): Promise<string> => {
      const { stdout } = await runCli(`explain httproute/counter ${more} -o json -f brk`, { files });
      return JSON.stringify((JSON.parse(stdout) as { caveats: unknown }).caveats);
    };
    expect(await caveatsOf("")).toContain("secret-tls");
    expect(await caveatsOf("-n shop --redact")).toContain("AbsentReference");
    expect(await caveatsOf("-n shop --redact")).not.toContain("secret-tls");
  });

  test("one with an error", async () => {
    const files = {
      ...bakeryWithout(),
      "brk/typo.yaml": `apiVersion: prevail.dev/v1alpha1
kind: RetryPolicy
metadata: {name: secret, namespace: infra}
spec:
  targetRefs: [{group: gateway.networking.k8s.io, kind: Gateway, name: prod}]
  overrides: {retry: {attempts: many}}
`,
    };
    const { stdout } = await runCli("explain httproute/counter -n shop --redact -f brk", { files });
    expect(stdout).toContain("1 policy is invalid.");
    expect(stdout).not.toContain("secret");
  });
});

describe("a policy whose target or paths are not in the input is Incomplete", () => {
  const verdictOf = async (files: Readonly<Record<string, string>>, name: string, more = ""): Promise<string> => {
    const { stdout } = await runCli(`get policies ${more} -f brk`, { files });
    return stdout.split("\n").find((line) => line.includes(` ${name} `)) ?? "";
  };

  test("its Gateway is absent: get policies, reach and status agree", async () => {
    const files = bakeryWithout("gateway.yaml");
    expect(await verdictOf(files, "friday-fix")).toMatch(/Incomplete +not known$/);
    const { stdout: reached } = await runCli("reach retrypolicy/friday-fix -f brk", { files });
    expect(reached).toContain("Incomplete: no target of the policy is known");
    const { stdout: status } = await runCli("status retrypolicy/friday-fix -f brk", { files });
    expect(status).toContain("Accepted=Unknown/Incomplete");
    const { stdout: json } = await runCli("get policies retrypolicy/friday-fix -o json -f brk", { files });
    expect(JSON.parse(json)).toMatchObject({ items: [{ verdict: { state: "Unknown", reason: "Incomplete" } }] });
  });

  test("a mistyped name stays TargetNotFound, and --complete makes an absent Gateway one", async () => {
    const files = bakeryWithout("gateway.yaml");
    expect(await verdictOf(files, "no-double-orders")).toMatch(/TargetNotFound +nowhere$/);
    expect(await verdictOf(files, "friday-fix", "--complete")).toMatch(/TargetNotFound +nowhere$/);
  });

  test("no route is in the input", async () => {
    const files = bakeryWithout("bakery.yaml", "shop.yaml", "team-policies.yaml");
    expect(await verdictOf(files, "friday-fix")).toMatch(/Incomplete +not known$/);
    expect(await verdictOf(files, "friday-fix", "--complete")).toMatch(/NoPath +nowhere$/);
  });

  test("explain counts the policies of the input that target the absent Gateway, and names none", async () => {
    const files = bakeryWithout("gateway.yaml");
    const { stdout } = await runCli("explain httproute/counter -n shop --redact -f brk", { files });
    expect(stdout.replaceAll(/\s+/g, " ")).toContain(
      "1 AuthPolicy, 1 RateLimitPolicy and 1 RetryPolicy target it and are left out of account",
    );
    expect(stdout).not.toContain("friday-fix");
  });
});

describe("a target of a kind that is left to implementations", () => {
  const files = {
    "a.yaml": `
apiVersion: gateway.networking.k8s.io/v1
kind: BackendTLSPolicy
metadata: {name: tls, namespace: ns}
spec:
  targetRefs: [{group: vendor.example, kind: Backend, name: b}]
  validation: {hostname: x.example, wellKnownCACertificates: System}
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: r, namespace: ns}
spec: {parentRefs: [{name: g}], rules: [{backendRefs: [{group: vendor.example, kind: Backend, name: b}]}]}
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: other, namespace: ns}
spec: {parentRefs: [{name: g}], rules: [{}]}
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: g, namespace: ns}
spec: {gatewayClassName: x, listeners: [{name: l, protocol: HTTP, port: 80}]}
`,
  };
  const sentence = "whether 1 policy takes effect is not known: the kind of its target is left to implementations";

  for (const line of [
    "explain httproute/r",
    "explain gateway/g",
    "get policies",
    "reach backendtlspolicy/tls",
    "plan --delete backendtlspolicy/tls",
  ])
    test(`${line}: a caveat`, async () => {
      const { code, stdout } = await runCli(`${line} -f a.yaml`, { files });
      expect(flat(stdout)).toContain(`partial: a.yaml:6: ${sentence}: BackendTLSPolicy ns/tls.`);
      expect(stdout).not.toContain("not attached to any parent");
      expect(code).toBe(0);
    });

  test("explain of another route does not mention it", async () => {
    const { stdout } = await runCli("explain httproute/other -f a.yaml", { files });
    expect(stdout).not.toContain("implementations");
  });

  for (const [line, verdict] of [
    ["get policies -o json", { state: "Unknown", reason: "Incomplete" }],
    ["reach backendtlspolicy/tls -o json", { accepted: null, reason: "Incomplete" }],
    ["plan --delete backendtlspolicy/tls -o json", { accepted: null, reason: "Incomplete" }],
  ] as const)
    test(`${line}: text and JSON agree that the verdict is not known`, async () => {
      const { stdout } = await runCli(`${line} -f a.yaml`, { files });
      const found = JSON.parse(stdout);
      const own = found.verdict ?? found.items?.[0]?.verdict ?? found.policies?.[0]?.before;
      expect(own).toMatchObject(verdict);
      if (found.kind === "Reach") expect(schemaViolations("reach.json", found)).toEqual([]);
      if (found.kind === "Plan") expect(schemaViolations("plan.json", found)).toEqual([]);
    });
});

describe("a definition that is approximate", () => {
  const files = {
    "a.yaml": `apiVersion: v1
kind: Service
metadata: {name: s, namespace: default}
spec: {ports: [{port: 80}]}
---
apiVersion: example.com/v1
kind: TrafficPolicy
metadata: {name: p, namespace: default}
spec: {targetRef: {group: "", kind: Service, name: s}, x: 1}
---
apiVersion: prevail.dev/v1alpha1
kind: PolicyDefinition
metadata: {name: trafficpolicies.example.com}
spec:
  policies: [{group: example.com, kind: TrafficPolicy}]
  class: Direct
  targeting: {kinds: [Service]}
  approximate: [{because: retries are counted in another way}]
`,
  };

  for (const line of ["explain service/s", "check", "reach trafficpolicy/p"])
    test(`${line}: it is no failure with --complete, because no file is missing, and one with --fail-on caveat`, async () => {
      const complete = await runCli(`${line} --complete -f a.yaml`, { files });
      expect(flat(complete.stdout)).toContain("the definition of TrafficPolicy is approximate");
      expect(complete.code).toBe(0);
      const failing = await runCli(`${line} --fail-on caveat -f a.yaml`, { files });
      expect(failing.code).toBe(1);
    });
});

describe("several policies on one target, and it is not defined which takes effect", () => {
  const on = (name: string, namespaced: string): string => `---
apiVersion: example.com/v1
kind: MeshPolicy
metadata: {name: ${name}, namespace: shop}
spec: {${namespaced}}
`;
  const target = "targetRef: {group: gateway.networking.k8s.io, kind: Gateway, name: g}";
  const files = {
    "a.yaml": `apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: g, namespace: shop}
spec: {gatewayClassName: c, listeners: [{name: http, protocol: HTTP, port: 80}]}
---
apiVersion: prevail.dev/v1alpha1
kind: PolicyDefinition
metadata: {name: meshpolicies.example.com}
spec:
  policies: [{group: example.com, kind: MeshPolicy}]
  class: Inherited
  targeting: {kinds: [Gateway], absent: {means: OwnNamespace}}
  hierarchy: {effectiveTargets: [Gateway], namespaces: {above: [Gateway]}}
  merge: {granularity: {default: Field}, sameTarget: Undefined}
${on("all", "size: 1")}${on("one", `${target}, size: 2`)}${on("two", `${target}, size: 3`)}`,
  };

  test("explain shows no winner, and that the values of other policies may not take effect", async () => {
    const { stdout } = await runCli("explain gateway/g -f a.yaml", { files });
    expect(flat(stdout)).toContain("Not known: it is not defined which of several policies on one target takes effect");
    expect(flat(stdout)).toContain("Undefined: Gateway shop/g also has MeshPolicy shop/two");
    expect(stdout).not.toMatch(/size: [23]/);
  });

  test("get policies, reach and check say so", async () => {
    const { stdout: table } = await runCli("get policies -f a.yaml", { files });
    expect(flat(table)).toContain("MeshPolicy one Gateway/g Undefined not known");
    const { stdout: reach } = await runCli("reach meshpolicy/one -f a.yaml", { files });
    expect(flat(reach)).toContain("Undefined: Gateway shop/g also has MeshPolicy shop/two");
    const { stdout: found } = await runCli("check -f a.yaml", { files });
    expect(flat(found)).toContain("warning UndefinedConflict MeshPolicy shop/one");
  });
});

test("the sentence names an object once that is a parent and a target, and is not there", async () => {
  const files = {
    "shop.yaml": `
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: r, namespace: shop}
spec: {parentRefs: [{name: edge}]}
---
apiVersion: kuadrant.io/v1
kind: RateLimitPolicy
metadata: {name: p, namespace: shop}
spec: {targetRef: {group: gateway.networking.k8s.io, kind: Gateway, name: edge}, limits: {all: {rates: [{limit: 5, window: 1m}]}}}
`,
  };
  const { stdout } = await runCli("check -f shop.yaml", { files });
  expect(flat(stdout)).toContain("in shop.yaml; Gateway shop/edge is not in the input, see below.");
});
