import { describe, expect, test } from "vitest";
import { definitionFrom, kubeObject, kubeObjects } from "../../../../../test/support/cluster/kube-objects.ts";
import type { PolicyDefinition } from "../../definition.ts";
import type { Json, JsonObject } from "../../json.ts";
import { parseCrd } from "../definition/parse-crd.ts";
import { parsePolicy } from "./parse-policy.ts";
import { policyReader } from "./policy-reader.ts";

const color = definitionFrom("color-policy-atomic");
const auth = definitionFrom("auth-policy");
const targetRef = { kind: "Gateway", name: "g1" };

const policyOf = (spec: Json, definition: PolicyDefinition, metadata: JsonObject = {}) =>
  parsePolicy(
    kubeObject({ apiVersion: "example.com/v1", kind: "ColorPolicy", metadata: { name: "p", ...metadata }, spec }),
    policyReader(definition),
  );

/** A policy in short: `defaults Atomic: /a=1`. */
function blocksOf(spec: JsonObject, definition: PolicyDefinition): readonly string[] {
  const { policy, findings } = policyOf({ targetRef, ...spec }, definition);
  expect(findings).toEqual([]);
  return (policy?.blocks ?? []).map(({ name, granularity, when, remove, units }) => {
    const extra = [
      ...(when === undefined ? [] : [`when ${when}`]),
      ...(remove.length === 0 ? [] : [`remove ${remove.join()}`]),
    ];
    const values = units.map(({ pointer, value }) => `${pointer}=${JSON.stringify(value)}`);
    return [`${name} ${JSON.stringify(granularity)}:`, ...extra, ...values].join(" ");
  });
}

const invalid = (spec: Json, definition: PolicyDefinition) => {
  const { policy, findings } = policyOf(spec, definition);
  expect(policy).toBeUndefined();
  for (const { severity, code } of findings) expect(`${severity} ${code}`).toMatch(/^error Invalid/);
  return findings.map(({ code, field, message }) => `${code} ${field}: ${message}`);
};

describe("the specifications' own policies", () => {
  for (const [name, definition, yaml, targets, blocks] of [
    [
      "GEP-713 › Reference by name",
      "color-policy-atomic",
      "spec: {targetRefs: [{group: gateway.networking.k8s.io/v1, kind: Gateway, name: my-gateway}], rules: {color: blue}}",
      [{ field: "spec.targetRefs[0]", group: "gateway.networking.k8s.io", kind: "Gateway", name: "my-gateway" }],
      ["bare"],
    ],
    [
      "GEP-713 › Label selectors",
      "color-policy-atomic",
      "spec: {targetRefs: [{group: gateway.networking.k8s.io/v1, kind: Gateway, selector: {matchLabels: {env: production}}}], rules: {color: blue}}",
      [
        {
          field: "spec.targetRefs[0]",
          group: "gateway.networking.k8s.io",
          kind: "Gateway",
          selector: { matchLabels: [["env", "production"]], matchExpressions: [] },
        },
      ],
      ["bare"],
    ],
    [
      "GEP-713 › Targeting virtual types",
      "external-retry-policy",
      "spec: {targetRef: {group: networking.acme.io, kind: ExternalService, name: foo.com}, rules: {color: blue}}",
      [{ field: "spec.targetRef", group: "networking.acme.io", kind: "ExternalService", name: "foo.com" }],
      ["bare"],
    ],
    [
      "Policy Attachment › Direct Policy Attachment",
      "tls-connection-policy",
      'spec: {targetRef: {group: "", kind: Service, name: fooService}, tls: {certificateAuthorityRefs: [{name: CAcert}], port: 8443}}',
      [{ field: "spec.targetRef", group: "", kind: "Service", name: "fooService" }],
      ["bare"],
    ],
    [
      "Policy Attachment › Hierarchy (the group is left out, both blocks in the singular)",
      "acme-service-policy",
      "spec: {override: {cdn: {enabled: true}}, default: {cdn: {cachePolicy: {includeHost: true}}}, targetRef: {kind: Gateway, name: example}}",
      [{ field: "spec.targetRef", kind: "Gateway", name: "example" }],
      ["defaults", "overrides"],
    ],
    [
      "GEP-713 experimental › Hierarchy (a field `type` that no specification defines)",
      "cdn-caching-policy",
      "spec: {default: {cdn: {cachePolicy: {includeQueryString: false}}}, targetRef: {type: direct, kind: HTTPRoute, name: example}}",
      [{ field: "spec.targetRef", kind: "HTTPRoute", name: "example" }],
      ["defaults"],
    ],
    [
      "GEP-713 experimental › Apply Policies to Sections of a Resource",
      "external-retry-policy-default",
      "spec: {maxRetries: 5, targetRef: {name: foo, group: gateway.networking.k8s.io, kind: HTTPRoute, sectionName: bar}}",
      [
        {
          field: "spec.targetRef",
          group: "gateway.networking.k8s.io",
          kind: "HTTPRoute",
          name: "foo",
          sectionName: "bar",
        },
      ],
      ["bare"],
    ],
    [
      "Policy Attachment › Inherited Policy Attachment (a namespace in lower case)",
      "tls-minimum-version-policy",
      'spec: {overrides: {minimumTLSVersion: 1.2}, targetRef: {name: appns, group: "", kind: namespace}}',
      [{ field: "spec.targetRef", group: "", kind: "namespace", name: "appns" }],
      ["overrides"],
    ],
  ] as const) {
    test(name, () => {
      const [object = kubeObject({})] = kubeObjects(
        `{apiVersion: example.com/v1, kind: P, metadata: {name: p}, ${yaml}}`,
      );
      const { policy, findings } = parsePolicy(object, policyReader(definitionFrom(definition)));
      expect(findings).toEqual([]);
      expect(policy?.targets).toEqual(targets);
      expect(policy?.blocks.map((block) => block.name)).toEqual(blocks);
    });
  }
});

