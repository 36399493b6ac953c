/** GEP-713, "Example 2. Defaults & Overrides" */
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/model/json.ts";
import { cluster } from "../../support/cluster/cluster.ts";
import { policy } from "../../support/cluster/gateway-objects.ts";
import { affectedLines, at, paths, topology } from "./color-policies.ts";

describe("Example 2. Defaults & Overrides", () => {
  const atomic = (name: string, on: string, spec: JsonObject) =>
    policy("ColorPolicy", name, on, spec, { group: "atomic.policies.controller.io" });
  const made = cluster(
    [
      ...topology(paths),
      atomic("p1", "Gateway/g1", { color: "red" }),
      atomic("p2", "HTTPRoute/r1", { color: "blue" }),
      atomic("p3", "Gateway/g2", { overrides: { color: "yellow" } }),
      atomic("p4", "HTTPRoute/r4", { color: "green" }),
    ],
    { definitions: ["color-policy-atomic"] },
  );

  for (const [item, path, expected, provenance] of [
    [
      1,
      "g1 > r1 > b1",
      "blue",
      { held: "p2 bare", by: "p1 bare AtomicDefaults", lost: ['p1 bare "red" replaced by p2'] },
    ],
    [2, "g1 > r2 > b1", "red", { held: "p1 bare", by: "p1 bare AtomicDefaults", lost: [] }],
    [3, "g2 > r3 > b1", "yellow", { held: "p3 overrides", by: "p3 overrides AtomicOverrides", lost: [] }],
    [
      4,
      "g2 > r4 > b2",
      "yellow",
      { held: "p3 overrides", by: "p3 overrides AtomicOverrides", lost: ['p4 bare "green" overridden by p3'] },
    ],
  ] as const) {
    test(`${item}. traffic directed to ${path} must be colored ${expected}`, () => {
      expect(made.spec(at(path))).toEqual({ color: expected });
      expect(made.source(at(path), "/color")).toEqual(provenance);
    });
  }
  test("5. b1 should be reported as affected by p1, p2 and p3", () => {
    expect(made.affectedBy("Service/b1")).toEqual(["p1", "p2", "p3"]);
  });
  test("6. b2 should be reported as affected by p3", () => {
    expect(made.affectedBy("Service/b2")).toEqual(["p3"]);
  });
  test("5., 6. objects are affected only at or below the declared target", () => {
    expect(made.affectedBy("Gateway/g1")).toEqual(["p1"]);
    expect(made.affectedBy("Gateway/g2")).toEqual(["p3"]);
    expect(made.affectedBy("HTTPRoute/r1")).toEqual(["p2"]);
    expect(made.affectedBy("HTTPRoute/r2")).toEqual(["p1"]);
    expect(made.affectedBy("HTTPRoute/r4")).toEqual(["p3"]);
    expect(made.affectedTargets("p4")).toEqual([]);
  });
  test("5., 6. as conditions of the targets", () => {
    expect(affectedLines(made)).toEqual([
      "Gateway/g1 status.conditions: p1",
      "Gateway/g1 status.listeners[http]: p1",
      "Gateway/g2 status.conditions: p3",
      "Gateway/g2 status.listeners[http]: p3",
      "HTTPRoute/r1 status.parents[g1]: p2",
      "HTTPRoute/r2 status.parents[g1]: p1",
      "HTTPRoute/r3 status.parents[g2]: p3",
      "HTTPRoute/r4 status.parents[g2]: p3",
      "Service/b1 status.conditions: p1, p2, p3",
      "Service/b2 status.conditions: p3",
    ]);
  });
  test("7. p1 must be reported as partially enforced, due to in some cases overridden by p2", () => {
    expect(made.outcome("p1")).toBe("PartiallyEnforced by p2");
    expect(made.tally("p1")).toEqual({ paths: 2, full: 1, partial: 0, none: 1, met: 0 });
    expect(made.overridden("p1")).toEqual({ by: ["p2"], at: ["Service/b1"] });
    expect(made.messages("p1", "Enforced")).toEqual([
      "of its 2 paths, takes effect on 1, is overridden on 1; overridden by ColorPolicy default/p2, at Service default/b1. On Gateway default/g1#http > HTTPRoute default/r1#rule-1 > Service default/b1: color is overridden by ColorPolicy default/p2",
    ]);
    expect(made.conditions("p1")).toEqual(["Gateway/g1: Accepted=True/Accepted Enforced=True/PartiallyEnforced"]);
  });
  test("8. p2 must be reported as enforced", () => {
    expect(made.outcome("p2")).toBe("Enforced");
    expect(made.tally("p2")).toEqual({ paths: 1, full: 1, partial: 0, none: 0, met: 0 });
    expect(made.conditions("p2")).toEqual(["Gateway/g1: Accepted=True/Accepted Enforced=True/Enforced"]);
  });
  test("9. p3 must be reported as enforced", () => {
    expect(made.outcome("p3")).toBe("Enforced");
    expect(made.tally("p3")).toEqual({ paths: 2, full: 2, partial: 0, none: 0, met: 0 });
    expect(made.conditions("p3")).toEqual(["Gateway/g2: Accepted=True/Accepted Enforced=True/Enforced"]);
  });
  test("10. p4 must be reported as NOT enforced, due to being overridden by p3", () => {
    expect(made.outcome("p4")).toBe("Overridden by p3");
    expect(made.tally("p4")).toEqual({ paths: 1, full: 0, partial: 0, none: 1, met: 0 });
    expect(made.messages("p4", "Enforced")).toEqual([
      "is overridden on its only path; overridden by ColorPolicy default/p3, at Service default/b2",
    ]);
    expect(made.conditions("p4")).toEqual(["Gateway/g2: Accepted=True/Accepted Enforced=False/Overridden"]);
  });
});
