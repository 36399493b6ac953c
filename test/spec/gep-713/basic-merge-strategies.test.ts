/** GEP-713, "Basic merge strategies" */
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/model/json.ts";
import { cluster } from "../../support/cluster/cluster.ts";
import { color, colorPolicy, contest, topology } from "./color-policies.ts";

describe("Basic merge strategies", () => {
  const none = colorPolicy({ targets: ["Gateway"], merge: { none: true } });

  test("None: the oldest that is attached to a target wins, all the others are rejected", () => {
    const made = contest(none, [
      color("a", "Gateway/g1", { color: "newest" }, { created: 2 }),
      color("m", "Gateway/g1", { color: "middle" }, { created: 1 }),
      color("z", "Gateway/g1", { color: "oldest" }, { created: 0 }),
    ]);
    expect(made.spec("Service/b1")).toEqual({ color: "oldest" });
    expect(["z", "m", "a"].map((name) => made.outcome(name))).toEqual([
      "Enforced",
      "Conflicted by z",
      "Conflicted by z",
    ]);
    expect(made.message("a")).toContain("z");
    expect(made.contributors("Service/b1")).toEqual(["z"]);
  });

  test("None: same second, first alphabetically", () => {
    const made = contest(
      none,
      ["b", "a"].map((name) => color(name, "Gateway/g1", { color: name }, { created: 0 })),
    );
    expect(made.spec("Service/b1")).toEqual({ color: "a" });
    expect(made.outcome("b")).toBe("Conflicted by a");
  });

  test("None: one target that is not lost is enough to be accepted", () => {
    const made = cluster(
      [
        ...topology([
          ["g1", "r1", "b1"],
          ["g2", "r2", "b2"],
        ]),
        color("older", ["Gateway/g1"], { color: "older" }, { created: 0 }),
        color("newer", ["Gateway/g1", "Gateway/g2"], { color: "newer" }, { created: 1 }),
      ],
      { definitions: [none] },
    );
    expect(made.spec("Service/b1")).toEqual({ color: "older" });
    expect(made.spec("Service/b2")).toEqual({ color: "newer" });
    expect(made.verdictOf("newer").state).toBe("Accepted");
    expect(made.outcome("older")).toBe("Enforced");
  });

  test("None: a Conflicted target is reported, although the object is an ancestor by another target", () => {
    const inherited = colorPolicy({ targets: ["Gateway", "HTTPRoute"], merge: { none: true } });
    const made = contest(inherited, [
      color("older", "Gateway/g1", { color: "older" }, { created: 0 }),
      color("newer", ["Gateway/g1", "HTTPRoute/r1"], { color: "newer" }, { created: 1 }),
    ]);
    // An ancestorRef has one entry for each controller.
    expect(made.conditions("newer")).toEqual(["Gateway/g1: Accepted=True/Accepted Enforced=True/Enforced"]);
    expect(made.messages("newer", "Accepted")).toEqual([
      "the policy is attached, but not to every target: Gateway default/g1 already has ColorPolicy default/older, which is older; only one ColorPolicy takes effect on a target",
    ]);
    expect(made.messages("older", "Accepted")).toEqual(["the policy is attached"]);
  });

  describe("An empty policy", () => {
    const inherited = colorPolicy({ targets: ["Gateway", "HTTPRoute"], merge: { none: true } });
    const keepsOut = colorPolicy({ merge: { blocks: "Combined", empty: "TakesPlace" } });
    const on = (definition: typeof inherited, p1: JsonObject, p2: JsonObject) =>
      contest(definition, [color("p1", "Gateway/g1", p1), color("p2", "HTTPRoute/r1", p2)]);

    for (const [kind, definition] of [
      ["None", inherited],
      ["Atomic Defaults, merge.empty: TakesPlace", keepsOut],
    ] as const) {
      test(`${kind}: it keeps out what is higher`, () => {
        const made = on(definition, { color: "red" }, {});
        expect(made.spec("Service/b1")).toEqual({});
        expect(made.source("Service/b1", "/color").lost).toEqual(['p1 bare "red" replaced by p2']);
        expect(made.outcome("p1")).toBe("Overridden by p2");
        expect(made.outcome("p2")).toBe("Enforced");
        expect(made.affectedBy("HTTPRoute/r1")).toEqual(["p2"]);
      });

      test(`${kind}: where nothing is higher it affects nothing`, () => {
        const made = contest(definition, [color("p2", "HTTPRoute/r1", {})]);
        expect(made.outcome("p2")).toBe("Enforced");
        expect(made.affectedBy("HTTPRoute/r1")).toEqual([]);
      });

      test(`${kind}: a lower policy that sets something replaces it`, () => {
        const made = on(definition, {}, { color: "blue" });
        expect(made.spec("Service/b1")).toEqual({ color: "blue" });
        expect(made.outcome("p1")).toBe("Overridden by p2");
        expect(made.outcome("p2")).toBe("Enforced");
      });
    }

    test("merge.empty: TakesPlace: an override replaces it, and an empty override replaces nothing", () => {
      const made = on(keepsOut, { overrides: { color: "red" } }, { defaults: {} });
      expect(made.spec("Service/b1")).toEqual({ color: "red" });
      expect(made.outcome("p2")).toBe("Overridden by p1");
      const empty = on(keepsOut, { overrides: {} }, { color: "blue" });
      expect(empty.spec("Service/b1")).toEqual({ color: "blue" });
      expect(empty.outcome("p2")).toBe("Enforced");
    });

    test("merge.empty: TakesPlace: defaults that are merged field by field fill it", () => {
      const made = on(keepsOut, { defaults: { strategy: "patch", color: "red" } }, {});
      expect(made.spec("Service/b1")).toEqual({ color: "red" });
      expect(made.outcome("p1")).toBe("Enforced");
    });

    test("merge.empty: TakesPlace: a policy that removes something is not empty, and higher defaults take effect", () => {
      const made = on(keepsOut, { color: "red", shade: "dark" }, { remove: ["shade"] });
      expect(made.spec("Service/b1")).toEqual({ color: "red" });
    });

    test("merge.empty: GivesWay: higher defaults take effect", () => {
      const made = on(colorPolicy(), { color: "red" }, {});
      expect(made.spec("Service/b1")).toEqual({ color: "red" });
      expect(made.outcome("p1")).toBe("Enforced");
    });
  });

  for (const [strategy, p1, expected] of [
    ["Defaults: more specific specs beats less specific ones", { defaults: { color: "red" } }, "blue"],
    ["Overrides: less specific specs beats more specific ones", { overrides: { color: "red" } }, "red"],
  ] as const) {
    test(strategy, () => {
      const made = contest(colorPolicy(), [
        color("p1", "Gateway/g1", p1),
        color("p2", "HTTPRoute/r1", { color: "blue" }),
      ]);
      expect(made.spec("Service/b1")).toEqual({ color: expected });
    });
  }

  test("instances MUST NOT be allowed to declare more than one merge strategy", () => {
    const made = contest(colorPolicy(), [
      color("both", "Gateway/g1", { defaults: { color: "red" }, overrides: { color: "blue" } }),
      color("mixed", "Gateway/g1", { color: "red", overrides: { color: "blue" } }),
      color("fine", "Gateway/g1", { overrides: { color: "green" } }),
    ]);
    expect(made.outcome("both")).toBe("Invalid");
    expect(made.outcome("mixed")).toBe("Invalid");
    expect(made.outcome("fine")).toBe("Enforced");
    expect(made.spec("Service/b1")).toEqual({ color: "green" });
  });

  test("a strategy that the kind does not have is Invalid", () => {
    const made = contest(colorPolicy(), [color("p", "Gateway/g1", { defaults: { strategy: "pach", color: "red" } })]);
    expect(made.outcome("p")).toBe("Invalid");
    expect(made.message("p")).toMatch(/patch/);
  });
});
