/** GEP-713, "Conflict resolution": who merges with whom, where a kind says otherwise */
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/model/json.ts";
import { parseDefinition } from "../../../src/core/model/parse/definition/parse-definition.ts";
import { cluster } from "../../support/cluster/cluster.ts";
import { gateway, policy, route, service } from "../../support/cluster/gateway-objects.ts";
import { kubeObject } from "../../support/cluster/kube-objects.ts";

const definition = (merge: JsonObject): JsonObject => ({
  apiVersion: "prevail.dev/v1alpha1",
  kind: "PolicyDefinition",
  metadata: { name: "trafficpolicies.example.com" },
  spec: {
    policies: [{ group: "example.com", kind: "TrafficPolicy" }],
    class: "Inherited",
    targeting: {
      kinds: [
        { kind: "Gateway", sections: ["Listener"] },
        { kind: "HTTPRoute", sections: ["Rule"] },
      ],
    },
    hierarchy: { effectiveTargets: ["HTTPRouteRule"] },
    merge: { granularity: { default: "Field" }, ...merge },
  },
});

const traffic = (name: string, on: string, spec: JsonObject) => policy("TrafficPolicy", name, on, spec);

const objects = (annotations: { gateway?: Record<string, string>; route?: Record<string, string> } = {}) => [
  gateway("g", { annotations: annotations.gateway ?? {} }),
  route("r", "Gateway/g", { rules: [{ name: "rule", backends: ["s"] }], annotations: annotations.route ?? {} }),
  service("s"),
];

const RULE = "HTTPRoute/r#rule";
const onEveryLevel = [
  traffic("gateway", "Gateway/g", { a: "gateway", g: 1 }),
  traffic("listener", "Gateway/g#http", { a: "listener", l: 1 }),
  traffic("route", "HTTPRoute/r", { a: "route", x: 1 }),
  traffic("rule", RULE, { a: "rule", r: 1 }),
];

describe("Who merges with whom", () => {
  const outcomes = (made: ReturnType<typeof cluster>) =>
    ["gateway", "listener", "route", "rule"].map((name) => made.outcome(name));

  test("parents: Closest: a policy is merged with the closest one above it, and those above that are replaced", () => {
    const made = cluster([definition({ parents: "Closest" }), ...objects(), ...onEveryLevel]);
    expect(made.spec(RULE)).toEqual({ a: "rule", r: 1, x: 1 });
    expect(outcomes(made)).toEqual([
      "Overridden by rule",
      "Overridden by rule",
      "PartiallyEnforced by rule",
      "Enforced",
    ]);
    expect(made.source(RULE, "/l")).toEqual({
      held: "nobody",
      by: "listener bare Replace",
      lost: ["listener bare 1 replaced by rule"],
    });
  });

  test("skip: policies on a level are replaced where one is on a lower level, and take effect where there is none", () => {
    const skipping = definition({ skip: ["HTTPRoute"] });
    const made = cluster([skipping, ...objects(), ...onEveryLevel]);
    expect(made.spec(RULE)).toEqual({ a: "rule", r: 1, l: 1, g: 1 });
    expect(made.outcome("route")).toBe("Overridden by rule");
    const without = cluster([skipping, ...objects(), ...onEveryLevel.slice(0, 3)]);
    expect(without.spec(RULE)).toEqual({ a: "route", x: 1, l: 1, g: 1 });
  });

  test("both: the closest of the levels that are not skipped", () => {
    const made = cluster([definition({ parents: "Closest", skip: ["HTTPRoute"] }), ...objects(), ...onEveryLevel]);
    expect(made.spec(RULE)).toEqual({ a: "rule", r: 1, l: 1 });
    const sections = cluster([
      definition({ parents: "Closest", skip: ["HTTPRouteRule", "GatewayListener"] }),
      ...objects(),
      ...onEveryLevel,
    ]);
    expect(sections.spec(RULE)).toEqual({ a: "rule", r: 1, x: 1 });
  });
});

