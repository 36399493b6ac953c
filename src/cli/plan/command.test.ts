import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { testTerminals, testTranscripts } from "../../../test/support/cli/cli-transcript.ts";
import { type CliResult, runCli } from "../../../test/support/cli/run-cli.ts";
import { schemaViolations } from "../../../test/support/cli/validate-schema.ts";

const fridayAsDefault = `apiVersion: prevail.dev/v1alpha1
kind: RetryPolicy
metadata: {name: friday-fix, namespace: infra}
spec:
  targetRefs:
  - {group: gateway.networking.k8s.io, kind: Gateway, name: prod}
  defaults:
    retry:
      codes: [500, 502, 503]
      attempts: 5
`;

const newPolicies = `apiVersion: gateway.networking.k8s.io/v1
kind: BackendTLSPolicy
metadata: {name: a-tls, namespace: bakery, creationTimestamp: "2020-01-01T00:00:00Z"}
spec:
  targetRefs: [{group: "", kind: Service, name: oven}]
  validation: {hostname: x.example, wellKnownCACertificates: System}
---
apiVersion: prevail.dev/v1alpha1
kind: RetryPolicy
metadata: {name: calm, namespace: infra}
spec:
  targetRefs: [{group: gateway.networking.k8s.io, kind: Gateway, name: prod}]
  overrides: {retry: {attempts: 2}}
`;

const newRoute = `apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: cake, namespace: shop}
spec:
  parentRefs: [{name: prod, namespace: infra, sectionName: https}]
  hostnames: [cake.bakery.example]
  rules:
  - name: eat
    backendRefs: [{name: tiil, port: 8080}]
`;

describe("the bakery", () => {
  testTerminals([
    ["plan-delete-policy", "plan --delete retrypolicy/friday-fix -f examples/bakery"],
    ["plan-delete-namespace", "plan --delete ns/shop -f examples/bakery"],
    ["plan-delete-gateway", "plan --delete gtw/prod -f examples/bakery"],
    ["plan-delete-grant", "plan --delete referencegrant/shop-to-baker -f examples/bakery"],
    ["plan-delete-class", "plan --delete gatewayclass/house --exit-code -f examples/bakery"],
    [
      "plan-delete-definition",
      "plan --delete policydefinition/ratelimitpolicies.policies.example.com -f examples/bakery",
    ],
    ["plan-change-policy", "plan --apply - -f examples/bakery", fridayAsDefault],
    ["plan-create-policies", "plan --apply - -f examples/bakery", newPolicies],
    ["plan-create-route", "plan --apply - -f examples/bakery", newRoute],
    ["plan-nothing", "plan --against examples/bakery --exit-code -f examples/bakery"],
    [
      "plan-against",
      "plan --against examples/bakery/gateway.yaml --against examples/bakery/bakery.yaml -f examples/bakery",
    ],
  ]);
  testTranscripts([
    [
      "plan-json",
      "plan --delete retrypolicy/counter-retries --delete backendtlspolicy/oven-tls -o json -f examples/bakery",
    ],
    ["plan-yaml", "plan --delete backendtlspolicy/oven-tls -o yaml -f examples/bakery"],
    ["plan-wide", "plan --delete namespace/shop -o wide -f examples/bakery"],
    ["plan-misspelt", "plan --delete retrypolicy/friday-fx -f examples/bakery"],
    ["plan-no-kind", "plan --delete friday-fix -f examples/bakery"],
    ["plan-section", "plan --delete httproute/baker#order -f examples/bakery"],
    ["plan-what", "plan -f examples/bakery"],
    ["plan-argument", "plan retrypolicy/friday-fix -f examples/bakery"],
    ["plan-no-file", "plan --apply nowhere.yaml -f examples/bakery"],
    ["plan-both", "plan --against examples/bakery --delete ns/shop -f examples/bakery"],
  ]);

  test("deleting and creating at once, or something in what is deleted, is refused", async () => {
    const both = await runCli("plan --apply - --delete retrypolicy/friday-fix -f examples/bakery", {
      stdin: fridayAsDefault,
    });
    expect([both.code, both.stderr]).toEqual([64, expect.stringContaining("is both in --apply and deleted")]);
    const inside = await runCli("plan --apply - --delete ns/shop -f examples/bakery", { stdin: newRoute });
    expect([inside.code, inside.stderr]).toEqual([64, expect.stringContaining("its Namespace shop is deleted")]);
  });

  test("--exit-code: 0 for nothing, 2 for changes, 1 for mistakes; without it changes are no failure", async () => {
    const codeOf = async (line: string): Promise<number> => (await runCli(`plan ${line} -f examples/bakery`)).code;
    expect(await codeOf("--delete retrypolicy/friday-fix --exit-code")).toBe(2);
    expect(await codeOf("--delete retrypolicy/friday-fix")).toBe(0);
    expect(await codeOf("--apply examples/bakery/team-policies.yaml --exit-code")).toBe(0);
    expect(await codeOf("--delete retrypolicy/absent --exit-code")).toBe(64);
  });
});

