/** RFC 9, "Writing D/O-enabled Kuadrant Policies": kinds with other words for blocks, conditions and removals */
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/model/json.ts";
import { cluster } from "../../support/cluster/cluster.ts";
import { gateway, policy, route, service } from "../../support/cluster/gateway-objects.ts";

const definition = (words: JsonObject): JsonObject => ({
  apiVersion: "prevail.dev/v1alpha1",
  kind: "PolicyDefinition",
  metadata: { name: "limitpolicies.example.com" },
  spec: {
    policies: [{ group: "example.com", kind: "LimitPolicy" }],
    class: "Inherited",
    targeting: { kinds: ["Gateway", "HTTPRoute"] },
    hierarchy: { effectiveTargets: ["HTTPRoute"] },
    merge: { granularity: { default: "Merge" }, rules: ["limits"], words },
  },
});

const objects = [gateway("g"), route("r", "Gateway/g", { rules: [{ backends: ["s"] }] }), service("s")];
const evaluate = (words: JsonObject, above: JsonObject, below: JsonObject) =>
  cluster([
    definition(words),
    ...objects,
    policy("LimitPolicy", "above", "Gateway/g", above),
    policy("LimitPolicy", "below", "HTTPRoute/r", below),
  ]);

describe("Other words", () => {
  test("a word that is off names a setting: when may be a list of predicates, and default a field", () => {
    const when = [{ predicate: "request.method == 'GET'" }];
    const made = evaluate({ when: [] }, { defaults: { when, limits: { a: 1 } } }, { limits: { b: 2 } });
    expect(made.spec("HTTPRoute/r")).toEqual({ when, limits: { a: 1, b: 2 } });
    const off = evaluate({ defaults: [], overrides: [] }, { default: { x: 1 }, overrides: [5] }, { default: { y: 2 } });
    expect(off.spec("HTTPRoute/r")).toEqual({ default: { x: 1, y: 2 }, overrides: [5] });
    expect(evaluate({}, { defaults: { when, limits: {} } }, {}).outcome("above")).toBe("Invalid");
  });

  test("a word that is renamed: the block, the condition and the removals have another name", () => {
    const words = { overrides: ["enforced"], when: ["where"], remove: ["without"] };
    const made = evaluate(
      words,
      { enforced: { limits: { a: 1 }, where: "has(spec.limits.b)" }, defaults: { limits: { c: 1 } } },
      { limits: { a: 2, b: 2 }, without: ["c"], remove: ["a setting"] },
    );
    expect(made.spec("HTTPRoute/r")).toEqual({ limits: { a: 1, b: 2 }, remove: ["a setting"] });
    expect(made.source("HTTPRoute/r", "/limits/a").held).toBe("above overrides");
    expect(made.outcome("below")).toBe("PartiallyEnforced by above");
  });

  test("two names of one block in a policy are a mistake, as with the usual names", () => {
    const made = evaluate({ defaults: ["base", "basis"] }, { base: {}, basis: {} }, {});
    expect(made.message("above")).toBe(
      "spec.basis: spec has both base and basis, two spellings of one block. Keep one of them.",
    );
  });
});
