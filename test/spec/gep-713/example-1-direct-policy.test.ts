/** GEP-713, "Example 1. Direct Policy" */
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/model/json.ts";
import { cluster } from "../../support/cluster/cluster.ts";
import { policy } from "../../support/cluster/gateway-objects.ts";
import { affectedLines, topology } from "./color-policies.ts";

describe("Example 1. Direct Policy", () => {
  const direct = (name: string, on: string, spec: JsonObject, created: number) =>
    policy("ColorPolicy", name, on, spec, { group: "direct.policies.controller.io", created });
  const made = cluster(
    [
      ...topology([
        ["g1", "r1", "b1"],
        ["g1", "r2", "b2"],
      ]),
      direct("p2", "Service/b1", { color: "blue" }, 1),
      direct("p1", "Service/b1", { color: "red" }, 0),
    ],
    { definitions: ["color-policy-direct"] },
  );

  test("1. all traffic directed to b1 must be colored red", () => {
    expect(made.spec("Service/b1")).toEqual({ color: "red" });
    expect(made.source("Service/b1", "/color")).toMatchObject({ held: "p1 bare", lost: [] });
  });
  test("2. b1 should be reported as affected by p1", () => {
    expect(made.affectedBy("Service/b1")).toEqual(["p1"]);
  });
  test("3. b2 should NOT be reported as affected by any policy", () => {
    expect(made.affectedBy("Service/b2")).toEqual([]);
    expect(made.affectedTargets("p1")).toEqual(["Service/b1"]);
  });
  test("2., 3. as conditions of the targets", () => {
    expect(affectedLines(made)).toEqual(["Service/b1 status.conditions: p1"]);
  });
  test("4. p1 must be reported as enforced", () => {
    expect(made.outcome("p1")).toBe("Enforced");
    expect(made.tally("p1")).toEqual({ paths: 1, full: 1, partial: 0, none: 0, met: 0 });
    expect(made.conditions("p1").map((line) => line.replace(/^.*: /, ""))).toEqual([
      "Accepted=True/Accepted Enforced=True/Enforced",
    ]);
  });
  test("5. p2 must be reported as NOT enforced, due to conflict with p1", () => {
    expect(made.outcome("p2")).toBe("Conflicted by p1");
    expect(made.message("p2")).toContain("p1");
    expect(made.messages("p2", "Accepted")).toEqual([expect.stringContaining("ColorPolicy default/p1")]);
    expect(made.conditions("p2").map((line) => line.replace(/^.*: /, ""))).toEqual(["Accepted=False/Conflicted"]);
  });
});