describe("what -o json prints is what docs/schemas/plan.json says", () => {
  for (const [line, stdin] of [
    ["--delete ns/shop"],
    ["--delete gtw/prod"],
    ["--delete gatewayclass/house"],
    ["--apply -", fridayAsDefault],
    ["--apply -", newPolicies],
    ["--apply -", newRoute],
    ["--against examples/bakery"],
  ] as const) {
    test(`${line} ${stdin ?? ""}`, async () => {
      const { stdout } = await runCli(`plan ${line} -o json -f examples/bakery`, { stdin: stdin ?? "" });
      expect(schemaViolations("plan.json", JSON.parse(stdout))).toEqual([]);
    });
  }
});

describe("whom to ask", () => {
  const lines = (text: string): readonly string[] => text.trimEnd().split("\n");

  test("the summary is the last paragraph, below the namespaces", async () => {
    const { stdout } = await runCli("plan --delete retrypolicy/friday-fix -f examples/bakery");
    expect(lines(stdout).slice(-2)).toEqual([
      "24 values change on 12 paths, for 3 HTTPRoutes, 1 GRPCRoute, 7 rules, 4 Services and 4 ports.",
      "4 policies change: 1 removed, 3 take effect in more places.",
    ]);
    expect(stdout).toContain("Whom to ask\n  bakery (ask ana@bakery.example): 20 values change on 10 paths");
  });

  test("a namespace without a contact is listed, too", async () => {
    const { stdout } = await runCli(
      "plan --delete colorpolicy/p1 -f test/e2e/testdata/worked-examples/gep-713-example-1.yaml",
    );
    expect(stdout).toMatch(/^Whom to ask\n {2}net: 1 value changes on 1 path, for 1 Service; /m);
  });

  test("redacted, neither the namespace nor the contact of a hidden policy is named", async () => {
    const apply = `apiVersion: prevail.dev/v1alpha1
kind: RetryPolicy
metadata: {name: calm, namespace: infra, annotations: {prevail.dev/contact: noah@bakery.example}}
spec: {targetRefs: [{group: gateway.networking.k8s.io, kind: Gateway, name: prod}], overrides: {retry: {attempts: 2}}}
`;
    for (const output of ["", "-o json"]) {
      const { stdout } = await runCli(`plan --apply - -n bakery --redact ${output} -f examples/bakery`, {
        stdin: apply,
      });
      for (const secret of ["noah@", "chihiro@"]) expect(stdout).not.toContain(secret);
      expect(stdout).toContain("ana@bakery.example");
    }
  });
});

/** A gateway with one route, and policies as the test wants them. */
const world = (...policies: readonly string[]): string =>
  [
    `apiVersion: prevail.dev/v1alpha1
kind: PolicyDefinition
metadata: {name: colours.example.com}
spec:
  policies: [{group: example.com, kind: Colour}]
  class: Inherited
  targeting: {kinds: [{kind: Gateway}, {kind: HTTPRoute}]}
  hierarchy: {effectiveTargets: [HTTPRouteRule]}
  merge: {granularity: {default: Field}}
`,
    `apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: g, namespace: ns}
spec: {gatewayClassName: x, listeners: [{name: l, protocol: HTTP, port: 80}]}
`,
    `apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: r, namespace: ns}
spec: {parentRefs: [{name: g}], rules: [{name: one}]}
`,
    ...policies,
  ].join("---\n");

const colour = (name: string, value: string, more = ""): string =>
  `apiVersion: example.com/v1
kind: Colour
metadata: {name: ${name}, namespace: ns${more}}
spec: {targetRef: {kind: Gateway, name: g}, defaults: {colour: ${value}}}
`;

