/** GEP-713, "Conflicting specs and Inheritance" */
import { describe, expect, test } from "vitest";
import { cluster } from "../../support/cluster/cluster.ts";
import { gateway, policy, routeTo } from "../../support/cluster/gateway-objects.ts";
import { policyKind } from "../../support/cluster/policy-kind.ts";
import { color } from "./color-policies.ts";

describe("Conflicting specs and Inheritance", () => {
  test("a policy on the GatewayClass affects all Gateways under it and all HTTPRoutes under those", () => {
    const definition = policyKind("ColorPolicy", {
      group: "policies.controller.io",
      scope: "Cluster",
      joined: [{ group: "policies.controller.io", kind: "LocalColorPolicy", scope: "Namespaced" }],
      targets: [
        {
          group: "gateway.networking.k8s.io",
          kind: "GatewayClass",
          sections: [],
          virtual: false,
          policies: ["ColorPolicy"],
        },
        "Gateway",
        "HTTPRoute",
      ],
      ends: ["HTTPRoute"],
    });
    const made = cluster(
      [
        gateway("g1", { class: "one" }),
        gateway("g2", { class: "one" }),
        gateway("g3", { class: "two" }),
        routeTo("r1", "Gateway/g1"),
        routeTo("r2", "Gateway/g2"),
        routeTo("r3", "Gateway/g3"),
        color("umbrella", "GatewayClass/one", { color: "red" }, { namespace: "", created: 9 }),
        policy(
          "LocalColorPolicy",
          "lower",
          "HTTPRoute/r2",
          { color: "blue" },
          { group: "policies.controller.io", created: 0 },
        ),
      ],
      { definitions: [definition] },
    );
    expect(["r1", "r2", "r3"].map((name) => made.spec(`HTTPRoute/${name}`))).toEqual([
      { color: "red" },
      { color: "blue" },
      {},
    ]);
    expect(made.outcome("umbrella")).toBe("PartiallyEnforced by lower");
    // Two of the three routes are under the umbrella; where no policy is, there is no effective policy.
    expect(made.chains("ColorPolicy").toSorted()).toEqual(["Gateway/g1 > HTTPRoute/r1", "Gateway/g2 > HTTPRoute/r2"]);
  });
});
