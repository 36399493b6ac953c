import { describe, expect, test } from "vitest";
import { testTerminals, testTranscripts } from "../../../test/support/cli/cli-transcript.ts";
import { runCli } from "../../../test/support/cli/run-cli.ts";
import { manyRoutes } from "../../../test/support/cluster/many-routes.ts";
import type { Explanation } from "../../core/explain/explain/result.ts";

describe("a kind in which all policies take effect", () => {
  const files = "-f test/testdata/vendor-rules/all-apply.yaml";
  testTranscripts([
    ["explain-all-apply", `explain httproute/shop#orders -n shop ${files}`],
    ["explain-all-apply-redacted-json", `explain httproute/shop#orders -n shop --redact -o json ${files}`],
    ["check-all-apply", `check ${files}`],
    ["reach-all-apply", `reach accesspolicy/no-robots -n shop ${files}`],
    ["how-all-apply", `how httproute/shop rules=[] --policy AccessPolicy -n shop ${files}`],
  ]);
});

describe("three implementations in one cluster", () => {
  const files = "-n harbour -f examples/mixed --complete";
  testTerminals([["explain-mixed", `explain httproute/timetable ${files}`]]);
  testTranscripts([
    ["explain-mixed", `explain httproute/timetable ${files}`],
    ["explain-mixed-all-paths", `explain gtw/public --all-paths ${files}`],
    ["explain-mixed-json", `explain httproute/timetable -o json ${files}`],
    ["explain-mixed-one-kind", `explain httproute/payroll ${files}`],
  ]);
});

