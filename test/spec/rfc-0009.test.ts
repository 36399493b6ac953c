/** RFC 0009, "Defaults & Overrides". Rows are named after its own headings, examples and user stories. */
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/core/model/json.ts";
import { type Cluster, cluster } from "../support/cluster.ts";
import { gateway, listener, policy, route } from "../support/gateway-objects.ts";

const group = "kuadrant.example.io";
const auth = (name: string, on: string, spec: JsonObject, created?: number) =>
  policy("AuthPolicy", name, on, spec, { group, ...(created === undefined ? {} : { created }) });
const rateLimit = (name: string, on: string, spec: JsonObject) => policy("RateLimitPolicy", name, on, spec, { group });
const definitions = ["auth-policy", "rate-limit-policy"];
const network = [gateway("g"), route("r", "Gateway/g", { rules: [{ name: "rule" }] })];
const at = "Gateway/g > HTTPRoute/r";

/** The policy `gw` on the Gateway, the policy `rt` on the HTTPRoute. */
function compared(higher: JsonObject, lower: JsonObject, kind = "AuthPolicy"): Cluster {
  const on = kind === "AuthPolicy" ? auth : rateLimit;
  return cluster([...network, on("gw", "Gateway/g", higher), on("rt", "HTTPRoute/r", lower)], { definitions });
}
const made = (...policies: readonly JsonObject[]) => cluster([...network, ...policies], { definitions });
/** The effective policy of the route, as AuthPolicies make it. */
const effective = (...policies: readonly JsonObject[]) => made(...policies).spec(at, { kind: "AuthPolicy" });
const specOf = (both: Cluster, kind = "AuthPolicy") => both.spec(at, { kind });
const sourcesOf = (both: Cluster, kind = "AuthPolicy") => both.sources(at, { kind });
const outcomes = (both: Cluster) => ({ gw: both.outcome("gw"), rt: both.outcome("rt") });

/** `rules: {authentication: …}`, which most rows are about. */
const authn = (rules: JsonObject): JsonObject => ({ rules: { authentication: rules } });
const merge = (spec: JsonObject): JsonObject => ({ strategy: "merge", ...spec });
const ab: JsonObject = { rules: { authentication: { a: "G" }, authorization: { b: "G" } } };

describe("Writing D/O-enabled Kuadrant Policies", () => {
  test("processed in the order defaults, bare, overrides: bare rules lose to non-empty defaults of the same policy", () => {
    const one = made(
      auth("gw", "Gateway/g", { defaults: authn({ a: "defaults" }), ...authn({ a: "bare", b: "bare" }) }),
    );
    expect(specOf(one)).toEqual(authn({ a: "defaults" }));
    // Legal, and reported as surprising.
    expect(one.findingsOn("gw")).not.toEqual([]);
    expect(one.verdictOf("gw").state).toBe("Accepted");
  });

  test("processed in the order defaults, bare, overrides: overrides come last", () => {
    expect(
      effective(
        auth("gw", "Gateway/g", {
          defaults: authn({ a: "defaults", b: "defaults" }),
          overrides: merge(authn({ a: "overrides" })),
        }),
      ),
    ).toEqual(authn({ a: "overrides", b: "defaults" }));
    expect(
      effective(
        auth("gw", "Gateway/g", { ...authn({ a: "bare", b: "bare" }), overrides: merge(authn({ a: "overrides" })) }),
      ),
    ).toEqual(authn({ a: "overrides", b: "bare" }));
  });

  test("bare rules are treated indistinctively as another block of defaults", () => {
    const both = compared(authn({ a: "gw", b: "gw" }), authn({ a: "rt" }));
    expect(specOf(both)).toEqual(authn({ a: "rt" }));
    expect(sourcesOf(both)["/rules/authentication/a"]).toEqual({
      held: "rt bare",
      by: "gw bare AtomicDefaults",
      lost: ['gw bare "gw" overridden by rt'],
    });
  });

  test("all three blocks of a higher policy meet the lower one in this order", () => {
    const both = compared(
      {
        defaults: merge(authn({ d: "defaults", x: "defaults" })),
        ...authn({ b: "bare" }),
        overrides: merge(authn({ o: "overrides", y: "overrides" })),
      },
      authn({ x: "rt", y: "rt" }),
    );
    // The bare rules are atomic defaults: the result is not empty, so they are not taken.
    expect(specOf(both)).toEqual(authn({ d: "defaults", x: "rt", o: "overrides", y: "overrides" }));
  });

  test("Inherited Policies that declare an intent: without any other policy the behavior equals the intent", () => {
    expect(specOf(made(auth("rt", "HTTPRoute/r", authn({ a: "R" }))))).toEqual(authn({ a: "R" }));
    expect(specOf(made(auth("gw", "Gateway/g", authn({ a: "G" }))))).toEqual(authn({ a: "G" }));
  });

  test("Inherited Policies that modify an intent: at the lowest level defaults and overrides affect indistinctively", () => {
    for (const block of ["defaults", "overrides"]) {
      expect(effective(auth("rt", "HTTPRoute/r", { [block]: authn({ a: "R" }) }))).toEqual(authn({ a: "R" }));
    }
  });

  test("several policies on one object: lower precedence is lower, too", () => {
    const older = auth("older", "HTTPRoute/r", { defaults: merge(authn({ a: "older", b: "older" })) }, 0);
    const newer = auth("newer", "HTTPRoute/r", { defaults: merge(authn({ a: "newer" })) }, 1);
    expect(effective(older, newer)).toEqual(authn({ a: "newer", b: "older" }));
  });

  test("Identifying inherited policy kinds: gateway.networking.k8s.io/policy: inherited", () => {
    const crd = {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: {
        name: "dnspolicies.kuadrant.example.io",
        labels: { "gateway.networking.k8s.io/policy": "inherited" },
      },
      spec: {
        group,
        scope: "Namespaced",
        names: { kind: "DNSPolicy", plural: "dnspolicies" },
        versions: [{ name: "v1", served: true, storage: true }],
      },
    };
    const on = (name: string, target: string, spec: JsonObject) => policy("DNSPolicy", name, target, spec, { group });
    // Instances implicitly declare an atomic set of defaults.
    const both = cluster([...network, crd, on("gw", "Gateway/g", { x: 1, y: 1 }), on("rt", "HTTPRoute/r", { x: 2 })]);
    expect(both.spec(at)).toEqual({ x: 2 });
    expect(both.outcome("gw")).toBe("Overridden by rt");
  });
});

