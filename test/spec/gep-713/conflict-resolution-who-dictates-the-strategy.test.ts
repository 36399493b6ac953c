/** GEP-713, "Conflict resolution": who dictates the strategy if a kind says otherwise */
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/model/json.ts";
import { cluster } from "../../support/cluster/cluster.ts";
import { gateway, policy, route, routeTo } from "../../support/cluster/gateway-objects.ts";
import { policyKind } from "../../support/cluster/policy-kind.ts";

describe("Who dictates the strategy, where a kind says otherwise", () => {
  const child = "vendor-a-traffic-policy";
  const traffic = (vendor: string, name: string, on: string, spec: JsonObject) =>
    policy("TrafficPolicy", name, on, spec, { group: `vendor-${vendor}.example.com` });
  /** As the file, with policies on rules, too. */
  const vendorA = (empty: "GivesWay" | "TakesPlace") =>
    policyKind("TrafficPolicy", {
      group: "vendor-a.example.com",
      targets: ["Gateway", "HTTPRoute/Rule"],
      ends: ["HTTPRoute/Rule"],
      merge: {
        granularity: { default: "Atomic", field: "mergeType", values: { Replace: "Atomic", StrategicMerge: "Field" } },
        decidedBy: "Lower",
        empty,
      },
    });
  const objects = (annotations: Record<string, string> = {}) => [
    gateway("g", { annotations }),
    routeTo("r", "Gateway/g"),
  ];

  test("decidedBy: Lower: the child's word decides, the parent's does not", () => {
    const specOf = (parent: JsonObject, own: JsonObject) =>
      cluster([...objects(), traffic("a", "p1", "Gateway/g", parent), traffic("a", "p2", "HTTPRoute/r", own)], {
        definitions: [child],
      }).spec("HTTPRoute/r");
    expect(specOf({ x: 1, y: 1 }, { x: 2, mergeType: "StrategicMerge" })).toEqual({ x: 2, y: 1 });
    expect(specOf({ x: 1, y: 1, mergeType: "StrategicMerge" }, { x: 2, mergeType: "Replace" })).toEqual({ x: 2 });
    expect(specOf({ x: 1, y: 1, mergeType: "StrategicMerge" }, { x: 2 })).toEqual({ x: 2 });
  });

  test("decidedBy: Lower: a policy that was itself replaced does not decide for those above it", () => {
    const made = cluster(
      [
        gateway("g"),
        route("r", "Gateway/g", { rules: [{ name: "rule" }] }),
        traffic("a", "p1", "Gateway/g", { x: 1, y: 1 }),
        traffic("a", "p2", "HTTPRoute/r", { x: 2, z: 2, mergeType: "StrategicMerge" }),
        traffic("a", "p3", "HTTPRoute/r#rule", { x: 3 }),
      ],
      { definitions: [vendorA("GivesWay")] },
    );
    expect(made.spec("HTTPRoute/r#rule")).toEqual({ x: 3 });
    expect(made.source("HTTPRoute/r#rule", "/y")).toEqual({
      held: "nobody",
      by: "p1 bare AtomicDefaults",
      lost: ["p1 bare 1 replaced by p3"],
    });
    expect(["p1", "p2", "p3"].map((name) => made.outcome(name))).toEqual([
      "Overridden by p3",
      "Overridden by p3",
      "Enforced",
    ]);
  });

  test("decidedBy: Lower: an empty policy dictates the strategy if its kind says that it keeps out defaults", () => {
    const made = (empty: "GivesWay" | "TakesPlace", own: JsonObject) =>
      cluster([...objects(), traffic("a", "p1", "Gateway/g", { x: 1 }), traffic("a", "p2", "HTTPRoute/r", own)], {
        definitions: [vendorA(empty)],
      });
    expect(made("GivesWay", {}).spec("HTTPRoute/r")).toEqual({ x: 1 });
    expect(made("TakesPlace", { mergeType: "StrategicMerge" }).spec("HTTPRoute/r")).toEqual({ x: 1 });
    expect(made("TakesPlace", { mergeType: "StrategicMerge" }).outcome("p1")).toBe("Enforced");
    expect(made("TakesPlace", {}).spec("HTTPRoute/r")).toEqual({});
    expect(made("TakesPlace", {}).outcome("p1")).toBe("Overridden by p2");
  });

  test("a kind whose higher policy takes precedence unless its field says otherwise", () => {
    const kind = policyKind("TrafficPolicy", {
      group: "vendor-a.example.com",
      targets: ["Gateway", "HTTPRoute"],
      ends: ["HTTPRoute"],
      merge: {
        granularity: {
          default: "Field",
          base: "Overrides",
          field: "mode",
          values: { parent: "Atomic", child: "Field" },
          bases: { child: "Defaults" },
        },
      },
    });
    const made = (parent: JsonObject, own: JsonObject) =>
      cluster([...objects(), traffic("a", "p1", "Gateway/g", parent), traffic("a", "p2", "HTTPRoute/r", own)], {
        definitions: [kind],
      });
    expect(made({ x: 1 }, { x: 2, y: 2 }).spec("HTTPRoute/r")).toEqual({ x: 1, y: 2 });
    expect(made({ x: 1 }, { x: 2, y: 2 }).outcome("p2")).toBe("PartiallyEnforced by p1");
    expect(made({ x: 1, mode: "child" }, { x: 2, y: 2 }).spec("HTTPRoute/r")).toEqual({ x: 2, y: 2 });
    // A word without a base strategy has that of the kind.
    expect(made({ x: 1, mode: "parent" }, { x: 2, y: 2 }).spec("HTTPRoute/r")).toEqual({ x: 1 });
    // The word of the lower policy has no effect.
    expect(made({ x: 1 }, { x: 2, mode: "child" }).spec("HTTPRoute/r")).toEqual({ x: 1 });
  });

  const key = "vendor-b.example.com/inherited-policy-priority";
  for (const [value, spec] of [
    ["ShallowMergePreferChild", { x: 2, y: 1, z: 2 }],
    ["ShallowMergePreferParent", { x: 1, y: 1, z: 2 }],
    ["ReplaceByChild", { x: 2, z: 2 }],
    ["ReplaceByParent", { x: 1, y: 1 }],
    ["SomethingElse", { x: 2, y: 1, z: 2 }],
  ] as const) {
    test(`decidedBy: Annotation: ${value} on the parent`, () => {
      const made = cluster(
        [
          ...objects({ [key]: value }),
          traffic("b", "p1", "Gateway/g", { x: 1, y: 1 }),
          traffic("b", "p2", "HTTPRoute/r", { x: 2, z: 2 }),
        ],
        { definitions: ["vendor-b-traffic-policy"] },
      );
      expect(made.spec("HTTPRoute/r")).toEqual(spec);
    });
  }

  test("decidedBy: Annotation: one on the child's object says nothing about its parent", () => {
    const made = cluster(
      [
        gateway("g"),
        route("r", "Gateway/g", { annotations: { [key]: "ReplaceByParent" } }),
        traffic("b", "p1", "Gateway/g", { x: 1, y: 1 }),
        traffic("b", "p2", "HTTPRoute/r", { x: 2, z: 2 }),
      ],
      { definitions: ["vendor-b-traffic-policy"] },
    );
    expect(made.spec("HTTPRoute/r")).toEqual({ x: 2, y: 1, z: 2 });
  });
});
