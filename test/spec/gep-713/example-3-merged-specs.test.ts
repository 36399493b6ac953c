/** GEP-713, "Example 3. Merged specs" */
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/model/json.ts";
import { cluster } from "../../support/cluster/cluster.ts";
import { policy } from "../../support/cluster/gateway-objects.ts";
import { affectedLines, at, paths, topology } from "./color-policies.ts";

describe("Example 3. Merged specs", () => {
  const patch = (name: string, on: string, spec: JsonObject) =>
    policy("ColorPolicy", name, on, spec, { group: "patch.policies.controller.io" });
  const made = cluster(
    [
      ...topology(paths),
      patch("p1", "Gateway/g1", { colors: { dark: "brown", light: "red" }, strategy: "atomic" }),
      patch("p2", "HTTPRoute/r1", { colors: { light: "blue" } }),
      patch("p3", "Gateway/g2", { overrides: { colors: { light: "yellow" }, strategy: "patch" } }),
      patch("p4", "HTTPRoute/r4", { colors: { dark: "olive", light: "green" } }),
    ],
    { definitions: ["color-policy-patch"] },
  );

  for (const [item, path, colors] of [
    [1, "g1 > r1 > b1", { light: "blue" }],
    [2, "g1 > r2 > b1", { dark: "brown", light: "red" }],
    [3, "g2 > r3 > b1", { light: "yellow" }],
    [4, "g2 > r4 > b2", { dark: "olive", light: "yellow" }],
  ] as const) {
    test(`${item}. traffic directed to ${path} must be colored ${JSON.stringify(colors)}`, () => {
      // `strategy` governs; it is not spec proper.
      expect(made.spec(at(path))).toEqual({ colors });
    });
  }
  test("1., 4. the source of each value, and the reason", () => {
    expect(made.sources(at("g1 > r1 > b1"))).toEqual({
      "/colors/dark": { held: "nobody", by: "p1 bare AtomicDefaults", lost: ['p1 bare "brown" replaced by p2'] },
      "/colors/light": { held: "p2 bare", by: "p1 bare AtomicDefaults", lost: ['p1 bare "red" replaced by p2'] },
    });
    expect(made.sources(at("g2 > r4 > b2"))).toEqual({
      "/colors/dark": { held: "p4 bare", by: "p4 bare AtomicDefaults", lost: [] },
      "/colors/light": {
        held: "p3 overrides",
        by: "p3 overrides PatchOverrides",
        lost: ['p4 bare "green" overridden by p3'],
      },
    });
  });
  test("5. b1 should be reported as affected by p1, p2 and p3", () => {
    expect(made.affectedBy("Service/b1")).toEqual(["p1", "p2", "p3"]);
  });
  test("6. b2 should be reported as affected by p3 and p4", () => {
    expect(made.affectedBy("Service/b2")).toEqual(["p3", "p4"]);
  });
  test("5., 6. as conditions of the targets", () => {
    expect(affectedLines(made).filter((line) => /^(HTTPRoute|Service)/.test(line))).toEqual([
      "HTTPRoute/r1 status.parents[g1]: p2",
      "HTTPRoute/r2 status.parents[g1]: p1",
      "HTTPRoute/r3 status.parents[g2]: p3",
      "HTTPRoute/r4 status.parents[g2]: p3, p4",
      "Service/b1 status.conditions: p1, p2, p3",
      "Service/b2 status.conditions: p3, p4",
    ]);
  });
  test("7. p1 must be reported as partially enforced, due to in some cases atomically overridden by p2", () => {
    expect(made.outcome("p1")).toBe("PartiallyEnforced by p2");
    expect(made.tally("p1")).toEqual({ paths: 2, full: 1, partial: 0, none: 1, met: 0 });
    expect(made.conditions("p1")).toEqual(["Gateway/g1: Accepted=True/Accepted Enforced=True/PartiallyEnforced"]);
  });
  test("8. p2 must be reported as enforced", () => {
    expect(made.outcome("p2")).toBe("Enforced");
    expect(made.conditions("p2")).toEqual(["Gateway/g1: Accepted=True/Accepted Enforced=True/Enforced"]);
  });
  test("9. p3 must be reported as enforced", () => {
    expect(made.outcome("p3")).toBe("Enforced");
    expect(made.tally("p3")).toEqual({ paths: 2, full: 2, partial: 0, none: 0, met: 0 });
    expect(made.conditions("p3")).toEqual(["Gateway/g2: Accepted=True/Accepted Enforced=True/Enforced"]);
  });
  test("10. p4 must be reported as partially enforced, due to being partially overridden by p3", () => {
    expect(made.outcome("p4")).toBe("PartiallyEnforced by p3");
    expect(made.tally("p4")).toEqual({ paths: 1, full: 0, partial: 1, none: 0, met: 0 });
    expect(made.conditions("p4")).toEqual(["Gateway/g2: Accepted=True/Accepted Enforced=True/PartiallyEnforced"]);
  });
  test("7., 10. with details highlighting which parts are enforced and which parts have been superseded", () => {
    expect(made.messages("p1", "Enforced")).toEqual([
      "of its 2 paths, takes effect on 1, is overridden on 1; overridden by ColorPolicy default/p2, at Service default/b1. On Gateway default/g1#http > HTTPRoute default/r1#rule-1 > Service default/b1: colors.dark, colors.light are overridden by ColorPolicy default/p2",
    ]);
    expect(made.messages("p4", "Enforced")).toEqual([
      "takes effect in part on its only path; overridden by ColorPolicy default/p3, at Service default/b2. On Gateway default/g2#http > HTTPRoute default/r4#rule-1 > Service default/b2: colors.dark takes effect; colors.light is overridden by ColorPolicy default/p3",
    ]);
  });
});