describe("Examples of D/O-enabled Kuadrant policy", () => {
  const policyWith = (strategy: string) => ({ defaults: { ...ab, strategy } });

  test("Example 1. Atomic defaults: set at lower objects that do not have policies of their own at all", () => {
    expect(effective(auth("gw-policy", "Gateway/g", policyWith("atomic")))).toEqual(ab);
    expect(specOf(compared(policyWith("atomic"), authn({ c: "R" })))).toEqual(authn({ c: "R" }));
  });

  test("Example 2. Merged defaults: evaluated one by one", () => {
    expect(effective(auth("gw-policy", "Gateway/g", policyWith("merge")))).toEqual(ab);
    expect(specOf(compared(policyWith("merge"), authn({ a: "R" })))).toEqual({
      rules: { authentication: { a: "R" }, authorization: { b: "G" } },
    });
  });
});

describe("Atomic vs. individually merged policy rules", () => {
  const higher = authn({ a: "G", b: "G" });
  const lower = authn({ a: "R", c: "R" });

  for (const [cell, block, expected] of [
    [
      "Defaults, Atomic: takes all the rules from the lower policy",
      { defaults: { strategy: "atomic", ...higher } },
      { a: "R", c: "R" },
    ],
    ["Defaults, Merge: take the lower one if they conflict", { defaults: merge(higher) }, { a: "R", b: "G", c: "R" }],
    [
      "Overrides, Atomic: takes all the rules from the higher policy",
      { overrides: { strategy: "atomic", ...higher } },
      { a: "G", b: "G" },
    ],
    [
      "Overrides, Merge: take the higher one if they conflict",
      { overrides: merge(higher) },
      { a: "G", b: "G", c: "R" },
    ],
    ["Defaults, strategy omitted: atomic is assumed", { defaults: higher }, { a: "R", c: "R" }],
    ["Overrides, strategy omitted: atomic is assumed", { overrides: higher }, { a: "G", b: "G" }],
  ] as const) {
    test(`Matrix of D/O strategies and Effective Policy: ${cell}`, () => {
      expect(specOf(compared(block, lower))).toEqual(authn(expected));
    });
  }

  for (const block of ["defaults", "overrides"] as const) {
    test(`the policy that sets higher in the hierarchy dictates the strategy: ${block}`, () => {
      const atomic = { strategy: "atomic", ...higher };
      const isDefault = block === "defaults";
      expect(specOf(compared({ [block]: atomic }, { defaults: merge(lower) }))).toEqual(
        authn(isDefault ? { a: "R", c: "R" } : { a: "G", b: "G" }),
      );
      expect(specOf(compared({ [block]: merge(higher) }, { defaults: { strategy: "atomic", ...lower } }))).toEqual(
        authn(isDefault ? { a: "R", b: "G", c: "R" } : { a: "G", b: "G", c: "R" }),
      );
      expect(specOf(compared({ [block]: merge(higher) }, { overrides: { strategy: "atomic", ...lower } }))).toEqual(
        authn(isDefault ? { a: "R", b: "G", c: "R" } : { a: "G", b: "G", c: "R" }),
      );
    });
  }

  describe("Level of granularity of compared policy rules", () => {
    test("merge: the value of a named rule is an atomic object, never mixed", () => {
      const body = (from: string, extra: JsonObject) => ({ from, ...extra });
      const gw = authn({ a: body("G", { onlyG: 1 }) });
      const rt = authn({ a: body("R", { onlyR: 1 }) });
      expect(specOf(compared({ defaults: merge(gw) }, rt))).toEqual(rt);
      expect(specOf(compared({ overrides: merge(gw) }, rt))).toEqual(gw);
    });

    test("merge: a rule's identity is its full path: equal names in two maps are two rules", () => {
      const both = compared(
        { defaults: merge({ rules: { authentication: { a: "G" }, authorization: { a: "G" } } }) },
        authn({ a: "R" }),
      );
      expect(specOf(both)).toEqual({ rules: { authentication: { a: "R" }, authorization: { a: "G" } } });
      expect(outcomes(both)).toEqual({ gw: "PartiallyEnforced by rt", rt: "Enforced" });
    });

    test("units are named rules: a rule with many fields counts once", () => {
      const both = compared({ defaults: merge(authn({ a: { x: 1, y: 2, z: 3 } })) }, authn({ b: { x: 1 } }));
      expect(Object.keys(sourcesOf(both)).toSorted()).toEqual(["/rules/authentication/a", "/rules/authentication/b"]);
    });

    test("a rule equal to the winner's is not overridden", () => {
      const both = compared({ defaults: merge(authn({ a: { x: 1 }, b: "G" })) }, authn({ a: { x: 1 } }));
      expect(sourcesOf(both)["/rules/authentication/a"]?.lost).toEqual(['gw defaults {"x":1} equal']);
      expect(outcomes(both)).toEqual({ gw: "Enforced", rt: "Enforced" });
    });
  });
});

