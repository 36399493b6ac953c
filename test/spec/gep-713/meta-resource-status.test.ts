/** GEP-713, "Meta resource status" */
import { describe, expect, test } from "vitest";
import { cluster } from "../../support/cluster/cluster.ts";
import { gateway, route, service } from "../../support/cluster/gateway-objects.ts";
import { affectedLines, color, colorPolicy, contest, topology } from "./color-policies.ts";

describe("Meta resource status", () => {
  const definition = colorPolicy();

  test("Accepted, but reaching nothing: a Gateway without routes", () => {
    const made = cluster([gateway("g"), color("p", "Gateway/g", { color: "red" })], { definitions: [definition] });
    expect(made.outcome("p")).toBe("NoPath");
    expect(made.conditions("p")).toEqual(["Gateway/g: Accepted=True/Accepted Enforced=False/NoPath"]);
    expect(made.affectedTargets("p")).toEqual([]);
  });

  test("a value equal to the winner's is not overridden: both are enforced", () => {
    const made = contest(definition, [
      color("p1", "Gateway/g1", { color: "red" }),
      color("p2", "HTTPRoute/r1", { color: "red" }),
    ]);
    expect(made.source("Service/b1", "/color")).toEqual({
      held: "p2 bare",
      by: "p1 bare AtomicDefaults",
      lost: ['p1 bare "red" equal'],
    });
    expect([made.outcome("p1"), made.outcome("p2")]).toEqual(["Enforced", "Enforced"]);
  });

  test("equal under overrides: the overridden one is enforced, too", () => {
    const made = contest(definition, [
      color("p1", "Gateway/g1", { overrides: { color: "red", shade: 1 } }),
      color("p2", "HTTPRoute/r1", { color: "red" }),
    ]);
    expect(made.source("Service/b1", "/color")).toEqual({
      held: "p1 overrides",
      by: "p1 overrides AtomicOverrides",
      lost: ['p2 bare "red" equal'],
    });
    expect(made.outcome("p2")).toBe("Enforced");
  });

  test("Overridden on one path and enforced on another is partially enforced", () => {
    const made = cluster(
      [
        ...topology([
          ["g1", "r1", "b1"],
          ["g2", "r1", "b1"],
        ]),
        color("top", "Gateway/g1", { overrides: { color: "red" } }),
        color("low", "HTTPRoute/r1", { color: "blue" }),
      ],
      { definitions: [definition] },
    );
    expect(made.outcome("low")).toBe("PartiallyEnforced by top");
    expect(made.tally("low")).toEqual({ paths: 2, full: 1, partial: 0, none: 1, met: 0 });
    expect(made.conditions("low").toSorted()).toEqual([
      "Gateway/g1: Accepted=True/Accepted Enforced=False/Overridden",
      "Gateway/g2: Accepted=True/Accepted Enforced=True/Enforced",
    ]);
    // The route says it for each parent apart.
    expect(affectedLines(made).filter((line) => line.startsWith("HTTPRoute"))).toEqual([
      "HTTPRoute/r1 status.parents[g1]: top",
      "HTTPRoute/r1 status.parents[g2]: low",
    ]);
  });

  test("a policy that targets the Gateway and its route never overrides itself", () => {
    const made = contest(definition, [color("p", ["Gateway/g1", "HTTPRoute/r1"], { color: "red" })]);
    expect(made.outcome("p")).toBe("Enforced");
    expect(made.overridden("p")).toEqual({ by: [], at: [] });
    const above = contest(definition, [color("p", ["Gateway/g1", "HTTPRoute/r1"], { overrides: { color: "red" } })]);
    expect(above.outcome("p")).toBe("Enforced");
    expect(above.tally("p")).toEqual({ paths: 1, full: 1, partial: 0, none: 0, met: 0 });
  });

  test("it stands at both levels: a policy between them is overridden from below and not from above", () => {
    const made = contest(definition, [
      color("p", ["Gateway/g1", "HTTPRoute/r1#rule"], { defaults: { color: "red" } }),
      color("middle", "HTTPRoute/r1", { defaults: { color: "blue" } }),
    ]);
    // The section does not exist: only the Gateway is targeted, so the middle wins.
    expect(made.spec("Service/b1")).toEqual({ color: "blue" });
    const named = cluster(
      [
        gateway("g1"),
        route("r1", "Gateway/g1", { rules: [{ name: "rule", backends: ["b1"] }] }),
        service("b1"),
        color("p", ["Gateway/g1", "HTTPRoute/r1#rule"], { defaults: { color: "red" } }),
        color("middle", "HTTPRoute/r1", { defaults: { color: "blue" } }),
      ],
      { definitions: [definition] },
    );
    expect(named.spec("Service/b1")).toEqual({ color: "red" });
    expect(named.outcome("middle")).toBe("Overridden by p");
    expect(named.outcome("p")).toBe("Enforced");
  });

  test("a policy that takes effect at a setting is not overridden there by what its other block says", () => {
    const made = cluster(
      [
        gateway("g1"),
        route("r1", "Gateway/g1", { rules: [{ name: "rule", backends: ["b1"] }] }),
        service("b1"),
        color("p", "Gateway/g1", { defaults: { color: "red" }, overrides: { color: "blue" } }),
        color("q", "HTTPRoute/r1", { defaults: { color: "green" } }),
      ],
      { definitions: [colorPolicy({ merge: { blocks: "Combined" } })] },
    );
    expect(made.spec("Service/b1")).toEqual({ color: "blue" });
    expect(made.outcome("p")).toBe("Enforced");
    expect(made.outcome("q")).toBe("Overridden by p");
  });

  test("a policy without units changes nothing: an empty override does not wipe out what is below", () => {
    const made = contest(definition, [
      color("p1", "Gateway/g1", { overrides: {} }),
      color("p2", "HTTPRoute/r1", { color: "blue" }),
    ]);
    expect(made.spec("Service/b1")).toEqual({ color: "blue" });
    expect(made.outcome("p2")).toBe("Enforced");
  });

  test("a policy without units does not block a default", () => {
    const made = contest(definition, [
      color("p1", "Gateway/g1", { color: "red" }),
      color("p2", "HTTPRoute/r1", { defaults: {} }),
    ]);
    expect(made.spec("Service/b1")).toEqual({ color: "red" });
    expect(made.outcome("p1")).toBe("Enforced");
  });
});