interface PlannedJson {
  readonly objects: readonly { readonly change: string; readonly object: { readonly name: string } }[];
  readonly effective: readonly {
    readonly change: string;
    readonly values: readonly {
      readonly pointer: string;
      readonly before: { readonly value: unknown; readonly policy: { readonly name: string } } | null;
      readonly after: { readonly value: unknown; readonly policy: { readonly name: string } } | null;
    }[];
  }[];
}

describe("time of creation", () => {
  const plan = async (now: string, next: string, option = "--apply"): Promise<PlannedJson> => {
    const { stdout } = await runCli(`plan ${option} next.yaml -o json -f now.yaml`, {
      files: { "now.yaml": now, "next.yaml": next },
    });
    const json: PlannedJson = JSON.parse(stdout);
    return json;
  };
  const valuesOf = ({ effective }: PlannedJson): readonly unknown[] =>
    effective.flatMap(({ values }) => values.map(({ before, after }) => [before?.value ?? null, after?.value ?? null]));

  // On one target the newer default wins (GEP-713).
  test("what is created is the newest, whatever its document says", async () => {
    const now = world(colour("old", "red", ', creationTimestamp: "2025-01-01T00:00:00Z"'));
    const created = colour("a", "blue", ', creationTimestamp: "2020-01-01T00:00:00Z"');
    expect(valuesOf(await plan(now, created))).toEqual([["red", "blue"]]);
  });

  test("what is changed keeps its own", async () => {
    const now = world(
      colour("a", "red", ', creationTimestamp: "2020-01-01T00:00:00Z"'),
      colour("b", "green", ', creationTimestamp: "2025-01-01T00:00:00Z"'),
    );
    // Were it the newest now, blue would win.
    expect(valuesOf(await plan(now, colour("a", "blue")))).toEqual([]);
    expect(valuesOf(await plan(now, colour("b", "blue")))).toEqual([["green", "blue"]]);
  });

  test("against a directory the times in it stand", async () => {
    const now = world(colour("old", "red", ', creationTimestamp: "2025-01-01T00:00:00Z"'));
    const next = `${now}---\n${colour("older", "blue", ', creationTimestamp: "2020-01-01T00:00:00Z"')}`;
    expect(valuesOf(await plan(now, next, "--against"))).toEqual([]);
  });

  test("the same document, its keys in another order and without what a cluster adds, is no change", async () => {
    const now = world(
      colour("c", "red", ', creationTimestamp: "2025-01-01T00:00:00Z", uid: "1", resourceVersion: "7"'),
    );
    const same =
      "spec: {defaults: {colour: red}, targetRef: {name: g, kind: Gateway}}\nmetadata: {namespace: ns, name: c}\nkind: Colour\napiVersion: example.com/v1\n";
    const planned = await plan(now, same);
    expect(planned.objects.map(({ change, object }) => `${change} ${object.name}`)).toEqual(["Same c"]);
    expect(valuesOf(planned)).toEqual([]);
  });
});

describe("--redact", () => {
  const secrets = ["friday-fix", "house-rules", "counter-retries", "platform-policies", "[500", "[502"];
  for (const [line, stdin] of [
    ["--delete retrypolicy/baker-retries", ""],
    ["--apply -", fridayAsDefault],
    ["--against examples/bakery/bakery.yaml", ""],
  ] as const) {
    for (const output of ["", "-o wide", "-o json", "-o yaml"]) {
      test(`${line} ${output}: neither names nor values of policies elsewhere`, async () => {
        const { stdout, code } = await runCli(`plan ${line} ${output} -n bakery --redact -f examples/bakery`, {
          stdin,
        });
        expect(code).toBe(0);
        expect(stdout).toContain("baker-retries");
        for (const secret of secrets) expect(stdout).not.toContain(secret);
        if (output === "-o json") expect(schemaViolations("plan.json", JSON.parse(stdout))).toEqual([]);
      });
    }
  }

  test("hidden policies are mentioned without their names", async () => {
    const { stdout } = await runCli("plan --apply - -n bakery --redact -f examples/bakery", { stdin: fridayAsDefault });
    expect(stdout).toContain("~ change a policy in another namespace\n");
    expect(stdout).toContain("- hidden, by a policy in another namespace\n");
    expect(stdout).toContain("+ 0 from HTTPRoute bakery/baker itself (examples/bakery/bakery.yaml:18)");
  });

  test("needs a namespace", async () => {
    const { stderr } = await runCli("plan --delete retrypolicy/friday-fix --redact -f examples/bakery");
    expect(stderr).toBe("error: --redact hides policies outside one namespace: name it with -n NAMESPACE\n");
  });
});