/** The worked examples: what goes in, what comes out, what each place's source says, and what becomes of the policies. */
const examples: readonly {
  readonly id: string;
  readonly title: string;
  readonly kind?: string;
  readonly higher: JsonObject;
  readonly lower: JsonObject;
  readonly effective: JsonObject;
  readonly sources: Readonly<Record<string, JsonObject>>;
  readonly gw: string;
  readonly rt: string;
}[] = [
  {
    id: "A1",
    title: "a default policy that is replaced entirely if another one is set at a lower level",
    higher: { defaults: { strategy: "atomic", ...ab } },
    lower: authn({ c: "R" }),
    effective: authn({ c: "R" }),
    sources: {
      "/rules/authentication/a": {
        held: "nobody",
        by: "gw defaults AtomicDefaults",
        lost: ['gw defaults "G" overridden by rt'],
      },
      "/rules/authentication/c": { held: "rt bare", by: "rt bare AtomicDefaults", lost: [] },
      "/rules/authorization/b": {
        held: "nobody",
        by: "gw defaults AtomicDefaults",
        lost: ['gw defaults "G" overridden by rt'],
      },
    },
    gw: "Overridden by rt",
    rt: "Enforced",
  },
  {
    id: "B1",
    title: "a default policy whose rules are merged into other policies, without conflict",
    higher: { defaults: merge(ab) },
    lower: authn({ c: "R" }),
    effective: { rules: { authentication: { a: "G", c: "R" }, authorization: { b: "G" } } },
    sources: {
      "/rules/authentication/a": { held: "gw defaults", by: "gw defaults MergeDefaults", lost: [] },
      "/rules/authentication/c": { held: "rt bare", by: "rt bare AtomicDefaults", lost: [] },
      "/rules/authorization/b": { held: "gw defaults", by: "gw defaults MergeDefaults", lost: [] },
    },
    gw: "Enforced",
    rt: "Enforced",
  },
  {
    id: "B2",
    title: "a default policy whose rules are merged into other policies, with conflict",
    higher: { defaults: merge(ab) },
    lower: authn({ a: "R" }),
    effective: { rules: { authentication: { a: "R" }, authorization: { b: "G" } } },
    sources: {
      "/rules/authentication/a": {
        held: "rt bare",
        by: "gw defaults MergeDefaults",
        lost: ['gw defaults "G" overridden by rt'],
      },
      "/rules/authorization/b": { held: "gw defaults", by: "gw defaults MergeDefaults", lost: [] },
    },
    gw: "PartiallyEnforced by rt",
    rt: "Enforced",
  },
  {
    id: "C1",
    title: "an override policy that replaces any other that is set at a lower level entirely",
    higher: { overrides: { strategy: "atomic", ...ab } },
    lower: authn({ c: "R" }),
    effective: ab,
    sources: {
      "/rules/authentication/a": { held: "gw overrides", by: "gw overrides AtomicOverrides", lost: [] },
      "/rules/authentication/c": {
        held: "nobody",
        by: "gw overrides AtomicOverrides",
        lost: ['rt bare "R" replaced by gw'],
      },
      "/rules/authorization/b": { held: "gw overrides", by: "gw overrides AtomicOverrides", lost: [] },
    },
    gw: "Enforced",
    rt: "Overridden by gw",
  },
  {
    id: "D1",
    title: "an override policy whose rules are merged into other policies, without conflict",
    higher: { overrides: merge(ab) },
    lower: authn({ c: "R" }),
    effective: { rules: { authentication: { a: "G", c: "R" }, authorization: { b: "G" } } },
    sources: {
      "/rules/authentication/a": { held: "gw overrides", by: "gw overrides MergeOverrides", lost: [] },
      "/rules/authentication/c": { held: "rt bare", by: "rt bare AtomicDefaults", lost: [] },
      "/rules/authorization/b": { held: "gw overrides", by: "gw overrides MergeOverrides", lost: [] },
    },
    gw: "Enforced",
    rt: "Enforced",
  },
  {
    id: "D2",
    title: "an override policy whose rules are merged into other policies, with conflict",
    higher: { overrides: merge(ab) },
    lower: { rules: { authentication: { a: "R" }, authorization: { d: "R" } } },
    effective: { rules: { authentication: { a: "G" }, authorization: { b: "G", d: "R" } } },
    sources: {
      "/rules/authentication/a": {
        held: "gw overrides",
        by: "gw overrides MergeOverrides",
        lost: ['rt bare "R" replaced by gw'],
      },
      "/rules/authorization/b": { held: "gw overrides", by: "gw overrides MergeOverrides", lost: [] },
      "/rules/authorization/d": { held: "rt bare", by: "rt bare AtomicDefaults", lost: [] },
    },
    gw: "Enforced",
    rt: "PartiallyEnforced by gw",
  },
  {
    id: "E1",
    title: "the lower policy is compliant with the constraint",
    higher: { overrides: merge({ when: "spec.rules.authentication.a > 50", ...authn({ a: 50 }) }) },
    lower: authn({ a: 30, b: 120 }),
    effective: authn({ a: 30, b: 120 }),
    sources: {
      "/rules/authentication/a": { held: "rt bare", lost: ["gw overrides 50 gated"] },
      "/rules/authentication/b": { held: "rt bare", by: "rt bare AtomicDefaults", lost: [] },
    },
    gw: "Enforced",
    rt: "Enforced",
  },
  {
    id: "E2",
    title: "the lower policy violates the constraint",
    higher: { overrides: merge({ when: "spec.rules.authentication.a > 50", ...authn({ a: 50 }) }) },
    lower: authn({ a: 100, b: 120 }),
    effective: authn({ a: 50, b: 120 }),
    sources: {
      "/rules/authentication/a": {
        held: "gw overrides",
        by: "gw overrides MergeOverrides",
        lost: ["rt bare 100 replaced by gw"],
      },
      "/rules/authentication/b": { held: "rt bare", by: "rt bare AtomicDefaults", lost: [] },
    },
    gw: "Enforced",
    rt: "PartiallyEnforced by gw",
  },
  {
    id: "E3",
    title: "merge granularity problem: the whole rule is replaced",
    kind: "RateLimitPolicy",
    higher: {
      overrides: merge({
        when: "spec.limits.a.rates.exists(r, r.limit > 50)",
        limits: { a: { rates: [{ limit: 50, duration: 10, unit: "second" }] } },
      }),
    },
    lower: {
      limits: {
        a: {
          rates: [
            { limit: 100, duration: 1, unit: "minute" },
            { limit: 10000, duration: 1, unit: "day" },
          ],
        },
        b: {},
      },
    },
    effective: { limits: { a: { rates: [{ limit: 50, duration: 10, unit: "second" }] }, b: {} } },
    sources: {
      "/limits/a": { held: "gw overrides", by: "gw overrides MergeOverrides" },
      "/limits/b": { held: "rt bare", by: "rt bare AtomicDefaults", lost: [] },
    },
    gw: "Enforced",
    rt: "PartiallyEnforced by gw",
  },
  {
    id: "F1",
    title: "a policy that deactivates a default policy rule set at a higher level",
    higher: { defaults: merge(authn({ a: "G" })) },
    lower: { ...authn({ b: "R" }), unset: ["rules.authentication.a"] },
    effective: authn({ b: "R" }),
    sources: {
      "/rules/authentication/a": { held: "nobody", by: "rt bare Remove", lost: ['gw defaults "G" removed by rt'] },
      "/rules/authentication/b": { held: "rt bare", by: "rt bare AtomicDefaults", lost: [] },
    },
    gw: "Overridden by rt",
    rt: "Enforced",
  },
  {
    id: "F2",
    title: "a policy that tries to deactivate an override policy rule set a higher level",
    higher: { overrides: merge(authn({ a: "G" })) },
    lower: { ...authn({ b: "R" }), unset: ["rules.authentication.a"] },
    effective: authn({ a: "G", b: "R" }),
    sources: {
      "/rules/authentication/a": { held: "gw overrides", by: "gw overrides MergeOverrides", lost: [] },
      "/rules/authentication/b": { held: "rt bare", by: "rt bare AtomicDefaults", lost: [] },
    },
    gw: "Enforced",
    rt: "Enforced",
  },
];