describe("Levels that are more specific than all others", () => {
  test("mostSpecific: policies there come before those on lower levels; among them the lower is the more specific", () => {
    const made = cluster([definition({ mostSpecific: ["Gateway", "HTTPRoute"] }), ...objects(), ...onEveryLevel]);
    expect(made.spec(RULE)).toEqual({ a: "route", g: 1, l: 1, x: 1, r: 1 });
    expect(made.source(RULE, "/a").lost).toEqual([
      'gateway bare "gateway" replaced by route',
      'listener bare "listener" replaced by route',
      'rule bare "rule" replaced by route',
    ]);
  });

  test("with parents: Closest the two most specific levels are merged", () => {
    const made = cluster([
      definition({ mostSpecific: ["HTTPRoute"], parents: "Closest" }),
      ...objects(),
      ...onEveryLevel,
    ]);
    expect(made.spec(RULE)).toEqual({ a: "route", x: 1, r: 1 });
    expect(made.outcome("gateway")).toBe("Overridden by route");
  });

  test("a part has an order of its own", () => {
    const made = cluster([definition({}), ...objects(), ...onEveryLevel]);
    const { spec } = definition({}) as { spec: JsonObject };
    const own = { name: "first", paths: ["a"], merge: { mostSpecific: ["Gateway"] } };
    const parted = cluster([{ ...definition({}), spec: { ...spec, parts: [own] } }, ...objects(), ...onEveryLevel]);
    expect(made.spec(RULE)).toEqual({ a: "rule", g: 1, l: 1, x: 1, r: 1 });
    expect(parted.spec(RULE)).toEqual({ a: "gateway", g: 1, l: 1, x: 1, r: 1 });
  });

  test("an object and its sections are two levels", () => {
    const { spec } = definition({ mostSpecific: ["GatewayListener"] }) as { spec: JsonObject };
    const own = { name: "first", paths: ["a"], merge: { mostSpecific: ["Gateway"] } };
    const made = cluster([{ ...definition({}), spec: { ...spec, parts: [own] } }, ...objects(), ...onEveryLevel]);
    expect(made.spec(RULE)).toEqual({ a: "gateway", g: 1, l: 1, x: 1, r: 1 });
  });

  test.each([
    [{ mostSpecific: ["Gateway"], bare: "Direct" }, "has no meaning with bare: Direct"],
    [
      {
        mostSpecific: ["Gateway"],
        decidedBy: "Annotation",
        annotation: { key: "example.com/how", values: {}, between: "Objects" },
      },
      "contradicts spec.merge.annotation.between: Objects",
    ],
    [{ mostSpecific: ["Gateway"], strategy: "Accumulate", granularity: undefined }, "has no meaning with strategy"],
  ] as const)("%j is a mistake", (merge, message) => {
    const { findings } = parseDefinition(kubeObject(definition(merge as unknown as JsonObject)));
    expect(findings.map((one) => one.message).join("\n")).toContain(`spec.merge.mostSpecific ${message}`);
  });
});

describe("A field of the policy gives the base strategy, too", () => {
  const locking = (more: JsonObject = {}) =>
    definition({
      granularity: {
        default: "Field",
        field: "strategy.inheritance",
        values: { Default: "Field", Override: { base: "Overrides", granularity: "Field" } },
      },
      ...more,
    });

  test("on the higher policy: its settings are locked for those below", () => {
    const made = cluster([
      locking(),
      ...objects(),
      traffic("gateway", "Gateway/g", { a: "gateway", strategy: { inheritance: "Override" } }),
      traffic("route", "HTTPRoute/r", { a: "route", b: "route", strategy: { inheritance: "Default" } }),
    ]);
    expect(made.spec(RULE)).toEqual({ a: "gateway", b: "route" });
    expect(made.outcome("route")).toBe("PartiallyEnforced by gateway");
    expect(made.source(RULE, "/a").by).toBe("gateway bare FieldOverrides");
  });

  test("on the lower policy: it decides who is used first, and how much is compared", () => {
    const lower = locking({ decidedBy: "Lower" });
    const merged = (mode: string) =>
      cluster([
        lower,
        ...objects(),
        traffic("gateway", "Gateway/g", { a: "gateway", b: "gateway" }),
        traffic("route", "HTTPRoute/r", { a: "route", strategy: { inheritance: mode } }),
      ]).spec(RULE);
    expect(merged("Default")).toEqual({ a: "route", b: "gateway" });
    expect(merged("Override")).toEqual({ a: "gateway", b: "gateway" });
  });

  test("what is beside the field is a setting, and a word that is not listed makes the policy Invalid", () => {
    const made = cluster([
      locking(),
      ...objects(),
      traffic("beside", "Gateway/g", { strategy: { inheritance: "Override", timeout: 5 } }),
      traffic("wrong", "HTTPRoute/r", { a: 1, strategy: { inheritance: "override" } }),
    ]);
    expect(made.spec(RULE)).toEqual({ strategy: { timeout: 5 } });
    expect(made.message("wrong")).toContain(
      `spec.strategy.inheritance is "override"; allowed: Default, Override; did you mean 'Override'?`,
    );
  });

  test("a granularity that does not exist is a mistake of the definition", () => {
    const wrong = definition({ granularity: { values: { x: "Fields" } } });
    expect(parseDefinition(kubeObject(wrong)).findings[0]?.message).toBe(
      `spec.merge.granularity.values.x is "Fields"; allowed: Atomic, Patch, Merge, Field, Custom/<name>; did you mean 'Field'?`,
    );
  });
});

