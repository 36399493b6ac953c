/** GEP-713, "Declared targets versus Effective targets" */
import { describe, expect, test } from "vitest";
import { cluster } from "../../support/cluster/cluster.ts";
import { routeTo } from "../../support/cluster/gateway-objects.ts";
import { color, colorPolicy, topology } from "./color-policies.ts";

describe("Declared targets versus Effective targets", () => {
  const objects = topology([
    ["g1", "r1", "b1"],
    ["g1", "r2", "b1"],
  ]);

  test("targeting a Gateway can be a way to augment the Gateway itself", () => {
    const made = cluster([...objects, color("p", "Gateway/g1", { color: "red" })], {
      definitions: [colorPolicy({ targets: ["Gateway"], ends: ["Gateway"] })],
    });
    expect(made.chains()).toEqual(["Gateway/g1"]);
    expect(made.affectedTargets("p")).toEqual(["Gateway/g1"]);
  });

  test("or a means to augment all HTTPRoutes attached to it, also one that is attached later", () => {
    const options = { definitions: [colorPolicy({ targets: ["Gateway"], ends: ["HTTPRoute"] })] };
    const policies = [color("p", "Gateway/g1", { color: "red" })];
    expect(cluster([...objects, ...policies], options).chains()).toEqual([
      "Gateway/g1 > HTTPRoute/r1",
      "Gateway/g1 > HTTPRoute/r2",
    ]);
    const later = cluster([...objects, ...policies, routeTo("r3", "Gateway/g1", "b1")], options);
    expect(later.spec("Gateway/g1 > HTTPRoute/r3")).toEqual({ color: "red" });
  });
});