describe("Examples of D/O cases", () => {
  for (const { id, title, kind = "AuthPolicy", higher, lower, effective: expected, sources, gw, rt } of examples) {
    const both = () => compared(higher, lower, kind);
    test(`Example ${id}. ${title}: effective policy`, () => {
      expect(specOf(both(), kind)).toEqual(expected);
    });
    test(`Example ${id}. ${title}: provenance`, () => {
      const found = sourcesOf(both(), kind);
      expect(Object.keys(found).toSorted()).toEqual(Object.keys(sources));
      expect(found).toMatchObject(sources);
    });
    test(`Example ${id}. ${title}: verdicts`, () => {
      expect(outcomes(both())).toEqual({ gw, rt });
    });
  }

  test("Example E1. a constraint that is met is counted as met, not as overridden", () => {
    const e1 = examples.find(({ id }) => id === "E1");
    const both = compared(e1?.higher ?? {}, e1?.lower ?? {});
    expect(both.tally("gw")).toEqual({ paths: 1, full: 0, partial: 0, none: 0, met: 1 });
    expect(both.tally("rt")).toEqual({ paths: 1, full: 1, partial: 0, none: 0, met: 0 });
  });
});

describe("when", () => {
  const gated = (when: string, lower: JsonObject, block: "defaults" | "overrides" = "overrides") =>
    compared({ [block]: merge({ when, ...authn({ a: 50 }) }) }, lower);

  for (const [name, when] of [
    ["spec is the lower policy's spec", "spec.rules.authentication.a > 50"],
    ["self is the lower policy", "self.spec.rules.authentication.a > 50"],
  ] as const) {
    test(name, () => {
      expect(specOf(gated(when, authn({ a: 51 })))).toEqual(authn({ a: 50 }));
      expect(specOf(gated(when, authn({ a: 50 })))).toEqual(authn({ a: 50 }));
      expect(specOf(gated(when, authn({ a: 49 })))).toEqual(authn({ a: 49 }));
    });
  }

  test("a missing key means false, for overrides", () => {
    const both = gated("spec.rules.authentication.a > 50", authn({ b: 1 }));
    expect(specOf(both)).toEqual(authn({ b: 1 }));
    expect(both.outcome("gw")).toBe("Enforced");
  });

  test("a missing key means false, for defaults", () => {
    expect(specOf(gated("spec.rules.authentication.nothing", authn({ b: 1 }), "defaults"))).toEqual(authn({ b: 1 }));
  });

  test("it is asked even of an empty result", () => {
    const alone = (when: string) =>
      effective(auth("gw", "Gateway/g", { overrides: merge({ when, ...authn({ a: 50 }) }) }));
    expect(alone("!has(spec.rules)")).toEqual(authn({ a: 50 }));
    expect(alone("has(spec.rules)")).toEqual({});
  });

  test("it sees the result so far, not only the next policy", () => {
    const both = made(
      auth("gw", "Gateway/g", {
        overrides: merge({
          when: "spec.rules.authentication.a == 1 && spec.rules.authentication.b == 2",
          ...authn({ c: 3 }),
        }),
      }),
      auth("rt", "HTTPRoute/r", { defaults: merge(authn({ a: 1 })) }),
      auth("rule", "HTTPRoute/r#rule", authn({ b: 2 })),
    );
    expect(specOf(both)).toEqual(authn({ a: 1, b: 2, c: 3 }));
  });

  test("it sees its own policy's earlier blocks", () => {
    expect(
      effective(
        auth("gw", "Gateway/g", {
          defaults: authn({ a: 1 }),
          overrides: merge({ when: "spec.rules.authentication.a == 1", ...authn({ b: 2 }) }),
        }),
      ),
    ).toEqual(authn({ a: 1, b: 2 }));
  });

  test("it gates defaults, too", () => {
    const when = "has(spec.rules.authentication.b)";
    expect(specOf(gated(when, authn({ b: 1 }), "defaults"))).toEqual(authn({ a: 50, b: 1 }));
    expect(specOf(gated(when, authn({ c: 1 }), "defaults"))).toEqual(authn({ c: 1 }));
  });

  test("an error fails closed: an override applies, and a finding tells", () => {
    const both = gated("spec.rules.authentication.a > 50", authn({ a: "many" }));
    expect(specOf(both)).toEqual(authn({ a: 50 }));
    expect(both.findingsOn("gw")).not.toEqual([]);
    expect(both.outcome("rt")).toBe("Overridden by gw");
  });

  test("an error fails closed: a default does not apply", () => {
    const both = gated("spec.rules.authentication.b > 50", authn({ b: "many" }), "defaults");
    expect(specOf(both)).toEqual(authn({ b: "many" }));
    expect(both.findingsOn("gw")).not.toEqual([]);
  });

  test("a gated block has no units: overridden wherever it acts, a policy is overridden, although its constraint is met elsewhere", () => {
    const limit = (max: number) => authn({ a: max });
    const constraint = merge({ when: "spec.rules.authentication.a > 50", ...limit(50) });
    const routes = [100, 10].flatMap((max, i) => [
      route(`r${i}`, "Gateway/g", { rules: [{ name: "rule" }] }),
      auth(`rt${i}`, `HTTPRoute/r${i}`, limit(max)),
    ]);
    const both = (higher: JsonObject) =>
      cluster(
        [
          gateway("g"),
          ...routes,
          auth("top", "Gateway/g", higher, 1),
          auth("gw", "Gateway/g", { overrides: constraint }, 2),
        ],
        { definitions },
      );
    const overridden = both({ overrides: merge(limit(40)) });
    expect(overridden.outcome("gw")).toBe("Overridden by top");
    expect(overridden.tally("gw")).toEqual({ paths: 2, full: 0, partial: 0, none: 1, met: 1 });
    expect(overridden.conditions("gw")).toEqual(["Gateway/g: Accepted=True/Accepted Enforced=False/Overridden"]);
    expect(both({ overrides: merge(authn({ b: 1 })) }).outcome("gw")).toBe("Enforced");
  });

  test("a gated block is no block: its removals do not act", () => {
    const both = compared(
      { defaults: merge(authn({ a: "G" })) },
      { ...authn({ b: "R" }), overrides: merge({ when: "false", remove: ["a"], ...authn({ c: "R" }) }) },
    );
    expect(specOf(both)).toEqual(authn({ a: "G", b: "R" }));
    expect(outcomes(both)).toEqual({ gw: "Enforced", rt: "Enforced" });
  });

  test("a gated atomic override replaces nothing and keeps the removals", () => {
    const both = made(
      auth("gw", "Gateway/g", { defaults: merge(authn({ a: "G" })) }),
      auth("rt", "HTTPRoute/r", { overrides: { strategy: "atomic", when: "false", ...authn({ c: "R" }) } }),
      auth("rule", "HTTPRoute/r#rule", { ...authn({ b: "S" }), remove: ["a"] }),
    );
    expect(specOf(both)).toEqual(authn({ b: "S" }));
  });
});

