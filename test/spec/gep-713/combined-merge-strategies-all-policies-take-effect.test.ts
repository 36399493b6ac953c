/** GEP-713, "Combined merge strategies": kinds in which all policies take effect */
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/model/json.ts";
import { parseDefinition } from "../../../src/core/model/parse/definition/parse-definition.ts";
import { type Cluster, cluster } from "../../support/cluster/cluster.ts";
import { gateway, policy, route, service } from "../../support/cluster/gateway-objects.ts";
import { kubeObject } from "../../support/cluster/kube-objects.ts";

const definition = (merge: JsonObject, more: JsonObject = {}): JsonObject => ({
  apiVersion: "prevail.dev/v1alpha1",
  kind: "PolicyDefinition",
  metadata: { name: "accesspolicies.example.com" },
  spec: {
    policies: [{ group: "example.com", kind: "AccessPolicy" }],
    class: "Inherited",
    targeting: {
      kinds: [
        { kind: "Gateway", sections: ["Listener"] },
        { kind: "HTTPRoute", sections: ["Rule"] },
      ],
    },
    hierarchy: { effectiveTargets: ["HTTPRouteRule"] },
    merge: { strategy: "Accumulate", ...merge },
    ...more,
  },
});

const access = (name: string, on: string | readonly string[], spec: JsonObject, options: object = {}) =>
  policy("AccessPolicy", name, on, spec, options);

const objects = [gateway("g"), route("r", "Gateway/g", { rules: [{ name: "rule", backends: ["s"] }] }), service("s")];

const orderOf = (made: Cluster) =>
  (made.effectiveAt("HTTPRoute/r#rule").order ?? []).map(({ policy: id, group }) =>
    [id.split("/").at(-1), ...(group === undefined ? [] : [group])].join(" "),
  );