describe("An annotation that selects the strategy", () => {
  const KEY = "example.com/inherited";
  const values = {
    PreferParent: { base: "Overrides", granularity: "Field" },
    PreferChild: { base: "Defaults", granularity: "Field" },
  };
  const annotated = (annotation: JsonObject) =>
    definition({ decidedBy: "Annotation", annotation: { key: KEY, values, ...annotation } });
  const policies = [
    traffic("gateway", "Gateway/g", { a: "gateway", b: "gateway" }),
    traffic("route", "HTTPRoute/r", { a: "route", b: "route" }),
    traffic("rule", RULE, { a: "rule" }),
  ];

  test("absent: the strategy of objects without the annotation", () => {
    const parent = annotated({ absent: { base: "Overrides", granularity: "Field" } });
    expect(cluster([parent, ...objects(), ...policies]).spec(RULE)).toEqual({ a: "gateway", b: "gateway" });
    const child = { gateway: { [KEY]: "PreferChild" }, route: { [KEY]: "PreferChild" } };
    expect(cluster([parent, ...objects(child), ...policies]).spec(RULE)).toEqual({ a: "rule", b: "route" });
  });

  test("between: Objects: a policy on a section takes effect over that on its object, whatever the annotation says", () => {
    const prefer = { gateway: { [KEY]: "PreferChild" }, route: { [KEY]: "PreferParent" } };
    const levels = cluster([annotated({}), ...objects(prefer), ...policies]);
    expect(levels.spec(RULE)).toEqual({ a: "route", b: "route" });
    const made = cluster([annotated({ between: "Objects" }), ...objects(prefer), ...policies]);
    expect(made.spec(RULE)).toEqual({ a: "rule", b: "route" });
    const above = cluster([
      annotated({ between: "Objects" }),
      ...objects({ gateway: { [KEY]: "PreferParent" } }),
      ...policies,
    ]);
    expect(above.spec(RULE)).toEqual({ a: "gateway", b: "gateway" });
  });

  test("on: the annotation of other kinds does not count", () => {
    const prefer = { gateway: { [KEY]: "PreferParent" } };
    const made = cluster([annotated({ on: ["HTTPRoute"] }), ...objects(prefer), ...policies]);
    expect(made.spec(RULE)).toEqual({ a: "rule", b: "route" });
  });

  test("fields: another value lists the fields that have a strategy of their own", () => {
    const listing = annotated({
      absent: { base: "Overrides", granularity: "Field" },
      fields: { base: "Defaults", granularity: "Field" },
    });
    const made = cluster([listing, ...objects({ gateway: { [KEY]: "b, c" } }), ...policies.slice(0, 2)]);
    expect(made.spec(RULE)).toEqual({ a: "gateway", b: "route" });
    expect(made.outcome("route")).toBe("PartiallyEnforced by gateway");
    expect(made.findings.filter(({ code }) => code === "UnknownAnnotationValue")).toEqual([]);
  });

  test("a value that has no meaning is reported at the object", () => {
    const made = cluster([annotated({}), ...objects({ route: { [KEY]: "PreferParents" } }), ...policies]);
    expect(made.findingsOn("r").filter(({ code }) => code === "UnknownAnnotationValue")).toMatchObject([
      {
        severity: "warning",
        field: `metadata.annotations[${KEY}]`,
        message: `metadata.annotations[${KEY}] is "PreferParents", which has no meaning for TrafficPolicy; allowed: PreferParent, PreferChild; did you mean 'PreferParent'?`,
      },
    ]);
    const fields = definition({
      decidedBy: "Annotation",
      annotation: { key: KEY, values, fields: values.PreferChild },
    });
    expect(parseDefinition(kubeObject(fields)).findings.map(({ field }) => field)).toEqual([
      "spec.merge.annotation.absent",
    ]);
  });
});

describe("Maps that are one value, beside named rules", () => {
  const whole = definition({ granularity: { default: "Merge" }, rules: ["limits"], atomicPaths: ["response.denied"] });

  test("two policies never mix such a map, and merge everything beside it", () => {
    const made = cluster([
      whole,
      ...objects(),
      traffic("gateway", "Gateway/g", {
        limits: { a: { n: 1 }, b: { n: 1 } },
        response: { denied: { code: 1, body: 1 }, other: 1 },
      }),
      traffic("route", "HTTPRoute/r", { limits: { a: { n: 2 } }, response: { denied: { code: 2 } } }),
    ]);
    expect(made.spec(RULE)).toEqual({
      limits: { a: { n: 2 }, b: { n: 1 } },
      response: { denied: { code: 2 }, other: 1 },
    });
    expect(made.findings.filter(({ code }) => code === "DefinitionUnusedField")).toEqual([]);
  });
});
