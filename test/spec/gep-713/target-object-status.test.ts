/** GEP-713, "Target object status" */
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/model/json.ts";
import { cluster } from "../../support/cluster/cluster.ts";
import { fruit, gateway, policy, routeTo, service } from "../../support/cluster/gateway-objects.ts";
import { chainOfKinds, policyKind } from "../../support/cluster/policy-kind.ts";
import { affectedLines, color, colorPolicy } from "./color-policies.ts";

describe("Target object status", () => {
  const definition = colorPolicy();
  const made = (...policies: readonly JsonObject[]) =>
    cluster([gateway("g1", { generation: 5 }), routeTo("r1", "Gateway/g1", "b1"), service("b1"), ...policies], {
      definitions: [definition],
    });

  test("a condition named <domain>/<Kind>Affected, with observedGeneration of the target's spec", () => {
    const { targets } = made(color("p", "Gateway/g1", { color: "red" })).status({
      controllerName: "colors.controller.k8s.io/color-controller",
    });
    expect(targets[0]).toEqual({
      object: "Gateway.gateway.networking.k8s.io/default/g1",
      location: { at: "Conditions" },
      conditions: [
        {
          type: "colors.controller.k8s.io/ColorPolicyAffected",
          status: "True",
          reason: "Affected",
          message: "affected by ColorPolicy default/p",
          observedGeneration: 5,
        },
      ],
    });
  });

  test("any objects affected: none that lies beside the path, none above the declared target", () => {
    const lines = affectedLines(made(color("p", "HTTPRoute/r1", { color: "red" })));
    expect(lines).toEqual(["HTTPRoute/r1 status.parents[g1]: p", "Service/b1 status.conditions: p"]);
  });

  test("objects that do not have status.conditions get an annotation instead", () => {
    const chain = chainOfKinds(["Orchard", "Tree"]);
    const fruits = policyKind("ColorPolicy", { ...chain, targets: ["Orchard"], ends: ["Tree"] });
    const objects = [fruit("Orchard/o", { children: [{ kind: "Tree", name: "t" }] }), fruit("Tree/t")];
    const lines = affectedLines(
      cluster([...objects, policy("ColorPolicy", "p", "Orchard/o", { color: "red" })], { definitions: [fruits] }),
    );
    expect(lines).toEqual(["Orchard/o metadata.annotations: p", "Tree/t metadata.annotations: p"]);
  });
});
