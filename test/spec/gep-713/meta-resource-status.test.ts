/** GEP-713, "Meta resource status" */
import { describe, expect, test } from "vitest";
import { cluster } from "../../support/cluster/cluster.ts";
import { gateway, route, service } from "../../support/cluster/gateway-objects.ts";
import { affectedLines, color, colorPolicy, contest, topology } from "./color-policies.ts";

describe("Meta resource status", () => {
  const definition = colorPolicy();

  test("Accepted, but reaching nothing: a Gateway without routes", () => {
    const objects = [gateway("g"), color("p", "Gateway/g", { color: "red" })];
    const made = cluster(objects, { definitions: [definition], completeness: "Complete" });
    expect(made.outcome("p")).toBe("NoPath");
    expect(made.conditions("p")).toEqual(["Gateway/g: Accepted=True/Accepted Enforced=False/NoPath"]);
    expect(made.affectedTargets("p")).toEqual([]);
    const partial = cluster(objects, { definitions: [definition] });
    expect(partial.conditions("p")).toEqual(["Gateway/g: Accepted=True/Accepted Enforced=Unknown/Incomplete"]);
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

describe("Meta resource status: a parent that is not in the input", () => {
  const definition = colorPolicy();
  const absent = [route("r1", "Gateway/absent", { rules: [{ backends: ["b1"] }] }), service("b1")];
  const both = [
    gateway("g1"),
    route("r1", ["Gateway/g1", "Gateway/absent"], { rules: [{ backends: ["b1"] }] }),
    service("b1"),
  ];
  const p = color("p", "HTTPRoute/r1", { color: "red" });

  test("without a complete path it is not known whether the policy is enforced", () => {
    const made = cluster([...absent, p], { definitions: [definition] });
    expect(made.outcome("p")).toBe("Incomplete");
    expect(made.conditions("p")).toEqual(["Gateway/absent: Accepted=True/Accepted Enforced=Unknown/Incomplete"]);
    expect(made.tally("p")).toEqual({ paths: 1, full: 0, partial: 0, none: 0, met: 0 });
    expect(made.affectedTargets("p")).toEqual([]);
    expect(affectedLines(made)).toEqual([
      "Service/b1 status.conditions: example.com/ColorPolicyAffected=Unknown possibly by p: an object above is not in the input",
    ]);
  });

  test("else the verdict is that of the complete paths, and the others are counted", () => {
    const made = cluster([...both, p], { definitions: [definition] });
    expect(made.outcome("p")).toBe("Enforced");
    expect(made.tally("p")).toEqual({ paths: 2, full: 1, partial: 0, none: 0, met: 0 });
    expect(made.conditions("p").toSorted()).toEqual([
      "Gateway/absent: Accepted=True/Accepted Enforced=Unknown/Incomplete",
      "Gateway/g1: Accepted=True/Accepted Enforced=True/Enforced",
    ]);
    const top = color("top", "Gateway/g1", { overrides: { color: "blue" } });
    expect(cluster([...both, p, top], { definitions: [definition] }).outcome("p")).toBe("Overridden by top");
  });

  test("one severity for whatever kind is absent", () => {
    const made = cluster([...absent.slice(0, 1), color("q", "HTTPRoute/other", { color: "red" })], {
      definitions: [definition],
    });
    const ofAbsent = made.findings.filter(({ code }) => code.endsWith("NotFound"));
    expect(ofAbsent.map(({ code, severity }) => `${code} ${severity}`)).toEqual([
      "TargetNotFound info",
      "BackendNotFound info",
      "ParentNotFound info",
    ]);
  });

  test("what is absent from a complete input does not exist: no path, and an error", () => {
    const made = cluster([...absent, p], { definitions: [definition], completeness: "Complete" });
    expect(made.outcome("p")).toBe("NoPath");
    expect(made.paths()).toEqual([]);
    const [condition] = made.status().policies[0]?.ancestors[0]?.conditions.slice(1) ?? [];
    expect(condition?.message).toBe(
      "the target is not attached to a parent: spec.parentRefs[0]: no Gateway 'absent' in namespace 'default'",
    );
    expect(made.findings.find(({ code }) => code === "ParentNotFound")?.severity).toBe("error");
  });

  test("completeness is known by kind and namespace", () => {
    const gateways = { group: "gateway.networking.k8s.io", kind: "Gateway" };
    const outcome = (namespaces: "All" | readonly string[]): string =>
      cluster([...absent, p], { definitions: [definition], completeness: [{ ...gateways, namespaces }] }).outcome("p");
    expect([outcome("All"), outcome(["default"]), outcome(["other"])]).toEqual(["NoPath", "NoPath", "Incomplete"]);
  });
});