describe("blocks", () => {
  const patch = definitionFrom("color-policy-patch");
  for (const [name, definition, spec, expected] of [
    ["GEP-713 Example 2, p1", color, { color: "red" }, ['bare "Atomic": /color="red"']],
    ["GEP-713 Example 2, p3", color, { overrides: { color: "yellow" } }, ['overrides "Atomic": /color="yellow"']],
    [
      "GEP-713 Example 3, p1: strategy beside bare rules",
      patch,
      { colors: { dark: "brown" }, strategy: "atomic" },
      ['bare "Atomic": /colors/dark="brown"'],
    ],
    [
      "GEP-713 Example 3, p3: strategy in the block",
      patch,
      { overrides: { colors: { light: "yellow" }, strategy: "patch" } },
      ['overrides "Patch": /colors/light="yellow"'],
    ],
    [
      "a strategy beside bare rules does not govern a block",
      patch,
      { strategy: "patch", defaults: { a: 1 } },
      ['defaults "Atomic": /a=1'],
    ],
    [
      "RFC 9 B1",
      auth,
      { defaults: { strategy: "merge", rules: { authentication: { a: "G" } } } },
      ['defaults "Merge": /rules/authentication/a="G"'],
    ],
    [
      "RFC 9 E1: when",
      auth,
      { overrides: { strategy: "merge", when: "spec.x > 50", rules: { authentication: { a: 50 } } } },
      ['overrides "Merge": when spec.x > 50 /rules/authentication/a=50'],
    ],
    [
      "RFC 9 F1: unset",
      auth,
      { rules: { authentication: { b: 1 } }, unset: ["rules.authentication.a"] },
      ['bare "Atomic": remove rules.authentication.a /rules/authentication/b=1'],
    ],
    ["only removals", auth, { remove: ["a"] }, ['bare "Atomic": remove a']],
    [
      "all three, in the order in which they are merged",
      auth,
      { overrides: { rules: { x: { a: 1 } } }, rules: { x: { a: 2 } }, defaults: { rules: { x: { a: 3 } } } },
      ['defaults "Atomic": /rules/x/a=3', 'bare "Atomic": /rules/x/a=2', 'overrides "Atomic": /rules/x/a=1'],
    ],
    ["empty blocks", auth, { defaults: {}, overrides: { strategy: "merge" }, rules: {} }, []],
    ["null is not a block", auth, { defaults: null, rules: { x: { a: 1 } } }, ['bare "Atomic": /rules/x/a=1']],
    ["when beside bare rules is spec proper", auth, { when: "x" }, ['bare "Atomic": /when="x"']],
    [
      "without strategy values, strategy is spec proper",
      color,
      { strategy: "round-robin" },
      ['bare "Atomic": /strategy="round-robin"'],
    ],
    [
      "a kind that never merges: all but the targets is spec proper",
      definitionFrom("color-policy-direct"),
      { defaults: { a: 1 }, strategy: "x", remove: ["y"] },
      ['bare "Atomic": /defaults/a=1 /strategy="x" /remove=["y"]'],
    ],
    [
      "a vendor's name for the strategy",
      definitionFrom("vendor-a-traffic-policy"),
      { mergeType: "StrategicMerge", a: null },
      ['bare "Patch": /a=null'],
    ],
  ] as const) {
    test(name, () => {
      expect(blocksOf(spec, definition)).toEqual(expected);
    });
  }
});

