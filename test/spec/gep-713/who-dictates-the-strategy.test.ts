/** GEP-713, "Conflict resolution": who dictates the strategy if a kind says otherwise */
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/model/json.ts";
import { cluster } from "../../support/cluster/cluster.ts";
import { gateway, policy, route, routeTo } from "../../support/cluster/gateway-objects.ts";

describe("Who dictates the strategy, where a kind says otherwise", () => {
  const child = "vendor-a-traffic-policy";
  const traffic = (vendor: string, name: string, on: string, spec: JsonObject) =>
    policy("TrafficPolicy", name, on, spec, { group: `vendor-${vendor}.example.com` });
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
