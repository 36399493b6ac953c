/** GEP-713, "Status needs to be namespaced by implementation" */
import { describe, expect, test } from "vitest";
import { cluster } from "../../support/cluster/cluster.ts";
import { policy } from "../../support/cluster/gateway-objects.ts";
import { color, colorPolicy, topology } from "./color-policies.ts";

describe("Status needs to be namespaced by implementation", () => {
  test("every entry carries the controller's name, and only its own kinds are reported", () => {
    const other = colorPolicy({ group: "other.io" });
    const made = cluster(
      [
        ...topology([["g1", "r1", "b1"]]),
        color("p", "Gateway/g1", { color: "red" }),
        policy("ColorPolicy", "q", "Gateway/g1", { color: "blue" }, { group: "other.io" }),
      ],
      { definitions: [colorPolicy(), other] },
    );
    const { policies, targets } = made.status({
      controllerName: "mine.io/controller",
      ownedKinds: [{ group: "policies.controller.io", kind: "ColorPolicy" }],
    });
    expect(policies.map(({ policy: id }) => id)).toEqual(["ColorPolicy.policies.controller.io/default/p"]);
    const names = [
      ...policies.flatMap(({ ancestors }) => ancestors.map(({ controllerName }) => controllerName)),
      ...targets.flatMap(({ location }) => (location.at === "Parent" ? [location.controllerName] : [])),
    ];
    expect(names).toEqual(["mine.io/controller", "mine.io/controller"]);
    expect(new Set(targets.flatMap(({ conditions }) => conditions.map(({ type }) => type)))).toEqual(
      new Set(["mine.io/ColorPolicyAffected"]),
    );
  });
});
