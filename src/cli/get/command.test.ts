import { describe, expect, test } from "vitest";
import { expectTranscript, testTranscripts } from "../../../test/support/cli/cli-transcript.ts";
import { type CliSetup, runCli } from "../../../test/support/cli/run-cli.ts";
import { schemaViolations } from "../../../test/support/cli/validate-schema.ts";
import { parseDocuments } from "../../adapters/files/parse-documents.ts";

describe("the bakery", () => {
  for (const resource of ["policies", "targets", "effective", "definitions"]) {
    for (const columns of [60, 120]) {
      test(`get ${resource}, ${columns} columns`, () =>
        expectTranscript(`get-${resource}-${columns}`, `get ${resource} -f examples/bakery`, { columns }));
    }
    test(`get ${resource} -o wide`, () =>
      expectTranscript(`get-${resource}-wide`, `get ${resource} -o wide -f examples/bakery`));
    test(`get ${resource} -o name`, () =>
      expectTranscript(`get-${resource}-name`, `get ${resource} -o name -f examples/bakery`));
  }
  testTranscripts([
    ["get-policies-json", "get policies friday-fix no-double-orders oven-tls-2026 -o json -f examples/bakery"],
    ["get-policies-of-route", "get policies httproute/baker -f examples/bakery"],
    ["get-policies-of-rule", "get policies httproute/baker#menu -f examples/bakery"],
    ["get-policies-namespace", "get policies -n shop --no-headers -f examples/bakery"],
    ["get-policies-redacted", "get policies httproute/baker -n bakery --redact -f examples/bakery"],
    ["get-targets-json", "get targets httproute/baker -o json -f examples/bakery"],
    ["get-targets-section", "get targets httproute/baker#menu -f examples/bakery"],
    ["get-effective-json", "get effective httproute/baker#order -o json -f examples/bakery"],
    ["get-effective-yaml", "get effective svc/oven -o yaml -f examples/bakery"],
    ["get-effective-policy", "get effective ratelimitpolicy/menu -f examples/bakery"],
    ["get-effective-incomplete", "get effective -f examples/bakery/bakery.yaml -f examples/bakery/team-policies.yaml"],
    ["get-definitions-of-kind", "get definitions retrypolicy -f examples/bakery"],
    ["get-definitions-json", "get definitions authpolicies -o json -f examples/bakery"],
    ["get-httproutes", "get httproutes -f examples/bakery"],
    ["get-gateways", "get gtw -o wide -f examples/bakery"],
    ["get-services", "get services -n bakery -f examples/bakery"],
    ["get-route-and-gateway", "get httproute/baker gateway/prod -f examples/bakery"],
    ["get-policy-kind", "get retrypolicies -f examples/bakery"],
    ["get-object-yaml", "get svc/oven -o yaml -f examples/bakery"],
    ["get-nothing", "get policies -n nowhere -f examples/bakery"],
  ]);

  test("no table is wider than the terminal", async () => {
    for (const resource of ["policies", "targets", "effective", "definitions"]) {
      for (const columns of [40, 80, 200]) {
        const { stdout } = await runCli(`get ${resource} -f examples/bakery`, { columns });
        // In a block a long word, such as an address, stays whole.
        for (const line of stdout.split("\n").filter((text) => text.trim().includes(" ")))
          expect(line.length, `${resource}, ${columns}: ${line}`).toBeLessThanOrEqual(columns);
      }
    }
  });
});

/** A mesh, fields of list items, redaction: what the bakery does not have. */
const mesh: CliSetup = {
  files: {
    "mesh.yaml": `
apiVersion: v1
kind: Service
metadata: {name: oven, namespace: bakery}
spec: {ports: [{name: web, port: 80}]}
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: oven, namespace: bakery}
spec: {parentRefs: [{group: "", kind: Service, name: oven}], rules: [{backendRefs: [{name: oven, port: 80}]}]}
---
apiVersion: prevail.dev/v1alpha1
kind: RetryPolicy
metadata: {name: slow, namespace: bakery}
spec: {targetRefs: [{group: gateway.networking.k8s.io, kind: HTTPRoute, name: oven}], retry: {attempts: 3}}
---
apiVersion: prevail.dev/v1alpha1
kind: PolicyDefinition
metadata: {name: retryons.example.com}
spec:
  policies: [{group: example.com, kind: RetryOn}]
  class: Inherited
  targeting: {refs: One, kinds: [{kind: HTTPRoute}]}
  hierarchy: {effectiveTargets: [HTTPRoute]}
  merge: {granularity: {default: Field}, bare: AtomicDefaults}
  mapsTo: [{from: retryOn, to: "HTTPRoute spec.rules[].filters[type=Retry].retryOn", create: false}]
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: filters, namespace: bakery}
spec: {parentRefs: [{group: "", kind: Service, name: oven}], rules: [{filters: [{type: Retry, retryOn: {cancelled: true}}, {type: Other}], backendRefs: [{name: oven, port: 80}]}]}
---
apiVersion: example.com/v1
kind: RetryOn
metadata: {name: ask, namespace: bakery}
spec: {targetRef: {kind: HTTPRoute, name: filters}, overrides: {retryOn: {cancelled: false, unavailable: true}}}
`,
  },
};

