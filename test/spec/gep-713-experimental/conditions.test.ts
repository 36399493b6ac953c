/** GEP-713 experimental, "Conditions" */
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/model/json.ts";
import { cluster } from "../../support/cluster/cluster.ts";
import { gateway, policy } from "../../support/cluster/gateway-objects.ts";
import { policyKind } from "../../support/cluster/policy-kind.ts";

describe("Conditions", () => {
  const direct = policyKind("DirectPolicy", { class: "Direct", targets: ["Gateway"], ends: ["Gateway"] });
  const directPolicy = (name: string, on: string, created: number, spec: JsonObject = { x: name }) =>
    policy("DirectPolicy", name, on, spec, { created });
  const made = cluster(
    [
      gateway("g"),
      directPolicy("accepted", "Gateway/g", 0),
      directPolicy("conflicted", "Gateway/g", 1),
      directPolicy("astray", "Gateway/nowhere", 2),
      policy("DirectPolicy", "untargeted", { kind: "Gateway" }, { x: 1 }, { created: 3 }),
    ],
    { definitions: [direct], completeness: "Complete" },
  );

  for (const [name, outcome] of [
    ["accepted", "Enforced"],
    ["conflicted", "Conflicted by accepted"],
    ["astray", "TargetNotFound"],
    ["untargeted", "Invalid"],
  ] as const) {
    test(`Accepted: ${name}`, () => {
      expect(made.outcome(name)).toBe(outcome);
    });
  }

  test("PolicyConditionAccepted: True with Accepted; False with Conflicted, Invalid, TargetNotFound, and then no other condition", () => {
    expect(made.conditions("accepted")).toEqual(["Gateway/g: Accepted=True/Accepted Enforced=True/Enforced"]);
    expect(made.conditions("conflicted")).toEqual(["Gateway/g: Accepted=False/Conflicted"]);
    expect(made.conditions("astray").map((line) => line.replace(/^.*: /, ""))).toEqual([
      "Accepted=False/TargetNotFound",
    ]);
    expect(made.conditions("untargeted").every((line) => line.endsWith(": Accepted=False/Invalid"))).toBe(true);
  });
});