describe("targets", () => {
  const targetsOf = (spec: JsonObject) => {
    const { policy, findings } = policyOf(spec, color);
    expect(findings).toEqual([]);
    return policy?.targets;
  };
  const expression = (operator: string, values?: readonly string[]) => ({
    key: "env",
    operator,
    ...(values === undefined ? {} : { values }),
  });

  for (const [name, spec, expected] of [
    [
      "both spellings together",
      { targetRef, targetRefs: [{ kind: "HTTPRoute", name: "r1" }] },
      [
        { field: "spec.targetRef", ...targetRef },
        { field: "spec.targetRefs[0]", kind: "HTTPRoute", name: "r1" },
      ],
    ],
    [
      "a namespace; empty strings are as good as none",
      { targetRef: { ...targetRef, namespace: "infra", sectionName: "" } },
      [{ field: "spec.targetRef", ...targetRef, namespace: "infra" }],
    ],
    [
      "null is as good as none",
      { targetRef: { ...targetRef, group: null, namespace: null }, targetRefs: null },
      [{ field: "spec.targetRef", ...targetRef }],
    ],
    [
      "targetSelectors with the labels inline",
      { targetSelectors: [{ group: "g", kind: "Gateway", matchLabels: { a: "b" } }] },
      [
        {
          field: "spec.targetSelectors[0]",
          group: "g",
          kind: "Gateway",
          selector: { matchLabels: [["a", "b"]], matchExpressions: [] },
          selectorField: "spec.targetSelectors[0]",
        },
      ],
    ],
    [
      "targetSelectors with a selector",
      {
        targetSelectors: [
          { kind: "Gateway", selector: { matchExpressions: [expression("In", ["x"]), expression("Exists")] } },
        ],
      },
      [
        {
          field: "spec.targetSelectors[0]",
          kind: "Gateway",
          selector: {
            matchLabels: [],
            matchExpressions: [expression("In", ["x"]), { ...expression("Exists"), values: [] }],
          },
        },
      ],
    ],
    [
      "a selector of everything",
      { targetRef: { kind: "Gateway", selector: {} } },
      [{ field: "spec.targetRef", kind: "Gateway", selector: { matchLabels: [], matchExpressions: [] } }],
    ],
  ] as const) {
    test(name, () => {
      expect(targetsOf(spec)).toEqual(expected);
    });
  }
});