describe("EffectivePolicyList is what docs/schemas/effective-policy-list.json says", () => {
  for (const [name, line, setup] of [
    ["the bakery", "get effective -o json -f examples/bakery", {}],
    ["the bakery, redacted", "get effective -n bakery --redact -o json -f examples/bakery", {}],
    [
      "an incomplete one",
      "get effective -o json -f examples/bakery/bakery.yaml -f examples/bakery/team-policies.yaml",
      {},
    ],
    ["a mesh, and fields of list items", "get effective -o json -f mesh.yaml", mesh],
    ["an empty one", "get effective httproute/stocktaking -o json -f examples/bakery", {}],
  ] as const) {
    test(name, async () => {
      const { stdout, code } = await runCli(line, setup);
      expect(code).toBe(0);
      const list: unknown = JSON.parse(stdout);
      expect(schemaViolations("effective-policy-list.json", list)).toEqual([]);
      const { items } = list as { items: unknown[] };
      expect(items.length > 0).toBe(name !== "an empty one");
    });
  }

  test("the mesh has `from`, the list items have `fields`", async () => {
    const { stdout } = await runCli("get effective -o json -f mesh.yaml", mesh);
    expect(stdout).toContain('"from": "others"');
    expect(stdout).toContain('"pointer": "/spec/rules/0/filters/0/retryOn"');
  });

  test("a schema that does not fit is noticed", () => {
    expect(
      schemaViolations("effective-policy-list.json", {
        apiVersion: "v1",
        kind: "EffectivePolicyList",
        items: [{}],
        caveats: [],
      }),
    ).toEqual([
      '/apiVersion: is not "prevail.dev/v1alpha1"',
      "/items/0: lacks policyKind",
      "/items/0: lacks target",
      "/items/0: lacks path",
      "/items/0: lacks spec",
      "/items/0: lacks sources",
    ]);
  });

  test("YAML is the same data as JSON", async () => {
    for (const list of ["effective", "policies", "targets", "definitions"]) {
      const json = await runCli(`get ${list} -o json -f examples/bakery`);
      const yaml = await runCli(`get ${list} -o yaml -f examples/bakery`);
      // Read as one document, not as the items of a list.
      const text = yaml.stdout.replace(/^kind: \w+List$/m, "kind: Something");
      const expected = JSON.parse(json.stdout.replace(/"kind": "\w+List"/, '"kind": "Something"')) as unknown;
      expect(parseDocuments(text, "a.yaml").documents[0]?.value).toEqual(expected);
    }
  });

  test("redacted, neither names nor values of other namespaces appear", async () => {
    for (const output of ["", "-o json", "-o yaml", "-o wide"]) {
      const { stdout } = await runCli(`get effective -n bakery --redact ${output} -f examples/bakery`);
      for (const secret of ["friday-fix", "front-door", "fair-share", "house-rules", "x-audit-id", "login.bakery"])
        expect(stdout).not.toContain(secret);
    }
  });
});

describe("explanations are what docs/schemas/explanation.json says", () => {
  for (const [line, setup] of [
    ["explain httproute/baker -o json -f examples/bakery", {}],
    ["explain gtw/prod --all-paths -o json -f examples/bakery", {}],
    ["explain svc/oven -o json -f examples/bakery", {}],
    ["explain httproute/stocktaking -o json -f examples/bakery", {}],
    ["explain httproute/baker -n bakery --redact -o json -f examples/bakery", {}],
    ["explain httproute/baker -o json -f examples/bakery/bakery.yaml -f examples/bakery/team-policies.yaml", {}],
    ["explain httproute/filters -o json -f mesh.yaml", mesh],
    ["explain httproute/oven -o json -f mesh.yaml", mesh],
  ] as const) {
    test(line, async () => {
      const { stdout } = await runCli(line, setup);
      expect(schemaViolations("explanation.json", JSON.parse(stdout))).toEqual([]);
    });
  }
});