describe("remove", () => {
  const defaults = { defaults: merge({ rules: { authentication: { a: "G", b: "G" }, authorization: { a: "G" } } }) };

  test("specified by name of the policy rules: in every map of rules", () => {
    expect(specOf(compared(defaults, { ...authn({ c: "R" }), remove: ["a"] }))).toEqual(authn({ b: "G", c: "R" }));
  });

  test("specified by dotted path: that rule only", () => {
    expect(specOf(compared(defaults, { ...authn({ c: "R" }), remove: ["rules.authentication.a"] }))).toEqual({
      rules: { authentication: { b: "G", c: "R" }, authorization: { a: "G" } },
    });
  });

  test("specified by a path above rules: all of them", () => {
    expect(specOf(compared(defaults, { ...authn({ c: "R" }), remove: ["rules.authentication"] }))).toEqual({
      rules: { authentication: { c: "R" }, authorization: { a: "G" } },
    });
  });

  test("a name that is only the beginning of another removes nothing", () => {
    const long = { defaults: merge(authn({ ab: "G" })) };
    expect(
      specOf(compared(long, { ...authn({ c: "R" }), remove: ["a", "rules.authentication.a", "rules.auth"] })),
    ).toEqual(authn({ ab: "G", c: "R" }));
  });

  test("nor does a name that begins another one up to a dot", () => {
    const dotted = { defaults: merge(authn({ a: "G", "a.b": "G" })) };
    for (const entry of ["a", "rules.authentication.a"])
      expect(specOf(compared(dotted, { ...authn({ c: "R" }), remove: [entry] }))).toEqual(
        authn({ "a.b": "G", c: "R" }),
      );
    expect(specOf(compared(dotted, { ...authn({ c: "R" }), remove: ["rules.authentication.a.b"] }))).toEqual(
      authn({ a: "G", c: "R" }),
    );
  });

  test("remove and unset are one", () => {
    for (const word of ["remove", "unset"]) {
      expect(specOf(compared({ defaults: merge(authn({ a: "G" })) }, { ...authn({ b: "R" }), [word]: ["a"] }))).toEqual(
        authn({ b: "R" }),
      );
    }
  });

  test("it may stand in a block, and alone", () => {
    const higher = { defaults: merge(authn({ a: "G", b: "G" })) };
    expect(specOf(compared(higher, { defaults: { ...authn({ c: "R" }), remove: ["a"] } }))).toEqual(
      authn({ b: "G", c: "R" }),
    );
    expect(specOf(compared(higher, { overrides: merge({ ...authn({ c: "R" }), remove: ["a"] }) }))).toEqual(
      authn({ b: "G", c: "R" }),
    );
    const alone = compared(higher, { remove: ["a"] });
    expect(specOf(alone)).toEqual(authn({ b: "G" }));
    expect(alone.outcome("gw")).toBe("PartiallyEnforced by rt");
  });

  test("an atomic default without its removed rules is taken, if nothing else is there", () => {
    expect(specOf(compared({ defaults: authn({ a: "G", b: "G" }) }, { remove: ["a"] }))).toEqual(authn({ b: "G" }));
  });

  test("a removed rule was overridden by its remover", () => {
    const both = compared(defaults, { ...authn({ c: "R" }), remove: ["a"] });
    expect(outcomes(both)).toEqual({ gw: "PartiallyEnforced by rt", rt: "Enforced" });
    expect(both.overridden("gw").by).toEqual(["rt"]);
  });

  test("it does not act on the same policy's defaults", () => {
    const own = { defaults: merge(authn({ a: "R" })), remove: ["a"] };
    expect(effective(auth("rt", "HTTPRoute/r", own))).toEqual(authn({ a: "R" }));
    expect(effective(auth("rt", "HTTPRoute/r", { ...authn({ a: "R" }), remove: ["a"] }))).toEqual(authn({ a: "R" }));
    expect(effective(auth("rt", "HTTPRoute/r", { defaults: merge({ ...authn({ a: "R" }), remove: ["a"] }) }))).toEqual(
      authn({ a: "R" }),
    );
    // Nor on its later blocks.
    const later = { defaults: merge({ ...authn({ b: "R" }), remove: ["a"] }), ...merge(authn({ a: "R" })) };
    expect(effective(auth("rt", "HTTPRoute/r", later))).toEqual(authn({ a: "R", b: "R" }));
  });

  test("removals of several levels add up", () => {
    expect(
      effective(
        auth("rule", "HTTPRoute/r#rule", { ...authn({ own: "S" }), remove: ["a"] }),
        auth("rt", "HTTPRoute/r", { defaults: merge({ ...authn({ rt: "R" }), remove: ["b"] }) }),
        auth("gw", "Gateway/g", { defaults: merge(authn({ a: "G", b: "G", c: "G" })) }),
      ),
    ).toEqual(authn({ own: "S", rt: "R", c: "G" }));
  });

  test("it acts on strictly higher policies only: what stands below it stays", () => {
    const both = made(
      auth("rt", "HTTPRoute/r", { ...authn({ b: "R" }), strategy: "merge", remove: ["a"] }),
      auth("rule", "HTTPRoute/r#rule", authn({ a: "S" })),
    );
    expect(specOf(both)).toEqual(authn({ a: "S", b: "R" }));
  });

  test("an override cannot be removed, neither by a rule's name nor by a path above", () => {
    const higher = { overrides: merge(authn({ a: "G" })) };
    for (const entry of ["a", "rules.authentication.a", "rules.authentication", "rules"]) {
      expect(specOf(compared(higher, { ...authn({ b: "R" }), remove: [entry] }))).toEqual(authn({ a: "G", b: "R" }));
      expect(specOf(compared({ overrides: authn({ a: "G" }) }, { ...authn({ b: "R" }), remove: [entry] }))).toEqual(
        authn({ a: "G" }),
      );
    }
  });

  test("it reaches over a level that says nothing of the rule", () => {
    const both = made(
      auth("gw", "Gateway/g", { defaults: merge(authn({ a: "G" })) }),
      auth("rt", "HTTPRoute/r", { defaults: merge(authn({ b: "R" })) }),
      auth("rule", "HTTPRoute/r#rule", { ...authn({ c: "S" }), remove: ["a"] }),
    );
    expect(specOf(both)).toEqual(authn({ b: "R", c: "S" }));
  });

  test("an atomic override discards the removals collected so far", () => {
    const both = made(
      auth("gw", "Gateway/g", { defaults: merge(authn({ a: "G" })) }),
      auth("rt", "HTTPRoute/r", { overrides: authn({ c: "R" }) }),
      auth("rule", "HTTPRoute/r#rule", { ...authn({ b: "S" }), remove: ["a"] }),
    );
    expect(specOf(both)).toEqual(authn({ a: "G", c: "R" }));
  });

  test("an atomic override keeps its own removals", () => {
    const both = made(
      auth("gw", "Gateway/g", { defaults: merge(authn({ a: "G", b: "G" })) }),
      auth("rt", "HTTPRoute/r", { overrides: { ...authn({ c: "R" }), remove: ["a"] } }),
      auth("rule", "HTTPRoute/r#rule", { ...authn({ d: "S" }), remove: ["b"] }),
    );
    expect(specOf(both)).toEqual(authn({ b: "G", c: "R" }));
  });

  test("a merged override keeps the removals", () => {
    const both = made(
      auth("gw", "Gateway/g", { defaults: merge(authn({ a: "G" })) }),
      auth("rt", "HTTPRoute/r", { overrides: merge(authn({ c: "R" })) }),
      auth("rule", "HTTPRoute/r#rule", { ...authn({ b: "S" }), remove: ["a"] }),
    );
    expect(specOf(both)).toEqual(authn({ b: "S", c: "R" }));
  });
});

