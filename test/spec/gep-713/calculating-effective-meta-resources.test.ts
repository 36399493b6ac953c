/** GEP-713, "Abstract process for calculating Effective meta resources" */
import { describe, expect, test } from "vitest";
import { cluster } from "../../support/cluster/cluster.ts";
import { fruit, policy } from "../../support/cluster/gateway-objects.ts";
import { chainOfKinds, policyKind } from "../../support/cluster/policy-kind.ts";
import { color, colorPolicy, paths, topology } from "./color-policies.ts";

describe("Abstract process for calculating Effective meta resources", () => {
  const kinds = ["Alpha", "Beta", "Gamma"];
  const definition = policyKind("MetaPolicy", {
    targets: kinds,
    ends: ["Gamma"],
    ...chainOfKinds(kinds),
    merge: { granularity: { default: "Patch", field: "strategy", values: {} } },
  });
  const child = (kind: string, name: string) => ({ kind, name });
  const objects = [
    fruit("Alpha/a1", { children: [child("Beta", "b1"), child("Beta", "b2")] }),
    fruit("Beta/b1", { children: [child("Gamma", "c1")] }),
    fruit("Beta/b2", { children: [child("Gamma", "c1"), child("Gamma", "c2")] }),
    fruit("Gamma/c1"),
    fruit("Gamma/c2"),
  ];
  const made = cluster(
    [
      ...objects,
      policy("MetaPolicy", "m1", "Alpha/a1", { one: 1, both: 1 }),
      policy("MetaPolicy", "m2", "Beta/b2", { two: 2, both: 2 }),
    ],
    { definitions: [definition] },
  );

  test("a1 > (b1 > c1, b2 > (c1, c2)) has three contexts", () => {
    expect(made.paths().toSorted()).toEqual([
      "Alpha/a1 > Beta/b1 > Gamma/c1",
      "Alpha/a1 > Beta/b2 > Gamma/c1",
      "Alpha/a1 > Beta/b2 > Gamma/c2",
    ]);
  });

  for (const [context, contributors, spec] of [
    ["Alpha/a1 > Beta/b1 > Gamma/c1", ["m1"], { one: 1, both: 1 }],
    ["Alpha/a1 > Beta/b2 > Gamma/c1", ["m1", "m2"], { one: 1, two: 2, both: 2 }],
    ["Alpha/a1 > Beta/b2 > Gamma/c2", ["m1", "m2"], { one: 1, two: 2, both: 2 }],
  ] as const) {
    test(`${context} is augmented by ${contributors.join(" + ")}`, () => {
      expect(made.contributors(context)).toEqual(contributors);
      expect(made.spec(context)).toEqual(spec);
    });
  }

  test("m1 takes effect in part on two of its three paths", () => {
    expect(made.tally("m1")).toEqual({ paths: 3, full: 1, partial: 2, none: 0, met: 0 });
    expect(made.overridden("m1")).toEqual({ by: ["m2"], at: ["Gamma/c1", "Gamma/c2"] });
    expect(made.outcome("m2")).toBe("Enforced");
    expect(made.affectedBy("Beta/b1")).toEqual(["m1"]);
    expect(made.affectedBy("Gamma/c1")).toEqual(["m1", "m2"]);
  });
});

describe("Output order is defined", () => {
  test("the order of documents does not matter", () => {
    const documents = [
      ...topology(paths),
      ...["z", "a", "m"].map((name) => color(name, "Gateway/g1", { overrides: { color: name } }, { created: 1 })),
      color("p4", ["HTTPRoute/r4", "HTTPRoute/r1"], { color: "green" }),
    ];
    const forwards = cluster(documents, { definitions: [colorPolicy()] });
    const backwards = cluster(documents.toReversed(), { definitions: [colorPolicy()] });
    expect(backwards.effective()).toEqual(forwards.effective());
    expect(["z", "a", "m", "p4"].map((name) => backwards.verdictOf(name))).toEqual(
      ["z", "a", "m", "p4"].map((name) => forwards.verdictOf(name)),
    );
  });
});