describe("Invalid", () => {
  const one = definitionFrom("tls-connection-policy");
  for (const [name, definition, spec, ...expected] of [
    ["no spec", color, null, /^InvalidSpec spec: spec is null/],
    ["a spec that is a list", color, [], /^InvalidSpec spec: spec is a list/],
    ["no target", color, { color: "red" }, /^InvalidTarget spec.targetRefs: The policy names no target/],
    ["an empty list of targets", color, { targetRefs: [] }, /names no target/],
    [
      "REF: one resource only",
      one,
      { targetRefs: [targetRef, targetRef] },
      /^InvalidTarget spec.targetRefs: .* 2 targets, .* one resource only/,
    ],
    [
      "targetRefs that is no list",
      color,
      { targetRefs: targetRef },
      /^InvalidTarget spec.targetRefs: .* is an object; allowed: a list/,
    ],
    ["targetRef that is a list", color, { targetRef: [targetRef] }, /^InvalidTarget spec.targetRef: .* is a list/],
    [
      "a target without kind",
      color,
      { targetRef: { name: "g1" } },
      /^InvalidTarget spec.targetRef.kind: .* is missing/,
    ],
    [
      "a target without name",
      color,
      { targetRefs: [{ kind: "Gateway" }] },
      /^InvalidTarget spec.targetRefs\[0\].name: .* or a selector/,
    ],
    [
      "a name that is a number",
      one,
      { targetRef: { kind: "Service", name: 5 } },
      /^InvalidTarget spec.targetRef.name: .* is 5; allowed: a string/,
    ],
    [
      "a group that is a number",
      one,
      { targetRef: { kind: "Service", name: "s", group: 5 } },
      /^InvalidTarget spec.targetRef.group: .* is 5/,
    ],
    [
      "a name and a selector",
      color,
      { targetRef: { ...targetRef, selector: {} } },
      /^InvalidTarget spec.targetRef.selector: .* both/,
    ],
    [
      "a selector that the kind does not allow",
      one,
      { targetRef: { kind: "Service", selector: {} } },
      /^InvalidSelector spec.targetRef.selector: .* does not support/,
    ],
    [
      "targetSelectors that the kind does not allow",
      one,
      { targetSelectors: [{ kind: "Service" }] },
      /^InvalidSelector spec.targetSelectors\[0\]: .* does not support/,
    ],
    [
      "a label that is a number",
      color,
      { targetRef: { kind: "Gateway", selector: { matchLabels: { a: 1 } } } },
      /^InvalidSelector spec.targetRef.selector.matchLabels\[a\]: /,
    ],
    [
      "an unknown operator",
      color,
      { targetRef: { kind: "Gateway", selector: { matchExpressions: [{ key: "a", operator: "Is" }] } } },
      /^InvalidSelector spec.targetRef.selector.matchExpressions\[0\].operator: .* In, NotIn, Exists, DoesNotExist/,
    ],
    [
      "two spellings of one block",
      auth,
      { targetRef, default: { a: 1 }, defaults: { a: 1 } },
      /^InvalidBlock spec.default: .* two spellings of one block/,
    ],
    ["a block that is a list", auth, { targetRef, overrides: [] }, /^InvalidBlock spec.overrides: .* is a list/],
    [
      "when that is no string",
      auth,
      { targetRef, overrides: { when: true } },
      /^InvalidBlock spec.overrides.when: .* is true; allowed: a CEL expression/,
    ],
    [
      "remove that is no list",
      auth,
      { targetRef, remove: "a" },
      /^InvalidBlock spec.remove: .* is "a"; allowed: a list/,
    ],
    [
      "remove with other things than strings",
      auth,
      { targetRef, defaults: { unset: ["a", 1] } },
      /^InvalidBlock spec.defaults.unset: /,
    ],
    [
      "an unknown strategy",
      auth,
      { targetRef, defaults: { strategy: "merged" } },
      /^InvalidStrategy spec.defaults.strategy: .* is "merged"; allowed: atomic, merge; did you mean 'merge'\?/,
    ],
    [
      "a strategy that JavaScript objects have",
      auth,
      { targetRef, strategy: "constructor" },
      /^InvalidStrategy spec.strategy: /,
    ],
    [
      "GEP-713: more than one merge strategy",
      color,
      { targetRef, defaults: { color: "red" }, overrides: { color: "blue" } },
      /^InvalidBlock spec: spec has defaults and overrides; .* one merge strategy only/,
    ],
    [
      "GEP-713: bare rules and a block",
      color,
      { targetRef, color: "red", overrides: { color: "blue" } },
      /^InvalidBlock spec: spec has rules outside both and overrides/,
    ],
    [
      "every mistake is reported",
      auth,
      { targetRefs: [{ kind: 1 }], defaults: 1 },
      /targetRefs\[0\].name/,
      /targetRefs\[0\].kind/,
      /spec.defaults/,
    ],
  ] as const) {
    test(name, () => {
      const findings = invalid(spec, definition);
      expect(findings).toEqual(expected.map((pattern) => expect.stringMatching(pattern)));
    });
  }

  test("an empty block beside another is not a second strategy", () => {
    expect(policyOf({ targetRef, defaults: {}, overrides: { color: "blue" } }, color).findings).toEqual([]);
  });

  test("any depth beyond the limit is too deep", () => {
    for (const depth of [70, 100_000]) {
      let deep: Json = 1;
      for (let i = 0; i < depth; i++) deep = i % 2 === 0 ? { a: deep } : [deep];
      expect(invalid({ targetRef, deep }, color)).toEqual([
        "InvalidTooDeep spec: spec is too deep: more than 64 levels.",
      ]);
    }
  });

  test("too large", () => {
    const many = Object.fromEntries(Array.from({ length: 100_001 }, (_, i) => [`k${i}`, i]));
    expect(invalid({ targetRef, many }, color)).toEqual([
      expect.stringMatching(/^InvalidTooLarge spec: .* more than 100000 values/),
    ]);
  });

  test("too large by aliases that share one value", () => {
    let shared: Json = ["x"];
    for (let i = 0; i < 40; i++) shared = [shared, shared];
    expect(invalid({ targetRef, shared }, color)).toEqual([
      expect.stringMatching(/^InvalidTooLarge spec: .* more than 1000000 values/),
    ]);
  });
});