describe("the bakery", () => {
  testTerminals([
    ["explain-route", "explain httproute/baker -f examples/bakery"],
    ["explain-rule", "explain httproute/baker#rule-2 -f examples/bakery"],
    ["explain-listener", "explain gtw/prod#https -f examples/bakery"],
    ["explain-service", "explain svc/oven -f examples/bakery"],
    ["explain-unattached", "explain httproute/stocktaking -f examples/bakery"],
    ["explain-redacted", "explain httproute/baker -n bakery --redact -f examples/bakery"],
    [
      "explain-incomplete",
      "explain httproute/baker -f examples/bakery/bakery.yaml -f examples/bakery/team-policies.yaml",
    ],
  ]);
  testTranscripts([
    ["explain-all-paths", "explain httproute/baker#menu --all-paths -f examples/bakery"],
    ["explain-wide", "explain httproute/baker#order -o wide -f examples/bakery"],
    ["explain-name", "explain httproute/baker -o name -f examples/bakery"],
    ["explain-json", "explain httproute/baker#order -o json -f examples/bakery"],
    ["explain-yaml", "explain svc/oven -o yaml -f examples/bakery"],
    ["explain-redacted-json", "explain httproute/baker#order -n bakery --redact -o json -f examples/bakery"],
  ]);

  test("--blame on files: what kubectl get --show-managed-fields has written, and what is not recorded", async () => {
    const policy = {
      apiVersion: "prevail.dev/v1alpha1",
      kind: "RetryPolicy",
      metadata: {
        name: "late",
        namespace: "shop",
        managedFields: [
          {
            manager: "kubectl-edit",
            operation: "Update",
            time: "2024-12-20T18:47:00Z",
            fieldsV1: { "f:spec": { "f:overrides": { "f:timeouts": { "f:request": {} } } } },
          },
        ],
      },
      spec: {
        targetRefs: [{ group: "gateway.networking.k8s.io", kind: "HTTPRoute", name: "counter" }],
        overrides: { timeouts: { request: "7s", backendRequest: "2s" } },
      },
    };
    const line = "explain httproute/counter --blame -f examples/bakery -f -";
    const { stdout } = await runCli(line, { stdin: JSON.stringify(policy) });
    const words = stdout.replaceAll(/\s+/g, " ");
    expect(words).toContain("last written with kubectl-edit, at the latest 2024-12-20 18:47 UTC");
    expect(words).toContain("its last write is not recorded");
    const json = await runCli(`${line} -o json`, { stdin: JSON.stringify(policy) });
    expect(json.stdout).toContain('"manager": "kubectl-edit"');
  });

  test("no line is wider than the terminal but for words that are", async () => {
    for (const columns of [40, 60, 80, 100]) {
      const { stdout } = await runCli("explain httproute/baker -f examples/bakery", { columns });
      for (const line of stdout.split("\n")) {
        if (line.length > columns) expect(line.trim()).not.toContain(" > ");
        const [first = "", ...rest] = line.trim().split(" ");
        if (line.length > columns) expect([first, rest.length <= 2]).toEqual([first, true]);
      }
    }
  });

  test("colour only on a terminal, and not with NO_COLOR", async () => {
    const line = "explain httproute/baker -f examples/bakery";
    const plain = await runCli(line, { columns: 100 });
    const coloured = await runCli(line, { columns: 100, env: { NO_COLOR: "" } });
    expect(plain.stdout).not.toContain("\u001b");
    expect(coloured.stdout).toContain("\u001b[");
    expect(coloured.stdout.replaceAll(/\p{Cc}\[[\d;]+m/gu, "")).toBe(plain.stdout);
    expect((await runCli(line, { env: { NO_COLOR: "" } })).stdout).not.toContain("\u001b");
    expect((await runCli(line, { columns: 100, env: { NO_COLOR: "", TERM: "dumb" } })).stdout).not.toContain("\u001b");
  });

  test("redacted, neither names nor values of other namespaces appear", async () => {
    for (const output of ["", "-o json", "-o yaml", "-o wide", "-o name"]) {
      const { stdout, code } = await runCli(`explain httproute/baker -n bakery --redact ${output} -f examples/bakery`);
      expect(code).toBe(0);
      for (const secret of [
        "friday-fix",
        "front-door",
        "fair-share",
        "house-rules",
        "x-audit-id",
        "login.bakery",
        "[500",
        "platform-policies",
      ])
        expect(stdout).not.toContain(secret);
      expect(stdout).toContain(output === "-o json" || output === "-o yaml" ? "redacted" : "baker-retries");
    }
  });
});

/** A gateway, a route under it, and policies of a kind that has every strategy. */
const ground = `
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: g, namespace: a}
spec: {gatewayClassName: c, listeners: [{name: l, port: 80, protocol: HTTP}]}
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: r, namespace: a}
spec: {parentRefs: [{name: g}], rules: [{name: one, backendRefs: []}]}
status:
  parents:
  - parentRef: {name: g}
    controllerName: example.com/controller
    conditions:
    - {type: Accepted, status: "True", reason: Accepted, message: ""}
    - {type: ResolvedRefs, status: "False", reason: BackendNotFound, message: no such Service}
---
apiVersion: prevail.dev/v1alpha1
kind: PolicyDefinition
metadata: {name: colors.example.com}
spec:
  policies: [{group: example.com, kind: Color}]
  class: Inherited
  targeting: {refs: One, kinds: [{kind: Gateway}, {kind: HTTPRoute, sections: [Rule]}]}
  hierarchy: {effectiveTargets: [HTTPRouteRule]}
  merge: {granularity: {default: Atomic, values: {atomic: Atomic, patch: Patch}}}
`;

const color = (name: string, target: string, spec: string): string => `---
apiVersion: example.com/v1
kind: Color
metadata: {name: ${name}, namespace: a}
spec:
  targetRef: ${target}
  ${spec}
`;
const onGateway = "{kind: Gateway, name: g}";
const onRoute = "{kind: HTTPRoute, name: r}";

async function explained(...policies: readonly string[]): Promise<string> {
  const files = { "ground.yaml": ground, "p.yaml": policies.join("") };
  const { stdout, stderr } = await runCli("explain httproute/r#one -f ground.yaml -f p.yaml", { files });
  expect(stderr).toBe("");
  return stdout;
}

test("a policy that sets nothing keeps out the defaults above it", async () => {
  const files = {
    "ground.yaml": ground.replace("merge: {", "merge: {empty: TakesPlace, "),
    "p.yaml": color("high", onGateway, "defaults: {a: 1}") + color("low", onRoute, ""),
  };
  const { stdout } = await runCli("explain httproute/r#one -f ground.yaml -f p.yaml", { files });
  expect(stdout).toContain("Color a/low on HTTPRoute a/r sets nothing and keeps out the defaults above it");
});

test("the values of a policy are counted on all paths together, with those that another policy sets to the same", async () => {
  const files = {
    "ground.yaml": ground.replace("[{name: one, backendRefs: []}]", "[{name: one}, {name: two}]"),
    "p.yaml":
      color("high", onGateway, "defaults: {strategy: patch, a: 1, b: 2, c: 3}") +
      color("first", "{kind: HTTPRoute, name: r, sectionName: one}", "a: 5\n  c: 3") +
      color("second", "{kind: HTTPRoute, name: r, sectionName: two}", "b: 5\n  c: 3"),
  };
  const { stdout } = await runCli("explain httproute/r -f ground.yaml -f p.yaml", { files });
  expect(stdout).toContain("Color a/high on Gateway a/g sets 3 values\n");
  expect(stdout).toContain("Color a/first on rule one of HTTPRoute a/r sets 2 values\n");
});

describe("why a value lost", () => {
  for (const [name, policies, sentence] of [
    [
      "overridden by an override",
      [color("high", onGateway, "overrides: {strategy: patch, a: 1}"), color("low", onRoute, "a: 2")],
      "overrides 2 from Color a/low (p.yaml:14)",
    ],
    [
      "replaced",
      [color("high", onGateway, "defaults: {strategy: patch, a: 1}"), color("low", onRoute, "a: 2")],
      "replaces the default 1 from Color a/high, defaults (p.yaml:7)",
    ],
    [
      "replaced as a whole",
      [color("high", onGateway, "defaults: {a: 1}"), color("low", onRoute, "b: 2")],
      "Color a/high, defaults (p.yaml:7) would set 1, but its defaults are atomic and Color a/low replaces them as a whole",
    ],
    [
      "overridden by a policy whose own value is not the effective one",
      [
        color("a", onGateway, "overrides: {b: 1}"),
        color("z", onGateway, "defaults: {strategy: patch, a: 1}").replace(
          "{name: z, namespace: a}",
          '{name: z, namespace: a, creationTimestamp: "2020-01-01T00:00:00Z"}',
        ),
        color("low", onRoute, "a: 2"),
      ],
      "Color a/a overrides 2 from Color a/low (p.yaml:21)",
    ],
    [
      "replaced by a value above it",
      [color("high", onGateway, "defaults: {strategy: patch, a: {b: 1}}"), color("low", onRoute, "a: 2")],
      "Color a/high, defaults (p.yaml:7) would set 1, but Color a/low has a value above or below it, with which it is not merged",
    ],
    [
      "overridden as a whole",
      [color("high", onGateway, "overrides: {a: 1}"), color("low", onRoute, "b: 2")],
      "Color a/low (p.yaml:14) would set 2, but Color a/high overrides everything below it",
    ],
    [
      "removed",
      [
        color("high", onGateway, "defaults: {strategy: patch, a: 1, c: 3}"),
        color("low", onRoute, "remove: [a]\n  b: 2"),
      ],
      "Color a/high, defaults (p.yaml:7) would set 1, but Color a/low removes it",
    ],
    [
      "deleted",
      [color("high", onGateway, "defaults: {strategy: patch, a: 1, c: 3}"), color("low", onRoute, "a: null\n  b: 2")],
      "Color a/high, defaults (p.yaml:7) would set 1, but Color a/low deletes it (null)",
    ],
    [
      "gated",
      [color("high", onGateway, 'overrides: {when: "spec.b > 5", a: 1}'), color("low", onRoute, "b: 2")],
      "Color a/high, overrides (p.yaml:7) would set 1, but only when spec.b > 5, which is false here",
    ],
    [
      "equal",
      [color("high", onGateway, "defaults: {strategy: patch, a: 1}"), color("low", onRoute, "a: 1")],
      "Color a/high, defaults (p.yaml:7) has the same value",
    ],
  ] as const) {
    test(name, async () => expect((await explained(...policies)).replaceAll(/\n +/g, " ")).toContain(sentence));
  }
});

describe("other parts of the output", () => {
  describe("an object without policies still has its connections", () => {
    const files = ["gateway", "bakery", "shop"].map((name) => `-f examples/bakery/${name}.yaml`).join(" ");

    test.each([
      [
        "httproute/counter",
        [
          "HTTPRoute shop/counter (examples/bakery/shop.yaml:2)",
          "  attached to  listener https of Gateway infra/prod",
          "  hosts        shop.bakery.example",
          "  backends     Service bakery/baker port 8080 (rule bread) and Service shop/till port 8080 (rule-1)",
          "",
          "No policy takes effect on HTTPRoute shop/counter.",
        ],
      ],
      [
        "gtw/prod",
        [
          "Gateway infra/prod (examples/bakery/gateway.yaml:29)",
          "  attached to  GatewayClass house",
          "  listeners    http: HTTP on port 8080, *.bakery.example, 1 route",
          "               https: HTTPS on port 8443, *.bakery.example, 3 routes",
          "               admin: HTTP on port 9090, every host, no routes",
          "  attached     GRPCRoute bakery/oven, HTTPRoute bakery/baker, HTTPRoute shop/counter and",
        ],
      ],
      [
        "svc/till",
        [
          "Service shop/till (examples/bakery/shop.yaml:60)",
          "  backend of  HTTPRoute shop/counter (rule-1), HTTPRoute shop/party (rule-1) and",
          "              HTTPRoute shop/stocktaking (rule-1)",
        ],
      ],
      [
        "httproute/stocktaking",
        [
          "HTTPRoute shop/stocktaking (examples/bakery/shop.yaml:48)",
          "  attached to  no parent",
          "  backends     Service shop/till port 8080 (rule-1)",
        ],
      ],
    ])("%s", async (target, lines) => {
      const { stdout } = await runCli(`explain ${target} ${files}`);
      expect(stdout.split("\n").slice(0, lines.length)).toEqual(lines);
    });

    test("a parent that is not in the input is named, and the hosts are as written", async () => {
      const { stdout } = await runCli("explain httproute/counter -f examples/bakery/shop.yaml");
      expect(stdout).toContain("  attached to        Gateway infra/prod (not in examples/bakery/shop.yaml)\n");
      expect(stdout).toContain("  hosts, as written  shop.bakery.example\n");
      expect(stdout).toContain("\nCaveats\n");
    });

    test("a Service that no route uses, and a listener without routes, have none in the files", async () => {
      const only = await runCli("explain svc/till -f all.yaml", {
        files: {
          "all.yaml":
            "apiVersion: v1\nkind: Service\nmetadata: {name: till, namespace: shop}\nspec: {ports: [{port: 80}]}\n",
        },
      });
      expect(only.stdout).toContain("  backend of  no route in all.yaml\n");
      expect((await runCli(`explain gtw/prod#admin ${files}`)).stdout).toContain("  routes       none in the 3 files");
    });

    test("many routes are counted, and -o wide lists them", async () => {
      const many = { files: { "all.yaml": manyRoutes(40).replaceAll(/^.*"kind":"RetryPolicy".*$/gm, "") } };
      const { stdout } = await runCli("explain gtw/prod -f all.yaml", many);
      expect(stdout).toMatch(/ {2}routes +40 HTTPRoutes: HTTPRoute town\/route-0, /);
      expect(stdout).toContain("and 34 more");
      expect((await runCli("explain gtw/prod -o wide -f all.yaml", many)).stdout).not.toContain(" more");
    });

    test("-o json has them, also with policies", async () => {
      const { stdout } = await runCli("explain httproute/baker -o json -f examples/bakery");
      const { connections } = JSON.parse(stdout) as Pick<Explanation, "connections">;
      expect(connections.hostnames).toEqual(["baker.bakery.example"]);
      expect(connections.attachedTo.map(({ sectionName }) => sectionName)).toEqual(["http", "https"]);
      expect(connections.backends.map(({ name }) => name)).toEqual(["baker", "baker-next"]);
    });
  });

  test("the conditions found in the object's status", async () => {
    const { stdout } = await runCli("explain httproute/r -f g.yaml", { files: { "g.yaml": ground } });
    expect(stdout).toBe(
      [
        "HTTPRoute a/r (g.yaml:7)",
        "  attached to  listener l of Gateway a/g",
        "  hosts        every host",
        "  backends     none",
        "",
        "No policy takes effect on HTTPRoute a/r.",
        "",
        "Conditions in its status",
        "  Gateway a/g, by example.com/controller",
        "    Accepted=True",
        "    ResolvedRefs=False (BackendNotFound: no such Service)",
        "",
      ].join("\n"),
    );
  });

  test("policies that name it and fail: invalid, misspelt, in the wrong namespace, of an unknown kind", async () => {
    const text = await explained(
      color("broken", onRoute, "defaults: {strategy: nope, a: 1}"),
      color("slip", "{kind: HTTPRoute, name: rr}", "a: 1"),
      color("by-number", "{kind: HTTPRoute, name: r, sectionName: rule-1}", "a: 1"),
      color("elsewhere", onRoute, "a: 1").replace("namespace: a", "namespace: b"),
      color("unknown", onRoute, "a: 1").replace("kind: Color", "kind: Colour"),
      color("other", onGateway, "a: 1"),
    );
    const failures = text.slice(text.indexOf("Policies without effect that name it")).replaceAll(/\n {4}/g, " ");
    expect(failures).toMatch(/Color a\/broken \(p\.yaml:7\): Invalid: spec\.defaults\.strategy is "nope"/);
    expect(failures).toMatch(
      /Color a\/slip \(p\.yaml:13\): TargetNotFound: no HTTPRoute 'rr' in namespace 'a'; did you mean 'r'\?/,
    );
    expect(failures).toMatch(/Color b\/elsewhere .*TargetNotFound: .*it exists in namespace 'a'/);
    expect(failures).toMatch(/Colour a\/unknown .*UnknownKind: no definition describes Colour \(example\.com\)/);
    expect(failures).not.toContain("Color a/other");
  });

  test("a policy that names it and is ignored because the definition of its kind has an error", async () => {
    const text = await explained(
      color("lost", onRoute, "a: 1").replace("kind: Color", "kind: Colour"),
      `---
apiVersion: prevail.dev/v1alpha1
kind: PolicyDefinition
metadata: {name: colours}
spec: {policies: [{group: example.com, kind: Colour}], class: Sideways, targeting: {kinds: [HTTPRoute]}}
`,
    );
    const failures = text.slice(text.indexOf("Policies without effect that name it")).replaceAll(/\n {4}/g, " ");
    expect(failures).toMatch(/Colour a\/lost .*: the definition of its kind, PolicyDefinition colours, has an error/);
    expect(text).not.toContain("PolicyDefinition, or its CRD");
  });

  for (const [name, policies, sentences] of [
    [
      "only removes",
      [color("high", onGateway, "defaults: {strategy: patch, a: 1, b: 2}"), color("low", onRoute, "remove: [a, b]")],
      ["Color a/high on Gateway a/g has no effect here: overridden by Color a/low", "a/r removes a and b\n"],
    ],
    [
      "sets and removes",
      [
        color("high", onGateway, "defaults: {strategy: patch, a: 1, b: 2}"),
        color("low", onRoute, "remove: [a]\n  c: 3"),
      ],
      ["Color a/low on HTTPRoute a/r sets 1 value and removes a\n"],
    ],
    [
      "removes what is not there",
      [color("high", onGateway, "defaults: {strategy: patch, a: 1}"), color("low", onRoute, "remove: [b]")],
      ["Color a/low on HTTPRoute a/r has no effect here: no policy above it sets what it removes\n"],
    ],
    [
      "deletes with null",
      [
        color("high", onGateway, "defaults: {strategy: patch, a: 1}"),
        color("low", onRoute, "defaults: {strategy: patch, a: null}"),
      ],
      ["Color a/low on HTTPRoute a/r sets 1 value and removes a\n"],
    ],
  ] as const) {
    test(`a policy that ${name}`, async () => {
      const text = await explained(...policies);
      for (const sentence of sentences) expect(text).toContain(sentence);
    });
  }

  test("a policy that is attached where no path comes through", async () => {
    const files = {
      "ground.yaml": ground.replace("parentRefs: [{name: g}], ", ""),
      "p.yaml": color("high", onGateway, "a: 1") + color("low", onRoute, "a: 2"),
    };
    const { stdout } = await runCli("explain httproute/r -f ground.yaml -f p.yaml", { files });
    expect(stdout.replaceAll(/\n {4}/g, " ")).toContain(
      "Color a/low (p.yaml:9): NoPath: it is accepted and takes no effect here: no path through HTTPRoute a/r leads to any HTTPRouteRule\n",
    );
    expect(stdout).not.toContain("a/high");
  });

  for (const [line, message] of [
    ["baker", "error: unknown kind 'baker'\nDid you mean httproute/bakery/baker or service/bakery/baker?\n"],
    [
      "httproute/baker httproute/counter",
      "error: one target at a time, and there are 2:\n  httproute/bakery/baker\n  httproute/shop/counter\n",
    ],
  ] as const) {
    test(`explain ${line} is refused with what to say instead`, async () => {
      const { stderr, code } = await runCli(`explain ${line} -f examples/bakery`);
      expect([code, stderr]).toEqual([64, message]);
    });
  }

  test("what there is to choose from fits the terminal", async () => {
    const { stderr } = await runCli("explain zebra/x -f examples/bakery", { columns: 40 });
    expect(stderr.split("\n").filter((line) => line.length > 40)).toEqual([]);
    expect(stderr).toContain("There are: AuthPolicy,");
  });

  test("a policy is no target of explain", async () => {
    const files = { "a.yaml": ground + color("high", onGateway, "a: 1") };
    const { code, stderr } = await runCli("explain color/high -f a.yaml", { files });
    expect(code).toBe(64);
    expect(stderr).toBe(
      "error: color/a/high is a policy; explain shows which policies take effect on an object\nTo see the state of the policy: prevail get policies color/a/high\n",
    );
  });

  test("an object that is referenced but not defined", async () => {
    const { stdout } = await runCli("explain gc/c -f a.yaml", { files: { "a.yaml": ground } });
    expect(stdout).toContain("GatewayClass c\n  Other objects name it, but no document defines it.");
  });

  test("fields of the object itself that a policy sets", async () => {
    const { stdout } = await runCli(
      "explain httproute/baker#order -f examples/bakery/bakery.yaml -f examples/bakery/team-policies.yaml",
    );
    expect(stdout).toContain("from HTTPRoute bakery/baker itself (examples/bakery/bakery.yaml:18)");
  });
});

describe("values that an object sets itself, where no policy is on the path", () => {
  const route = (retry: string): string => `apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: g}
spec: {gatewayClassName: c, listeners: [{name: http, port: 80, protocol: HTTP}]}
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: r}
spec:
  parentRefs: [{name: g}]
  rules:
  - backendRefs: [{name: s, port: 80}]
    retry: ${retry}
    timeouts: {request: 5s}
---
apiVersion: v1
kind: Service
metadata: {name: s}
spec: {ports: [{port: 80}]}
`;
  const files = { "own.yaml": route("{attempts: 3, codes: [503]}") };

  test.each(["httproute/r", "httproute/r#rule-1", "svc/s"])(
    "explain %s prints them, with their line",
    async (target) => {
      const { stdout, code } = await runCli(`explain ${target} -f own.yaml`, { files });
      expect(code).toBe(0);
      expect(stdout).toContain("No policy takes effect on");
      expect(stdout).toContain("RetryPolicy: no policy; the object's own values take effect.");
      expect(stdout).toContain("retry.attempts: 3\n    from HTTPRoute default/r itself (own.yaml:13)");
      expect(stdout).toContain("timeouts.request: 5s\n    from HTTPRoute default/r itself (own.yaml:14)");
    },
  );

  test("they are values of the route, not of its Gateway", async () => {
    const { stdout } = await runCli("explain gtw/g -f own.yaml", { files });
    expect(stdout).toContain("No policy takes effect on Gateway default/g.");
    expect(stdout).not.toContain("RetryPolicy");
  });

  test("-o json has them as an outcome without policies", async () => {
    const { stdout } = await runCli("explain httproute/r -o json -f own.yaml", { files });
    const [kind] = JSON.parse(stdout).policyKinds;
    expect(kind).toMatchObject({ policyKind: { kind: "RetryPolicy" }, paths: 1 });
    expect(kind.outcomes[0]).toMatchObject({
      spec: { retry: { attempts: 3, codes: [503] }, timeouts: { request: "5s" } },
      policies: [],
    });
  });

  test("trace prints them, and the attempts that they lead to", async () => {
    const { stdout } = await runCli("trace GET http://x/ -f own.yaml", { files });
    expect(stdout).toContain("No policy takes effect on this path.");
    expect(stdout).toContain("retry.attempts: 3");
    expect(stdout).toContain("At most 4 attempts; the client waits at most 5s.");
  });

  test("an empty stanza is one of them", async () => {
    const { stdout } = await runCli("trace GET http://x/ -f own.yaml", { files: { "own.yaml": route("{}") } });
    expect(stdout).toMatch(/retry(\.attempts)?: (\{\}|1)/);
    expect(stdout).toContain("At most 2 attempts");
  });
});

test("a value that the CRD gives is marked", async () => {
  const files = {
    "a.yaml": `
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: r, namespace: ns}
spec:
  parentRefs: [{name: g}]
  rules:
  - retry: {codes: [503]}
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: g, namespace: ns}
spec: {gatewayClassName: x, listeners: [{name: l, protocol: HTTP, port: 80}]}
`,
  };
  const { stdout } = await runCli("explain httproute/r -f a.yaml", { files });
  expect(stdout).toContain("retry.attempts: 1\n    from HTTPRoute ns/r itself, CRD default");
  expect(stdout).toContain("retry.codes: [503]\n    from HTTPRoute ns/r itself (");
  const json = await runCli("explain httproute/r -o json -f a.yaml", { files });
  const { policyKinds } = JSON.parse(json.stdout) as {
    readonly policyKinds: ReadonlyArray<{
      readonly outcomes: ReadonlyArray<{ readonly sources: ReadonlyArray<{ pointer: string; crdDefault?: true }> }>;
    }>;
  };
  const sources = policyKinds.flatMap(({ outcomes }) => outcomes.flatMap((outcome) => outcome.sources));
  expect(sources.map(({ pointer, crdDefault }) => [pointer, crdDefault])).toEqual([
    ["/retry/attempts", true],
    ["/retry/codes", undefined],
  ]);
});

test("a Gateway with listeners in conflict: the reason of Gateway API, and only that of the section that is asked about", async () => {
  const files = {
    "a.yaml": `
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: g, namespace: ns}
spec:
  gatewayClassName: x
  listeners:
  - {name: one, protocol: HTTP, port: 80}
  - {name: two, protocol: TCP, port: 80}
  - {name: three, protocol: INVALID, port: 81}
`,
  };
  const whole = (await runCli("explain gtw/g -f a.yaml", { files })).stdout.replaceAll(/\s+/g, " ");
  expect(whole).toContain("Problems UnsupportedProtocol: protocol 'INVALID' is not supported");
  expect(whole).toContain(
    "ProtocolConflict: listener one is not served: listener two of Gateway ns/g has the same port",
  );
  const { stdout } = await runCli("explain gtw/g#two -o json -f a.yaml", { files });
  expect(JSON.parse(stdout).problems).toMatchObject([
    { field: "spec.listeners[1]", condition: "Conflicted", reason: "ProtocolConflict" },
  ]);
});

test("under an override, a default that the route's own value replaces and that value have their own reasons", async () => {
  const files = {
    "a.yaml": `apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: g, namespace: ns}
spec: {gatewayClassName: x, listeners: [{name: l, protocol: HTTP, port: 80}]}
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: r, namespace: ns}
spec: {parentRefs: [{name: g}], rules: [{retry: {attempts: 2}}]}
---
apiVersion: prevail.dev/v1alpha1
kind: RetryPolicy
metadata: {name: dflt, namespace: ns}
spec: {targetRef: {group: gateway.networking.k8s.io, kind: HTTPRoute, name: r}, defaults: {retry: {attempts: 3}}}
---
apiVersion: prevail.dev/v1alpha1
kind: RetryPolicy
metadata: {name: house, namespace: ns}
spec: {targetRef: {group: gateway.networking.k8s.io, kind: Gateway, name: g}, overrides: {retry: {attempts: 5}}}
`,
  };
  const stdout = (await runCli("explain httproute/r -n ns -f a.yaml", { files })).stdout.replaceAll(/\s+/g, " ");
  expect(stdout).toContain(
    "RetryPolicy ns/dflt on HTTPRoute ns/r has no effect here: the object itself sets these values",
  );
  expect(stdout).toContain(
    "retry.attempts: 5 from RetryPolicy ns/house, overrides (a.yaml:19) the default 3 from RetryPolicy ns/dflt, defaults (a.yaml:14) is replaced by HTTPRoute ns/r itself overrides 2 from HTTPRoute ns/r itself (a.yaml:9)",
  );
});
