/** GEP-713, "Conflict resolution" */
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/model/json.ts";
import { referenceGrant } from "../../support/cluster/gateway-objects.ts";
import { color, colorPolicy, contest } from "./color-policies.ts";

describe("Conflict resolution", () => {
  const definition = colorPolicy();

  test("defaulting to the lower spec beating the higher one if not specified otherwise", () => {
    const made = contest(definition, [
      color("p1", "Gateway/g1", { color: "red" }),
      color("p2", "HTTPRoute/r1", { color: "blue" }),
    ]);
    expect(made.spec("Service/b1")).toEqual({ color: "blue" });
  });

  test("the meta resource considered higher dictates the merge strategy", () => {
    const higherPatches = contest(definition, [
      color("p1", "Gateway/g1", { defaults: { strategy: "patch", x: 1, y: 1 } }),
      color("p2", "HTTPRoute/r1", { defaults: { strategy: "atomic", x: 2 } }),
    ]);
    expect(higherPatches.spec("Service/b1")).toEqual({ x: 2, y: 1 });
    const lowerPatches = contest(definition, [
      color("p1", "Gateway/g1", { defaults: { strategy: "atomic", x: 1, y: 1 } }),
      color("p2", "HTTPRoute/r1", { defaults: { strategy: "patch", x: 2 } }),
    ]);
    expect(lowerPatches.spec("Service/b1")).toEqual({ x: 2 });
  });

  test("1. at different levels, the one attached higher is higher, whatever its age or name", () => {
    for (const [created1, created2] of [
      [0, 1],
      [1, 0],
      [0, 0],
    ] as const) {
      for (const [n1, n2] of [
        ["a", "z"],
        ["z", "a"],
      ] as const) {
        const made = contest(definition, [
          color(n1, "Gateway/g1", { overrides: { color: "gateway" } }, { created: created1 }),
          color(n2, "HTTPRoute/r1", { overrides: { color: "route" } }, { created: created2 }),
        ]);
        expect(made.spec("Service/b1")).toEqual({ color: "gateway" });
      }
    }
  });

  test("2. at the same level, the older is higher: under overrides it wins", () => {
    const made = contest(definition, [
      color("a", "Gateway/g1", { overrides: { color: "newer" } }, { created: 1 }),
      color("z", "Gateway/g1", { overrides: { color: "older" } }, { created: 0 }),
    ]);
    expect(made.spec("Service/b1")).toEqual({ color: "older" });
    expect(made.source("Service/b1", "/color")).toEqual({
      held: "z overrides",
      by: "z overrides AtomicOverrides",
      lost: ['a overrides "newer" overridden by z'],
    });
    expect(made.outcome("a")).toBe("Overridden by z");
  });

  test("2. at the same level, the older is higher: under defaults the newer one, being lower, wins", () => {
    const made = contest(definition, [
      color("a", "Gateway/g1", { defaults: { color: "newer" } }, { created: 1 }),
      color("z", "Gateway/g1", { defaults: { color: "older" } }, { created: 0 }),
    ]);
    expect(made.spec("Service/b1")).toEqual({ color: "newer" });
    expect(made.source("Service/b1", "/color")).toEqual({
      held: "a defaults",
      by: "z defaults AtomicDefaults",
      lost: ['z defaults "older" replaced by a'],
    });
    expect(made.outcome("z")).toBe("Overridden by a");
  });

  test("2. at the same level, the older dictates the strategy", () => {
    const older = (spec: JsonObject) => color("older", "Gateway/g1", spec, { created: 0 });
    const newer = (spec: JsonObject) => color("newer", "Gateway/g1", spec, { created: 1 });
    const specOf = (...policies: readonly JsonObject[]) => contest(definition, policies).spec("Service/b1");
    expect(specOf(older({ defaults: { x: "older" } }), newer({ overrides: { x: "newer" } }))).toEqual({ x: "newer" });
    expect(specOf(older({ overrides: { x: "older" } }), newer({ defaults: { x: "newer" } }))).toEqual({ x: "older" });
    expect(specOf(older({ strategy: "patch", x: "older", y: 1 }), newer({ x: "newer" }))).toEqual({ x: "newer", y: 1 });
    expect(specOf(older({ x: "older", y: 1 }), newer({ strategy: "patch", x: "newer" }))).toEqual({ x: "newer" });
  });

  test("2. a policy without a creation timestamp is the newest", () => {
    const made = contest(definition, [
      color("a", "Gateway/g1", { overrides: { color: "file" } }),
      color("z", "Gateway/g1", { overrides: { color: "cluster" } }, { created: 100 }),
    ]);
    expect(made.spec("Service/b1")).toEqual({ color: "cluster" });
  });

  test("3. identical creation timestamps: first in alphabetical order by {namespace}/{name} is higher", () => {
    for (const names of [
      ["bar", "baz"],
      ["baz", "bar"],
    ]) {
      const made = contest(
        definition,
        names.map((name) => color(name, "Gateway/g1", { overrides: { color: name } }, { created: 7 })),
      );
      expect(made.spec("Service/b1")).toEqual({ color: "bar" });
      const lower = contest(
        definition,
        names.map((name) => color(name, "Gateway/g1", { defaults: { color: name } }, { created: 7 })),
      );
      expect(lower.spec("Service/b1")).toEqual({ color: "baz" });
    }
  });

  test("3. both without a creation timestamp: alphabetical, too", () => {
    const made = contest(
      definition,
      ["z", "a", "m"].map((name) => color(name, "Gateway/g1", { overrides: { color: name } })),
    );
    expect(made.spec("Service/b1")).toEqual({ color: "a" });
  });

  test("3. {namespace}/{name} is one string: the namespace counts, and `-` stands before `/`", () => {
    const across = colorPolicy({ targeting: { crossNamespace: "ReferenceGrant" } });
    const grants = ["a", "b", "foo", "foo-bar"].map((namespace) =>
      referenceGrant(`from-${namespace}`, "default", {
        from: { group: "policies.controller.io", kind: "ColorPolicy", namespace },
        to: { kind: "Gateway" },
      }),
    );
    const highest = (...policies: readonly (readonly [string, string])[]) =>
      contest(across, [
        ...grants,
        ...policies.map(([namespace, name]) =>
          color(
            name,
            "Gateway/default/g1",
            { overrides: { color: `${namespace}/${name}` } },
            { namespace, created: 7 },
          ),
        ),
      ]).spec("Service/b1")["color"];
    expect(highest(["b", "a"], ["a", "z"])).toBe("a/z");
    expect(highest(["foo", "x"], ["foo-bar", "x"])).toBe("foo-bar/x");
  });

  test("an object and its section are two levels", () => {
    const made = contest(definition, [
      color("whole", "Gateway/g1", { overrides: { color: "gateway" } }, { created: 9 }),
      color("part", "Gateway/g1#http", { overrides: { color: "listener" } }, { created: 0 }),
    ]);
    expect(made.spec("Service/b1")).toEqual({ color: "gateway" });
  });
});