describe("what must be true (CoverageRules)", () => {
  const rule = (name: string, condition: string): string => `apiVersion: prevail.dev/v1alpha1
kind: CoverageRule
metadata: {name: ${name}}
spec:
  policyKind: RetryPolicy
  targets: {levels: [HTTPRouteRule], under: [{kind: Gateway, namespace: infra, name: prod}]}
  condition: "${condition}"
`;
  const planWith = async (rules: string): Promise<string> =>
    (await runCli("plan --delete retrypolicy/friday-fix -f examples/bakery -f -", { stdin: rules })).stdout;
  const few = rule("few-retries", "spec.retry.attempts <= 3");
  const crashes = rule("retry-crashes", "500 in spec.retry.codes");

  test("one rule is met and another broken on the same paths: both are printed", async () => {
    const stdout = await planWith(`${few}---\n${crashes}`);
    expect(stdout).toContain("6 new findings and 6 findings resolved.");
    const [, added = "", resolved = ""] = /\nNew findings\n(.*)\n\nResolved findings\n(.*)$/s.exec(stdout) ?? [];
    const rules = (text: string): readonly string[] => [...new Set(text.match(/few-retries|retry-crashes/g))];
    expect([rules(added), rules(resolved)]).toEqual([["retry-crashes"], ["few-retries"]]);
  });

  test("a rule that is broken before and after, by another value, is neither new nor resolved", async () => {
    expect(await planWith(rule("none", "spec.retry.attempts < 0"))).not.toContain("finding");
  });
});