describe("objects of a kind, as kubectl lists them", () => {
  const names = async (line: string): Promise<readonly string[]> =>
    (await runCli(`${line} -o name -f examples/bakery`)).stdout.trimEnd().split("\n");

  for (const words of ["httproutes", "httproute", "HTTPRoute", "httproutes.gateway.networking.k8s.io"])
    test(`get ${words}`, async () => {
      expect(await names(`get ${words}`)).toEqual(await names("get targets httproutes"));
    });

  test("several kinds, several names, sections, namespaces, labels", async () => {
    expect((await names("get gateways,httproutes")).length).toBe(
      (await names("get gateways")).length + (await names("get httproutes")).length,
    );
    expect(await names("get httproute baker counter")).toEqual([
      "httproute.gateway.networking.k8s.io/baker",
      "httproute.gateway.networking.k8s.io/counter",
    ]);
    expect(await names("get httproute/baker#order")).toEqual(["httproute.gateway.networking.k8s.io/baker"]);
    expect((await names("get httproutes -n shop")).length).toBeLessThan((await names("get httproutes")).length);
  });

  test("-o json is a List of the objects; of one named object the object itself", async () => {
    const list = JSON.parse((await runCli("get httproutes -o json -f examples/bakery")).stdout) as ObjectList;
    expect(list).toMatchObject({ apiVersion: "v1", kind: "List" });
    expect(list.items.map(({ kind }) => kind)).toEqual(list.items.map(() => "HTTPRoute"));
    const [one] = list.items.filter(({ metadata }) => metadata.name === "baker");
    expect(JSON.parse((await runCli("get httproute/baker -o json -f examples/bakery")).stdout)).toEqual(one);
    expect((await runCli("get httproute/baker -o jsonpath={.metadata.name} -f examples/bakery")).stdout).toBe("baker");
  });

  test("the output can be read back", async () => {
    const text = (await runCli("get gateways,httproutes,services,retrypolicies -o yaml -f examples/bakery")).stdout;
    const line = "get policies -o name -f a.yaml";
    const { stdout } = await runCli(line, { files: { "a.yaml": text } });
    expect(stdout.split("\n")).toContain("retrypolicy.prevail.dev/friday-fix");
  });

  test("the contents of Secrets are left out", async () => {
    const files = {
      "a.yaml":
        "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\ntype: Opaque\ndata: {key: c2VjcmV0}\nstringData: {more: hidden}\n",
    };
    for (const line of ["get secrets -o yaml", "get secret/s -o json", "get secrets -o jsonpath={..}"]) {
      const { stdout, code } = await runCli(`${line} -f a.yaml`, { files });
      expect([code, stdout.includes("Opaque")]).toEqual([0, true]);
      expect(stdout).not.toMatch(/c2VjcmV0|hidden/);
    }
    expect((await runCli("get secrets -f a.yaml", { files })).stdout).toBe("NAMESPACE   NAME\ndefault     s\n");
  });

  test("--redact leaves out policies of other namespaces", async () => {
    const { stdout } = await runCli("get retrypolicies -o yaml -n shop --redact -f examples/bakery");
    expect(stdout).not.toContain("friday-fix");
  });

  test("--sort-by", async () => {
    const sorted = async (line: string): Promise<readonly string[]> =>
      (await runCli(`${line} -f examples/bakery`)).stdout.split("\n").filter((text) => text !== "");
    expect(await sorted("get services -o name --sort-by .spec.ports[0].port")).toHaveLength(
      (await names("get services")).length,
    );
    const policies = await sorted(
      "get policies -o jsonpath={range.items[*]}{.policy.name}{'\\n'}{end} --sort-by .policy.name",
    );
    expect(policies).toEqual(policies.toSorted());
    const table = await sorted("get effective --no-headers --sort-by .policyKind");
    expect(table.length).toBeGreaterThan(1);
    for (const resource of ["targets --sort-by .target.name", "definitions --sort-by {.metadata.name}"])
      expect((await runCli(`get ${resource} -f examples/bakery`)).code).toBe(0);
  });
});