describe("Merging two policies together", () => {
  /** p1 has a word for each rule in each block: which one is left tells the order of the blocks. */
  const p1 = (defaults: JsonObject, bare: JsonObject, overrides: JsonObject): JsonObject => ({
    ...(Object.keys(defaults).length === 0 ? {} : { defaults: merge(authn(defaults)) }),
    ...(Object.keys(bare).length === 0 ? {} : authn(bare)),
    ...(Object.keys(overrides).length === 0 ? {} : { overrides: merge(authn(overrides)) }),
  });

  for (const [name, higher, lower, expected] of [
    ["defaults, then bare, then overrides, into an empty p2", p1({ a: 1 }, { a: 2 }, { a: 3 }), {}, { a: 3 }],
    ["defaults come before bare", p1({ a: 1 }, { a: 2 }, {}), {}, { a: 1 }],
    ["bare rules come before overrides", p1({}, { a: 2, b: 2 }, { a: 3 }), {}, { a: 3, b: 2 }],
    ["bare rules are merged as defaults", p1({}, { a: 2 }, {}), authn({ a: "R" }), { a: "R" }],
    ["p2 keeps what no block touches", p1({ a: 1 }, {}, { b: 3 }), authn({ c: "R" }), { a: 1, b: 3, c: "R" }],
  ] as const) {
    test(name, () => {
      expect(specOf(compared(higher, lower))).toEqual(authn(expected));
    });
  }
});