describe("createdAt", () => {
  for (const [written, expected] of [
    ["2021-07-15T01:02:03Z", 1626310923],
    ["2021-07-15T01:02:03.999Z", 1626310923],
    ["2021-07-15T03:02:03+02:00", 1626310923],
    [null, undefined],
  ] as const) {
    test(String(written), () => {
      const { policy, findings } = policyOf({ targetRef }, color, { creationTimestamp: written });
      expect(policy?.createdAt).toBe(expected);
      expect(findings).toEqual([]);
    });
  }

  for (const written of ["2021-07-15 01:02:03", "yesterday", "2021-99-15T01:02:03Z", 5]) {
    test(`${written}: a warning, and newest`, () => {
      const { policy, findings } = policyOf({ targetRef }, color, { creationTimestamp: written });
      expect(policy).not.toHaveProperty("createdAt");
      expect(findings).toMatchObject([
        { severity: "warning", code: "UnreadableTimestamp", field: "metadata.creationTimestamp" },
      ]);
    });
  }
});

test("kindIndex: the index among the joined kinds", () => {
  const joined: PolicyDefinition = {
    ...color,
    policies: [color.policies[0], { group: "example.com", kind: "ClusterColorPolicy", scope: "Cluster" }],
  };
  const object = kubeObject({
    apiVersion: "example.com/v1",
    kind: "ClusterColorPolicy",
    metadata: { name: "p" },
    spec: { targetRef },
  });
  expect(parsePolicy(object, policyReader(joined)).policy?.kindIndex).toBe(1);
});

test("the CRD's defaults are filled in, and its maps are one value for Field kinds", () => {
  const properties = {
    attempts: { type: "integer", default: 1 },
    labels: { type: "object", additionalProperties: { type: "string" } },
  };
  const crd = parseCrd(
    kubeObject({
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "crd" },
      spec: {
        group: "example.com",
        names: { kind: "ColorPolicy" },
        versions: [
          {
            storage: true,
            schema: { openAPIV3Schema: { properties: { spec: { properties: { overrides: { properties } } } } } },
          },
        ],
      },
    }),
  );
  const object = kubeObject({
    apiVersion: "example.com/v1",
    kind: "P",
    metadata: { name: "p" },
    spec: { targetRef, overrides: { labels: { a: "b" } } },
  });
  const { policy } = parsePolicy(object, policyReader(definitionFrom("acme-service-policy"), { crd }));
  expect(policy?.blocks[0]?.units.map(({ pointer, value }) => [pointer, value])).toEqual([
    ["/labels", { a: "b" }],
    ["/attempts", 1],
  ]);
});