describe("definitions as objects", () => {
  for (const format of ["yaml", "json"])
    test(`-o ${format} can be read back`, async () => {
      const line = `get definitions -o ${format}`;
      const { stdout } = await runCli(`${line} -f examples/bakery`);
      const file = `definitions.${format}`;
      const again = await runCli(`${line} -f ${file}`, { files: { [file]: stdout } });
      const withoutOrigin = (text: string): string => text.replaceAll(/"?prevail\.dev\/origin"?: .*/g, "");
      expect(withoutOrigin(again.stdout)).toBe(withoutOrigin(stdout));
      expect(again.stdout).toContain(`${file}:`);
      expect((await runCli(`check --severity info -q -f ${file}`, { files: { [file]: stdout } })).code).toBe(0);
    });

  test("by the name of the definition, built in or not", async () => {
    for (const [line, name] of [
      ["get policydefinition/retrypolicies.prevail.dev", "retrypolicies.prevail.dev"],
      ["get definitions authpolicies.policies.example.com", "authpolicies.policies.example.com"],
    ] as const) {
      const { stdout } = await runCli(`${line} -o name -f examples/bakery`);
      expect(stdout).toBe(`policydefinition.prevail.dev/${name}\n`);
    }
  });
});

describe("mistakes are reported", () => {
  for (const [line, stderr] of [
    [
      "get",
      "error: no resource given: name one of policies, targets, effective, definitions, or a kind\nFor example: prevail get policies -f examples/bakery\n",
    ],
    [
      "get polcies -f examples/bakery",
      "error: unknown resource 'polcies': get knows policies, targets, effective, definitions and kinds of objects; did you mean 'policies'?\n",
    ],
    [
      "get , -f examples/bakery",
      "error: no resource given: name one of policies, targets, effective, definitions, or a kind\n",
    ],
    [
      "get httproutes,policies -f examples/bakery",
      "error: 'policies' in 'httproutes,policies': only kinds can be listed together; ask for policies alone\n",
    ],
    ["get constructor -f examples/bakery", "error: unknown kind 'constructor'\n"],
    [
      "get policies --redact -f examples/bakery",
      "error: --redact hides policies outside one namespace: name it with -n NAMESPACE\n",
    ],
    [
      "get httproute/bakr -f examples/bakery",
      "error: there is no HTTPRoute 'bakr'; did you mean 'baker' (HTTPRoute bakery/baker)?\n",
    ],
    [
      "get httproutes --sort-by .none -f examples/bakery",
      "error: --sort-by .none: no item has that; -o json shows what they have\n",
    ],
    [
      "get policies --sort-by {.a -f examples/bakery",
      "error: --sort-by: '{.a' is not a path; write one as .metadata.name\n",
    ],
    ["get policies friday-fxi -f examples/bakery", "error: unknown kind 'friday-fxi'\n"],
  ] as const) {
    test(line, async () => {
      const result = await runCli(line);
      expect(result).toMatchObject({ code: 64, stdout: "" });
      expect(result.stderr.replaceAll(/\n +/g, " ").startsWith(stderr.trimEnd())).toBe(true);
    });
  }
});

interface ObjectList {
  readonly items: ReadonlyArray<{ readonly kind: string; readonly metadata: { readonly name: string } }>;
}

test("get effective names a policy that removes a value, though it sets none", async () => {
  const object = (apiVersion: string, kind: string, name: string, spec: object): string =>
    JSON.stringify({ apiVersion, kind, metadata: { name, namespace: "ns" }, spec });
  const ref = (kind: string, name: string) => ({ group: "gateway.networking.k8s.io", kind, name });
  const definition = {
    policies: [{ group: "example.com", kind: "LimitPolicy" }],
    class: "Inherited",
    targeting: { kinds: [{ kind: "Gateway" }, { kind: "HTTPRoute" }] },
    hierarchy: { effectiveTargets: ["HTTPRouteRule"] },
    merge: { granularity: { default: "Merge" }, rules: ["limits"] },
  };
  const listeners = [{ name: "l", protocol: "HTTP", port: 80 }];
  const files = {
    "a.yaml": [
      JSON.stringify({
        apiVersion: "prevail.dev/v1alpha1",
        kind: "PolicyDefinition",
        metadata: { name: "limitpolicies.example.com" },
        spec: definition,
      }),
      object("gateway.networking.k8s.io/v1", "Gateway", "g", { gatewayClassName: "c", listeners }),
      object("gateway.networking.k8s.io/v1", "HTTPRoute", "r", { parentRefs: [{ name: "g" }], rules: [{}] }),
      object("example.com/v1", "LimitPolicy", "top", {
        targetRef: ref("Gateway", "g"),
        defaults: { limits: { a: 1 } },
      }),
      object("example.com/v1", "LimitPolicy", "low", { targetRef: ref("HTTPRoute", "r"), remove: ["a"] }),
    ].join("\n---\n"),
  };
  const { stdout } = await runCli("get effective -f a.yaml", { files });
  expect(stdout).toMatch(/LimitPolicy +HTTPRoute\/ns\/r#rule-1 +Gateway\/ns\/g#l +ns\/low +\{\}/);
});
