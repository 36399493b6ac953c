/**
 * GEP-713, "Combined merge strategies"
 * GEP-713, "Atomicity of merging specs"
 */
import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../../../src/core/model/json.ts";
import type { CustomStrategy } from "../../../src/index.ts";
import { cluster } from "../../support/cluster/cluster.ts";
import { color, colorPolicy, contest } from "./color-policies.ts";

describe("Combined merge strategies", () => {
  const established = { a: 1, b: 1, deep: { x: 1, y: 1 }, list: [1, 1] };
  const challenger = { a: 2, c: 2, deep: { x: 2, z: 2 }, list: [2] };
  const made = (block: "defaults" | "overrides", strategy: string) =>
    contest(colorPolicy(), [
      color("p1", "Gateway/g1", { [block]: { strategy, ...established } }),
      color("p2", "HTTPRoute/r1", { defaults: challenger }),
    ]);

  test("Atomic Defaults: the challenger, whole", () => {
    const atomic = made("defaults", "atomic");
    expect(atomic.spec("Service/b1")).toEqual(challenger);
    expect(atomic.outcome("p1")).toBe("Overridden by p2");
    // The result has no /b: the challenger takes effect as a whole and does not set it.
    expect(atomic.source("Service/b1", "/b")).toEqual({
      held: "nobody",
      by: "p1 defaults AtomicDefaults",
      lost: ["p1 defaults 1 replaced by p2"],
    });
  });

  test("Atomic Overrides: the established, whole", () => {
    const atomic = made("overrides", "atomic");
    expect(atomic.spec("Service/b1")).toEqual(established);
    expect(atomic.outcome("p2")).toBe("Overridden by p1");
    expect(atomic.source("Service/b1", "/c")).toEqual({
      held: "nobody",
      by: "p1 overrides AtomicOverrides",
      lost: ["p2 defaults 2 overridden by p1"],
    });
  });

  test("Patch Defaults: the challenger over the established", () => {
    const patch = made("defaults", "patch");
    expect(patch.spec("Service/b1")).toEqual({ a: 2, b: 1, c: 2, deep: { x: 2, y: 1, z: 2 }, list: [2] });
    expect(patch.outcome("p1")).toBe("PartiallyEnforced by p2");
    expect(patch.outcome("p2")).toBe("Enforced");
    expect(patch.source("Service/b1", "/deep/x")).toEqual({
      held: "p2 defaults",
      by: "p1 defaults PatchDefaults",
      lost: ["p1 defaults 1 replaced by p2"],
    });
  });

  test("Patch Overrides: the established over the challenger", () => {
    const patch = made("overrides", "patch");
    expect(patch.spec("Service/b1")).toEqual({ a: 1, b: 1, c: 2, deep: { x: 1, y: 1, z: 2 }, list: [1, 1] });
    expect(patch.outcome("p1")).toBe("Enforced");
    expect(patch.outcome("p2")).toBe("PartiallyEnforced by p1");
    expect(patch.source("Service/b1", "/deep/x")).toEqual({
      held: "p1 overrides",
      by: "p1 overrides PatchOverrides",
      lost: ["p2 defaults 2 overridden by p1"],
    });
  });

  test("Patch merges the fields of a named rule, where Merge takes the rule as a whole", () => {
    const values = { merge: "Merge", patch: "Patch" } as const;
    const named = colorPolicy({
      merge: { granularity: { default: "Atomic", field: "strategy", values }, rules: ["limits"] },
    });
    const login = (upper: "defaults" | "overrides", strategy: string, rules: readonly [JsonObject, JsonObject]) =>
      contest(named, [
        color("p1", "Gateway/g1", { [upper]: { strategy, limits: { login: rules[0] } } }),
        color("p2", "HTTPRoute/r1", { defaults: { limits: { login: rules[1] } } }),
      ]).spec("Service/b1");
    const overrides = [{ rate: 1 }, { rate: 2, burst: 5 }] as const;
    expect(login("overrides", "patch", overrides)).toEqual({ limits: { login: { rate: 1, burst: 5 } } });
    expect(login("overrides", "merge", overrides)).toEqual({ limits: { login: { rate: 1 } } });
    const defaults = [{ burst: 5, rate: 1 }, { rate: 2 }] as const;
    expect(login("defaults", "patch", defaults)).toEqual({ limits: { login: { rate: 2, burst: 5 } } });
    expect(login("defaults", "merge", defaults)).toEqual({ limits: { login: { rate: 2 } } });
  });

  test("Atomic is the default atomicity applied if not specified otherwise", () => {
    const plain = contest(colorPolicy(), [
      color("p1", "Gateway/g1", { defaults: established }),
      color("p2", "HTTPRoute/r1", { defaults: challenger }),
    ]);
    expect(plain.spec("Service/b1")).toEqual(challenger);
  });

  describe("Patch is JSON Merge Patch: null deletes", () => {
    const patch = (spec: JsonObject) => ({ strategy: "patch", ...spec });

    test("a challenger's null keeps the default out", () => {
      const both = contest(colorPolicy(), [
        color("p1", "Gateway/g1", { defaults: patch({ a: 1, b: 1 }) }),
        color("p2", "HTTPRoute/r1", { defaults: patch({ a: null }) }),
      ]);
      expect(both.spec("Service/b1")).toEqual({ b: 1 });
      expect(both.source("Service/b1", "/a").lost).toEqual(["p1 defaults 1 deleted by p2"]);
      expect(both.outcome("p1")).toBe("PartiallyEnforced by p2");
      expect(both.outcome("p2")).toBe("Enforced");
    });

    test("a null alone is no empty policy: an atomic default does not come back", () => {
      const both = contest(colorPolicy(), [
        color("p1", "Gateway/g1", { defaults: { a: 1 } }),
        color("p2", "HTTPRoute/r1", { defaults: patch({ b: null }) }),
      ]);
      expect(both.spec("Service/b1")).toEqual({});
      expect(both.outcome("p1")).toBe("Overridden by p2");
    });

    test("an established null deletes what is below, and is stripped at the end", () => {
      const both = contest(colorPolicy(), [
        color("p1", "Gateway/g1", { overrides: patch({ a: null }) }),
        color("p2", "HTTPRoute/r1", { defaults: { a: 2, b: 2 } }),
      ]);
      expect(both.spec("Service/b1")).toEqual({ b: 2 });
      expect(both.source("Service/b1", "/a").lost).toEqual(["p2 defaults 2 deleted by p1"]);
      expect(both.outcome("p2")).toBe("PartiallyEnforced by p1");
    });

    test("a null deletes a whole map", () => {
      const both = contest(colorPolicy(), [
        color("p1", "Gateway/g1", { defaults: patch({ deep: { x: 1, y: 1 }, b: 1 }) }),
        color("p2", "HTTPRoute/r1", { defaults: patch({ deep: null }) }),
      ]);
      expect(both.spec("Service/b1")).toEqual({ b: 1 });
      const above = contest(colorPolicy(), [
        color("p1", "Gateway/g1", { overrides: patch({ deep: null }) }),
        color("p2", "HTTPRoute/r1", { defaults: { deep: { x: 1, y: 1 }, b: 1 } }),
      ]);
      expect(above.spec("Service/b1")).toEqual({ b: 1 });
    });

    test("an override above a null brings the value back", () => {
      const both = contest(colorPolicy(), [
        color("p1", "Gateway/g1", { overrides: patch({ a: 1 }) }),
        color("p2", "HTTPRoute/r1", { defaults: patch({ a: null }) }),
      ]);
      expect(both.spec("Service/b1")).toEqual({ a: 1 });
      expect(both.outcome("p2")).toBe("Overridden by p1");
    });

    test("a scalar above a map and a map above a scalar: the winner's shape", () => {
      const shapes = (p1: JsonObject, p2: JsonObject) =>
        contest(colorPolicy(), [color("p1", "Gateway/g1", p1), color("p2", "HTTPRoute/r1", p2)]).spec("Service/b1");
      expect(shapes({ overrides: patch({ a: 1 }) }, { a: { x: 2, y: 2 } })).toEqual({ a: 1 });
      expect(shapes({ overrides: patch({ a: { x: 1 } }) }, { a: 2 })).toEqual({ a: { x: 1 } });
      expect(shapes({ defaults: patch({ a: 1 }) }, { a: { x: 2 } })).toEqual({ a: { x: 2 } });
      expect(shapes({ defaults: patch({ a: { x: 1 } }) }, { a: 2 })).toEqual({ a: 2 });
    });
  });

  describe("Patch is JSON Merge Patch (RFC 7386, Appendix A)", () => {
    // A spec is always an object, so each document is the field `doc`. Null as a whole document deletes the field.
    for (const [original, patch, result] of [
      [{ a: "b" }, { a: "c" }, { a: "c" }],
      [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
      [{ a: "b" }, { a: null }, {}],
      [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
      [{ a: ["b"] }, { a: "c" }, { a: "c" }],
      [{ a: "c" }, { a: ["b"] }, { a: ["b"] }],
      [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
      [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
      [
        ["a", "b"],
        ["c", "d"],
        ["c", "d"],
      ],
      [{ a: "b" }, ["c"], ["c"]],
      [{ a: "foo" }, null, undefined],
      [{ a: "foo" }, "bar", "bar"],
      // The appendix keeps the original's null; a Kubernetes object has none, and here a null deletes wherever it is.
      [{ e: null }, { a: 1 }, { a: 1 }],
      [[1, 2], { a: "b", c: null }, { a: "b" }],
      [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
    ] as readonly (readonly [Json, Json, Json | undefined])[]) {
      const patched = result === undefined ? {} : { doc: result };
      const how = `${JSON.stringify(original)} and ${JSON.stringify(patch)} give ${JSON.stringify(result) ?? "nothing"}`;

      test(`Patch Overrides, the established on the challenger: ${how}`, () => {
        const both = contest(colorPolicy(), [
          color("p1", "Gateway/g1", { overrides: { strategy: "patch", doc: patch } }),
          color("p2", "HTTPRoute/r1", { doc: original }),
        ]);
        expect(both.spec("Service/b1")).toEqual(patched);
      });

      test(`Patch Defaults, the challenger on the established: ${how}`, () => {
        const both = contest(colorPolicy(), [
          color("p1", "Gateway/g1", { defaults: { strategy: "patch", doc: original } }),
          color("p2", "HTTPRoute/r1", { doc: patch }),
        ]);
        expect(both.spec("Service/b1")).toEqual(patched);
      });
    }
  });

  test("Patch beside Field: JSON Merge Patch goes into every map", () => {
    const definition = colorPolicy({
      merge: {
        granularity: { default: "Atomic", field: "strategy", values: { patch: "Patch", field: "Field" } },
        atomicPaths: ["labels"],
      },
    });
    const both = contest(definition, [
      color("p1", "Gateway/g1", { overrides: { strategy: "patch", labels: { foo: "c", gone: null } } }),
      color("p2", "HTTPRoute/r1", { labels: { foo: "a", bar: "b", gone: "x" } }),
    ]);
    expect(both.spec("Service/b1")).toEqual({ labels: { foo: "c", bar: "b" } });
  });

  test("Atomic Defaults: the challenger, whole, also if all it sets is an empty map", () => {
    const both = contest(colorPolicy(), [
      color("p1", "Gateway/g1", { colors: { dark: "brown" } }),
      color("p2", "HTTPRoute/r1", { colors: {} }),
    ]);
    expect(both.spec("Service/b1")).toEqual({ colors: {} });
    expect(both.outcome("p1")).toBe("Overridden by p2");
  });

  describe("<Custom>", () => {
    const definition = colorPolicy({
      merge: {
        granularity: { default: "Atomic", field: "strategy", values: { atomic: "Atomic", max: { custom: "max" } } },
      },
    });
    /** The larger of two numbers, field by field; what only one has is kept; the sum is computed. */
    const max: CustomStrategy = ({ established: { spec: above }, challenger: { spec: below }, base }) => {
      const keys = [...new Set([...Object.keys(above), ...Object.keys(below)])];
      const larger = Object.fromEntries(
        keys.map((key) => [key, Math.max(Number(above[key] ?? 0), Number(below[key] ?? 0))]),
      );
      return { ...larger, base };
    };

    for (const [block, base] of [
      ["defaults", "Defaults"],
      ["overrides", "Overrides"],
    ] as const) {
      test(`<Custom> ${base}`, () => {
        const both = contest(
          definition,
          [
            color("p1", "Gateway/g1", { [block]: { strategy: "max", a: 9, b: 1 } }),
            color("p2", "HTTPRoute/r1", { a: 1, b: 5, c: 3 }),
          ],
          { strategies: { max } },
        );
        expect(both.spec("Service/b1")).toEqual({ a: 9, b: 5, c: 3, base });
        expect(both.source("Service/b1", "/a").held).toBe(`p1 ${block}`);
        expect(both.source("Service/b1", "/b").held).toBe("p2 bare");
        expect(both.source("Service/b1", "/c").held).toBe("p2 bare");
        // A value of neither spec is attributed to the established policy and marked as computed.
        expect(both.source("Service/b1", "/base").held).toBe(`p1 ${block} computed`);
        expect(both.outcome("p1")).toBe("PartiallyEnforced by p2");
        expect(both.outcome("p2")).toBe("PartiallyEnforced by p1");
      });
    }

    test("a value that it computes takes effect for the policy that it is credited to, and affects the target", () => {
      const sum: CustomStrategy = ({ established, challenger }) => ({
        a: Number(established.spec["a"]) + Number(challenger.spec["a"]),
      });
      const both = contest(
        definition,
        [color("p1", "Gateway/g1", { defaults: { strategy: "max", a: 10 } }), color("p2", "HTTPRoute/r1", { a: 5 })],
        { strategies: { max: sum } },
      );
      expect(both.spec("Service/b1")).toEqual({ a: 15 });
      expect(both.outcome("p1")).toBe("Enforced");
      expect(both.outcome("p2")).toBe("Overridden by p1");
      expect(both.affectedBy("HTTPRoute/r1")).toEqual(["p1"]);
    });

    test("it gets both specs and the metadata of both policies, never the target", () => {
      const seen: unknown[] = [];
      const spy: CustomStrategy = (given) => {
        seen.push([
          given.established.policy.name,
          given.established.spec,
          given.challenger.policies.map(({ name }) => name),
          given.challenger.spec,
          Object.keys(given).toSorted(),
        ]);
        return given.established.spec;
      };
      contest(
        definition,
        [color("p1", "Gateway/g1", { defaults: { strategy: "max", a: 1 } }), color("p2", "HTTPRoute/r1", { a: 2 })],
        {
          strategies: { max: spy },
        },
      );
      expect(seen).toEqual([["p1", { a: 1 }, ["p2"], { a: 2 }, ["base", "challenger", "established"]]]);
    });

    test("alone it is not asked: there is no conflict", () => {
      const alone = contest(definition, [color("p1", "Gateway/g1", { defaults: { strategy: "max", a: 1 } })], {
        strategies: { max: () => ({ wrong: true }) },
      });
      expect(alone.spec("Service/b1")).toEqual({ a: 1 });
    });
  });
});

test("A custom strategy that is not registered is reported where the definition names it", () => {
  const definition = {
    apiVersion: "prevail.dev/v1alpha1",
    kind: "PolicyDefinition",
    metadata: { name: "colors" },
    spec: {
      policies: [{ group: "example.com", kind: "ColorPolicy" }],
      class: "Inherited",
      targeting: { kinds: ["Gateway"] },
      merge: { granularity: { default: "Atomic", values: { mix: "Custom/mix" } } },
    },
  };
  expect(cluster([definition]).findings.filter(({ code }) => code === "UnknownStrategy")).toEqual([
    expect.objectContaining({
      object: "PolicyDefinition.prevail.dev//colors",
      field: "spec.merge.granularity.values.mix",
    }),
  ]);
});