describe("All policies take effect", () => {
  const byAction = definition({ groupBy: { path: "action", values: ["DENY", "ALLOW"], absent: "ALLOW" } });
  const policies = [
    access("allow", "Gateway/g", { rules: [1] }, { created: 0 }),
    access("deny", "HTTPRoute/r", { action: "DENY", rules: [2] }, { created: 1 }),
    access("same", "HTTPRoute/r", { action: "DENY", rules: [2] }, { created: 2 }),
    access("empty", "HTTPRoute/r#rule", {}, { created: 3 }),
    access("audit", "Gateway/g", { action: "AUDIT" }, { created: 4 }),
  ];
  const made = cluster([byAction, ...objects, ...policies]);

  test("the effective policy has an entry for each policy, also for an empty one", () => {
    expect(made.spec("HTTPRoute/r#rule")).toEqual({
      "default/allow": { rules: [1] },
      "default/deny": { action: "DENY", rules: [2] },
      "default/same": { action: "DENY", rules: [2] },
      "default/empty": {},
      "default/audit": { action: "AUDIT" },
    });
    expect(made.source("HTTPRoute/r#rule", "/default~1deny/rules")).toEqual({
      held: "deny bare",
      by: "deny bare Accumulate",
      lost: [],
    });
  });

  test("each is Enforced, nothing is overridden or Conflicted, and each affects its target", () => {
    const names = ["allow", "deny", "same", "empty", "audit"];
    expect(names.map((name) => made.outcome(name))).toEqual(names.map(() => "Enforced"));
    expect(made.findings.filter(({ severity }) => severity !== "info")).toEqual([]);
    expect(made.affectedBy("HTTPRoute/r#rule")).toEqual([...names].sort());
    expect(made.conditions("same")).toEqual(["Gateway/g: Accepted=True/Accepted Enforced=True/Enforced"]);
  });

  test("groups are evaluated in the order of their words, unlisted words last", () => {
    expect(orderOf(made)).toEqual(["deny DENY", "same DENY", "allow ALLOW", "empty ALLOW", "audit AUDIT"]);
  });

  test("without an order, policies on higher targets come first, then older ones", () => {
    const plain = cluster([definition({}), ...objects, ...policies]);
    expect(orderOf(plain)).toEqual(["allow", "audit", "deny", "same", "empty"]);
  });

  test("by a number in the spec, the lowest first, and by name", () => {
    const numbered = [
      access("a", "HTTPRoute/r", { priority: 10 }, { created: 0 }),
      access("d", "Gateway/g", { priority: -1 }),
      access("c", "Gateway/g", {}, { created: 1 }),
      access("b", "HTTPRoute/r", { priority: "high" }, { created: 2 }),
    ];
    const ordered = (order: JsonObject[string]) => orderOf(cluster([definition({ order }), ...objects, ...numbered]));
    expect(ordered([{ path: "priority" }, "Name"])).toEqual(["d", "b", "c", "a"]);
    expect(ordered([{ path: "priority", descending: true }, "Age"])).toEqual(["a", "c", "b", "d"]);
    expect(ordered([{ path: "priority", absent: "20" }, "Name"])).toEqual(["d", "a", "b", "c"]);
  });

  test("a policy at two levels is evaluated once", () => {
    const twice = cluster([
      definition({}),
      ...objects,
      access("other", "HTTPRoute/r", { x: 1 }, { created: 0 }),
      access("both", ["Gateway/g", "HTTPRoute/r"], { x: 2 }, { created: 1 }),
    ]);
    expect(orderOf(twice)).toEqual(["both", "other"]);
    expect(twice.tally("both")).toMatchObject({ paths: 1, full: 1 });
  });

  test("defaults, overrides and remove are settings like any other", () => {
    const spec = { defaults: { a: 1 }, overrides: { a: 2 }, remove: ["a"] };
    const plain = cluster([definition({}), ...objects, access("p", "HTTPRoute/r", spec)]);
    expect(plain.spec("HTTPRoute/r#rule")).toEqual({ "default/p": spec });
  });

  test("a limit: further policies on the target are not accepted", () => {
    const many = ["c", "a", "b"].map((name, created) => access(name, "HTTPRoute/r", { x: 1 }, { created }));
    const limited = cluster([definition({ limit: 2 }), ...objects, ...many]);
    expect(orderOf(limited)).toEqual(["c", "a"]);
    expect(["a", "b", "c"].map((name) => limited.outcome(name))).toEqual(["Enforced", "Conflicted by c", "Enforced"]);
    expect(limited.message("b")).toBe(
      "HTTPRoute default/r already has 2 AccessPolicy, the first of which is AccessPolicy default/c; at most 2 take effect on a target",
    );
  });

  test("what has no meaning beside it is a mistake", () => {
    const problems = (merge: JsonObject, more: JsonObject = {}) =>
      parseDefinition(kubeObject(definition(merge, more))).findings.map(({ code, field }) => `${code} ${field}`);
    expect(problems({ rules: ["limits"], sameTarget: "Conflicted" })).toEqual([
      "DefinitionMisplaced spec.merge.rules",
      "DefinitionMisplaced spec.merge.sameTarget",
    ]);
    expect(problems({ strategy: "DefaultsAndOverrides", order: ["Age"] })).toEqual([
      "DefinitionMisplaced spec.merge.order",
    ]);
    expect(problems({ order: ["age", { path: "a", annotation: "b" }, { path: "a", absent: "x" }] })).toEqual([
      "DefinitionUnknownValue spec.merge.order[0]",
      "DefinitionMisplaced spec.merge.order[1]",
      "DefinitionUnknownValue spec.merge.order[2].absent",
    ]);
    expect(problems({}, { mapsTo: [{ to: "HTTPRoute spec.rules[].retry" }] })).toEqual([
      "DefinitionMisplaced spec.mapsTo",
    ]);
    expect(problems({ limit: 2 }, { class: "Direct", hierarchy: {} })).toContain(
      "DefinitionMisplaced spec.targeting.kinds",
    );
  });
});