describe("Merge a `defaults` block of policy rules into a policy", () => {
  test("remove from B all policy rules listed in p.remove", () => {
    expect(
      specOf(compared({ defaults: merge(authn({ a: "G", b: "G" })) }, { ...authn({ c: "R" }), remove: ["a"] })),
    ).toEqual(authn({ b: "G", c: "R" }));
  });

  for (const strategy of ["atomic", "merge"]) {
    test(`p.empty? Yes: p.rules ← B (${strategy})`, () => {
      for (const lower of [{}, { rules: {} }, { defaults: {} }, { overrides: { rules: {} } }]) {
        expect(specOf(compared({ defaults: { strategy, ...authn({ a: "G" }) } }, lower))).toEqual(
          expect.objectContaining(authn({ a: "G" })),
        );
      }
    });
  }

  test("p.empty? No, B.strategy Atomic: nothing is taken", () => {
    expect(specOf(compared({ defaults: authn({ a: "G" }) }, { rules: { authorization: { b: "R" } } }))).toEqual({
      rules: { authorization: { b: "R" } },
    });
  });

  test("p.empty? No, B.strategy Merge, p[r.id].exists? Yes: p's stays", () => {
    expect(specOf(compared({ defaults: merge(authn({ a: "G" })) }, authn({ a: "R" })))).toEqual(authn({ a: "R" }));
  });

  test("p.empty? No, B.strategy Merge, p[r.id].exists? No: p[r.id] ← r", () => {
    expect(specOf(compared({ defaults: merge(authn({ a: "G" })) }, authn({ b: "R" })))).toEqual(
      authn({ a: "G", b: "R" }),
    );
  });

  test("p[r.id].exists? Yes: also a rule with an empty body exists", () => {
    expect(specOf(compared({ defaults: merge(authn({ a: { x: 1 } })) }, authn({ a: {} })))).toEqual(authn({ a: {} }));
  });
});

describe("Merge an `overrides` block of policy rules into a policy", () => {
  test("B.strategy Atomic: p.rules ← B", () => {
    expect(specOf(compared({ overrides: authn({ a: "G" }) }, { rules: { authorization: { b: "R" } } }))).toEqual(
      authn({ a: "G" }),
    );
  });

  test("B.strategy Merge: p[r.id] ← r, for each r in B", () => {
    expect(specOf(compared({ overrides: merge(authn({ a: "G", b: "G" })) }, authn({ a: "R", c: "R" })))).toEqual(
      authn({ a: "G", b: "G", c: "R" }),
    );
  });
});

describe("Merging a generic block of policy rules (defaults or overrides) into a policy with conditions", () => {
  for (const block of ["defaults", "overrides"] as const) {
    test(`conditions do not match: return p (${block})`, () => {
      expect(specOf(compared({ [block]: merge({ when: "false", ...authn({ a: "G" }) }) }, authn({ b: "R" })))).toEqual(
        authn({ b: "R" }),
      );
    });

    test(`conditions match: merge B as ${block}`, () => {
      expect(specOf(compared({ [block]: merge({ when: "true", ...authn({ a: "G" }) }) }, authn({ b: "R" })))).toEqual(
        authn({ a: "G", b: "R" }),
      );
    });
  }
});

describe("Apply policies to a Gateway (root object) and all objects beneath", () => {
  const two = [
    gateway("g", { listeners: [listener("one"), listener("two", { port: 81 })] }),
    route("r", "Gateway/g#one", { rules: [{ name: "rule" }] }),
    route("q", "Gateway/g#two", { rules: [{ name: "first" }, { name: "second" }] }),
  ];

  test("for each route: list all policies that affect it, sort from lowest to highest, merge each into ep", () => {
    const both = cluster(
      [
        ...two,
        auth("gw", "Gateway/g", { defaults: merge(authn({ gw: 1, all: "gw" })) }),
        auth("ln", "Gateway/g#two", { defaults: merge(authn({ ln: 1, all: "ln" })) }),
        auth("rt", "HTTPRoute/q", { defaults: merge(authn({ rt: 1, all: "rt" })) }),
        auth("rl", "HTTPRoute/q#first", { defaults: merge(authn({ rl: 1, all: "rl" })) }),
      ],
      { definitions },
    );
    const spec = (path: string) => both.spec(path, { kind: "AuthPolicy" });
    expect(spec("HTTPRoute/r#rule")).toEqual(authn({ gw: 1, all: "gw" }));
    expect(spec("HTTPRoute/q#first")).toEqual(authn({ gw: 1, ln: 1, rt: 1, rl: 1, all: "rl" }));
    expect(spec("HTTPRoute/q#second")).toEqual(authn({ gw: 1, ln: 1, rt: 1, all: "rt" }));
  });

  test("route rules not targeted by any policy have the Gateway's", () => {
    const both = cluster(
      [...two, auth("gw", "Gateway/g", authn({ a: "G" })), auth("rl", "HTTPRoute/q#first", authn({ b: "R" }))],
      { definitions },
    );
    const spec = (path: string) => both.spec(path, { kind: "AuthPolicy" });
    expect(spec("HTTPRoute/q#first")).toEqual(authn({ b: "R" }));
    expect(spec("HTTPRoute/q#second")).toEqual(authn({ a: "G" }));
    expect(spec("HTTPRoute/r#rule")).toEqual(authn({ a: "G" }));
    expect(both.outcome("gw")).toBe("PartiallyEnforced by rl");
    expect(both.tally("gw")).toEqual({ paths: 3, full: 2, partial: 0, none: 1, met: 0 });
  });

  test("two policy kinds do not meet", () => {
    const both = cluster(
      [
        ...network,
        auth("gw", "Gateway/g", { overrides: authn({ a: "G" }) }),
        rateLimit("rt", "HTTPRoute/r", { limits: { a: 1 } }),
      ],
      {
        definitions,
      },
    );
    expect(specOf(both, "AuthPolicy")).toEqual(authn({ a: "G" }));
    expect(specOf(both, "RateLimitPolicy")).toEqual({ limits: { a: 1 } });
  });
});