describe("what comes and goes with objects", () => {
  const plan = (line: string, files: Readonly<Record<string, string>>, stdin = ""): Promise<CliResult> =>
    runCli(`plan ${line} -f now.yaml`, { files, stdin });

  test("against files that do not mention a namespace which they use, it stays", async () => {
    const { stdout, code } = await runCli("plan --against examples/bakery/bakery.yaml -o json -f examples/bakery");
    const { objects }: PlannedJson = JSON.parse(stdout);
    const names = objects.map(({ change, object }) => `${change} ${object.name}`);
    expect([code, names.includes("Deleted shop"), names.includes("Deleted bakery")]).toEqual([0, true, false]);
  });

  test("without its only policy a value is what the route itself says", async () => {
    const now = `apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: g, namespace: ns}
spec: {gatewayClassName: x, listeners: [{name: l, protocol: HTTP, port: 80}]}
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: r, namespace: ns}
spec: {parentRefs: [{name: g}], rules: [{name: one, retry: {attempts: 3}}]}
---
apiVersion: prevail.dev/v1alpha1
kind: RetryPolicy
metadata: {name: p, namespace: ns}
spec:
  targetRefs: [{group: gateway.networking.k8s.io, kind: Gateway, name: g}]
  overrides: {retry: {attempts: 9}}
`;
    const { stdout } = await plan("--delete retrypolicy/p", { "now.yaml": now });
    expect(stdout).toContain("- 9 from RetryPolicy ns/p, overrides (now.yaml:16)");
    expect(stdout).toContain("+ 3 from HTTPRoute ns/r itself (now.yaml:9)");
  });

  test("a condition that only the future has is evaluated", async () => {
    const gated = colour("c", "blue").replace("defaults: {", "defaults: {when: 'true', ");
    const { stdout } = await plan("--apply next.yaml", { "now.yaml": world(), "next.yaml": gated });
    expect(stdout).toContain("+ blue from Colour ns/c, defaults");
    expect(stdout).not.toContain("ConditionError");
  });

  test("a CRD takes along what is of its kind", async () => {
    const crd = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: colours.example.com}
spec: {group: example.com, scope: Namespaced, names: {kind: Colour, plural: colours}, versions: []}
`;
    const { stdout } = await plan("--delete crd/colours.example.com", {
      "now.yaml": `${world(colour("c", "red"))}---\n${crd}`,
    });
    expect(stdout).toContain("- delete Colour ns/c");
    expect(stdout).toContain("Colour ns/c: Enforced → removed");
  });

  test("a namespace that no document defines can go, with what is in it", async () => {
    const { stdout, code } = await plan("--delete ns/ns", { "now.yaml": world(colour("c", "red")) });
    expect(code).toBe(0);
    expect(stdout).toContain("with what is in it: 1 Colour, 1 Gateway and 1 HTTPRoute");
  });

  test("what the API server would refuse leaves the object as it is and is reported", async () => {
    const refused =
      "apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nmetadata: {name: r, namespace: ns}\nspec:\n  parentRefs: 5\n";
    const { stdout, stderr, code } = await plan("--apply next.yaml --delete colour/c", {
      "now.yaml": world(colour("c", "red")),
      "next.yaml": `${refused}---\n${colour("d", "blue")}`,
    });
    expect(code).toBe(65);
    expect(stderr).toContain(
      "next.yaml:5:15: HTTPRoute ns/r: spec.parentRefs is 5; allowed: a list of at most 32 items",
    );
    expect(stdout).not.toContain("HTTPRoute ns/r (next.yaml");
    expect(stdout).toContain("+ blue from Colour ns/d");
  });

  test("an object that is of no use can be deleted", async () => {
    const broken =
      "apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nmetadata: {name: bad, namespace: ns}\nspec: {parentRefs: 5}\n";
    const { stdout, stderr, code } = await plan("--delete httproute/bad", { "now.yaml": `${world()}---\n${broken}` });
    expect(stdout).toContain("Resolved findings");
    expect(stdout).toContain("spec.parentRefs is 5; allowed: a list of");
    // What there is now was not read wholly.
    expect(stdout).toMatch(/broken: now\.yaml:\d+: 1 object is left out, as the API server would refuse it/);
    expect(stderr).toBe("");
    expect(code).toBe(65);
  });

  test("two documents for one object in what is applied are an error", async () => {
    const { stderr, code } = await plan("--apply next.yaml", {
      "now.yaml": world(),
      "next.yaml": `${colour("c", "red")}---\n${colour("c", "blue")}`,
    });
    expect(code).toBe(65);
    expect(stderr).toContain("Colour ns/c is defined twice");
  });

  test("standard input is read once", async () => {
    const { stderr, code } = await runCli("plan --apply - -f -", { stdin: world() });
    expect([code, stderr]).toEqual([64, expect.stringContaining("standard input (-) can be read only once")]);
  });

  test("several objects of one name are listed", async () => {
    const other = colour("c", "red").replaceAll("namespace: ns", "namespace: other");
    const { stderr, code } = await plan("--delete colour/c", {
      "now.yaml": `${world(colour("c", "red"))}---\n${other}`,
    });
    expect(code).toBe(64);
    expect(stderr).toContain("colour/ns/c");
    expect(stderr).toContain("colour/other/c");
  });

  test("a document with Windows line endings and a BOM is the same document", async () => {
    const text = readFileSync("examples/bakery/team-policies.yaml", "utf8");
    const { stdout } = await runCli("plan --apply - --exit-code -f examples/bakery", {
      stdin: `\ufeff${text.replaceAll("\n", "\r\n")}`,
    });
    expect(stdout).toContain("Nothing changes");
  });

  test("no line is wider than a narrow terminal but for words that are", async () => {
    const { stdout } = await runCli("plan --delete retrypolicy/friday-fix -f examples/bakery", { columns: 40 });
    for (const line of stdout.split("\n"))
      if (line.length > 40) expect(line.trim().split(" ").length).toBeLessThanOrEqual(5);
  });
});

test("the summary names virtual objects, which have no routes", async () => {
  const virtual = `apiVersion: prevail.dev/v1alpha1
kind: PolicyDefinition
metadata: {name: v}
spec:
  policies: [{group: x.io, kind: VP}]
  class: Direct
  targeting: {kinds: [{group: y.io, kind: ExternalService, virtual: true}]}
  hierarchy: {kinds: [{group: y.io, kind: ExternalService}]}
---
apiVersion: x.io/v1
kind: VP
metadata: {name: p, namespace: a}
spec: {targetRefs: [{group: y.io, kind: ExternalService, name: foo.com}], t: 1}
`;
  const { stdout } = await runCli("plan --delete vp/p -f v.yaml", { files: { "v.yaml": virtual } });
  expect(stdout).toContain("1 value is removed with 1 path, for 1 ExternalService.");
});
