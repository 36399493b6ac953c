/** GEP-713, "Classes of meta resources" */
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/model/json.ts";
import { cluster } from "../../support/cluster/cluster.ts";
import { color, topology } from "./color-policies.ts";

describe("Classes of meta resources", () => {
  const definitionOf = (spec: JsonObject): JsonObject => ({
    apiVersion: "prevail.dev/v1alpha1",
    kind: "PolicyDefinition",
    metadata: { name: "colorpolicies.policies.controller.io" },
    spec: { policies: [{ group: "policies.controller.io", kind: "ColorPolicy" }], ...spec },
  });
  const found = (spec: JsonObject) =>
    cluster([definitionOf(spec)]).findingsOn("colorpolicies.policies.controller.io").length;

  test("Direct: a single kind, declared equal to effective, None the only strategy", () => {
    expect(found({ class: "Direct", targeting: { kinds: ["Service"] } })).toBe(0);
    expect(found({ class: "Direct", targeting: { kinds: ["Service", "Gateway"] } })).toBeGreaterThan(0);
    expect(
      found({
        class: "Direct",
        targeting: { kinds: ["Gateway"] },
        hierarchy: { effectiveTargets: ["Service"] },
      }),
    ).toBeGreaterThan(0);
    expect(
      found({ class: "Direct", targeting: { kinds: ["Service"] }, merge: { granularity: { default: "Patch" } } }),
    ).toBeGreaterThan(0);
  });

  test("Direct: effects do not span across the hierarchy", () => {
    const direct = definitionOf({ class: "Direct", targeting: { kinds: ["Gateway"] } });
    const made = cluster([direct, ...topology([["g1", "r1", "b1"]]), color("p", "Gateway/g1", { color: "red" })]);
    expect(made.paths()).toEqual(["Gateway/g1"]);
    expect(made.affectedTargets("p")).toEqual(["Gateway/g1"]);
  });

  test("Inherited: any kind that does not comply with at least one characteristic of Direct", () => {
    expect(found({ class: "Inherited", targeting: { kinds: ["Service", "Gateway"] } })).toBe(0);
    expect(found({ class: "Inherited", targeting: { kinds: ["Gateway"] }, merge: { strategy: "None" } })).toBe(0);
  });
});