describe("Apply policies of a kind for an object", () => {
  test("P ← all policies of the kind that affect o; none: no effective policy", () => {
    expect(made().effective()).toEqual([]);
  });

  test("sort P from lowest to highest: rule, route, listener, Gateway; on one object newest first", () => {
    const values = ["rl", "rt-new", "rt-old", "ln", "gw"];
    const policies = [
      auth("gw", "Gateway/g", { overrides: merge(authn({ a: "gw" })) }),
      auth("ln", "Gateway/g#http", { overrides: merge(authn({ a: "ln" })) }),
      auth("rt-old", "HTTPRoute/r", { overrides: merge(authn({ a: "rt-old" })) }, 0),
      auth("rt-new", "HTTPRoute/r", { overrides: merge(authn({ a: "rt-new" })) }, 1),
      auth("rl", "HTTPRoute/r#rule", { overrides: merge(authn({ a: "rl" })) }),
    ];
    // Each override replaces what the lower ones came to: taking the highest away leaves the next.
    for (let i = 0; i < policies.length; i++) {
      expect(effective(...policies.slice(i))).toEqual(authn({ a: values.at(-1 - i) ?? "" }));
    }
  });

  test("ep begins without any policy rules: the lowest policy's blocks meet nothing", () => {
    const one = made(auth("rt", "HTTPRoute/r", { overrides: authn({ a: "R" }), defaults: merge(authn({ b: "R" })) }));
    expect(specOf(one)).toEqual(authn({ a: "R" }));
    expect(one.outcome("rt")).toBe("Enforced");
  });
});

describe("User stories", () => {
  const unrelated = authn({ own: "R" });
  /** Each story, told as: the Platform Engineer's policy, the Application Developer's, the outcome, what becomes of both. */
  for (const [id, higher, lower, expected, gw, rt] of [
    [
      "gateway-default-policy",
      { defaults: authn({ a: "G" }) },
      unrelated,
      { own: "R" },
      "Overridden by rt",
      "Enforced",
    ],
    [
      "gateway-default-policy-rule",
      { defaults: merge(authn({ a: "G", own: "G" })) },
      unrelated,
      { a: "G", own: "R" },
      "PartiallyEnforced by rt",
      "Enforced",
    ],
    [
      "policy-constraints",
      { overrides: merge({ when: "spec.rules.authentication.own > 10", ...authn({ own: 10 }) }) },
      authn({ own: 11 }),
      { own: 10 },
      "Enforced",
      "Overridden by gw",
    ],
    [
      "gateway-override-policy",
      { overrides: authn({ a: "G" }) },
      unrelated,
      { a: "G" },
      "Enforced",
      "Overridden by gw",
    ],
    [
      "gateway-override-policy-rule",
      { overrides: merge(authn({ a: "G" })) },
      authn({ a: "R", own: "R" }),
      { a: "G", own: "R" },
      "Enforced",
      "PartiallyEnforced by gw",
    ],
    ["route-replace-policy", authn({ a: "G", b: "G" }), unrelated, { own: "R" }, "Overridden by rt", "Enforced"],
    [
      "route-add-policy-rule",
      { defaults: merge(authn({ a: "G" })) },
      unrelated,
      { a: "G", own: "R" },
      "Enforced",
      "Enforced",
    ],
    [
      "route-disable-policy-rule",
      { defaults: merge(authn({ a: "G", b: "G" })) },
      { ...unrelated, remove: ["a"] },
      { b: "G", own: "R" },
      "PartiallyEnforced by rt",
      "Enforced",
    ],
  ] as const) {
    test(id, () => {
      const both = compared(higher, lower);
      expect(specOf(both)).toEqual(authn(expected));
      expect(outcomes(both)).toEqual({ gw, rt });
    });
  }

  test("gateway-default-policy: a route without a policy of its own has it", () => {
    expect(effective(auth("gw", "Gateway/g", { defaults: authn({ a: "G" }) }))).toEqual(authn({ a: "G" }));
  });

  test("declared in the past or in the future: between levels age does not matter", () => {
    for (const [g, r] of [
      [0, 1],
      [1, 0],
    ] as const) {
      expect(
        effective(
          auth("gw", "Gateway/g", { overrides: authn({ a: "G" }) }, g),
          auth("rt", "HTTPRoute/r", authn({ a: "R" }), r),
        ),
      ).toEqual(authn({ a: "G" }));
      expect(
        effective(
          auth("gw", "Gateway/g", { defaults: authn({ a: "G" }) }, g),
          auth("rt", "HTTPRoute/r", authn({ a: "R" }), r),
        ),
      ).toEqual(authn({ a: "R" }));
    }
  });

  test("view-effective-policy: with all active defaults and overrides, and where each came from", () => {
    const both = compared(
      { defaults: merge(authn({ a: "G" })), overrides: merge(authn({ c: "G" })) },
      authn({ b: "R" }),
    );
    expect(specOf(both)).toEqual(authn({ a: "G", b: "R", c: "G" }));
    expect(Object.values(sourcesOf(both)).map(({ held }) => held)).toEqual(["gw defaults", "rt bare", "gw overrides"]);
  });

  test("view-policy-rule-status: all default policy rules that have been replaced by more specific ones", () => {
    const both = compared({ defaults: merge(authn({ a: "G", b: "G" })) }, authn({ a: "R" }));
    const replaced = Object.entries(sourcesOf(both)).filter(([, { lost }]) =>
      lost.some((loss) => loss.startsWith("gw ")),
    );
    expect(replaced.map(([pointer]) => pointer)).toEqual(["/rules/authentication/a"]);
  });

  test("view-policy-rule-reach: all gateways and routes subject to a particular policy rule", () => {
    const both = cluster(
      [
        gateway("g"),
        gateway("h"),
        route("r", "Gateway/g", { rules: [{ name: "rule" }] }),
        route("q", "Gateway/h", { rules: [{ name: "rule" }] }),
        auth("gw", "Gateway/g", { defaults: merge(authn({ a: "G" })) }),
      ],
      { definitions },
    );
    const subject = both
      .effective("AuthPolicy")
      .filter(({ sources }) =>
        sources.some(({ pointer, policy: holder }) => pointer === "/rules/authentication/a" && holder !== null),
      );
    expect(subject.map(({ path }) => path.at(-1)?.name)).toEqual(["r"]);
    expect(both.affectedTargets("gw")).toEqual(["Gateway/g", "Gateway/g#http", "HTTPRoute/r", "HTTPRoute/r#rule"]);
  });
});
