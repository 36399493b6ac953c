/** GEP-713 experimental, "Policy Attachment for Ingress" */
import { describe, expect, test } from "vitest";
import { cluster } from "../../support/cluster/cluster.ts";
import { gateway, policy, route, routeTo, service } from "../../support/cluster/gateway-objects.ts";
import { policyKind } from "../../support/cluster/policy-kind.ts";
import { cdnPolicy, inherited } from "./inherited-policies.ts";

describe("Policy Attachment for Ingress", () => {
  test("anyone that has access to create a policy in a namespace can attach it to any resource within that namespace", () => {
    const definition = policyKind("AnyPolicy", {
      targets: ["Gateway/Listener", "HTTPRoute/Rule", "Service/Port"],
      ends: ["Service/Port"],
      merge: inherited,
    });
    const made = cluster(
      [
        gateway("g"),
        route("r", "Gateway/g", { rules: [{ name: "rule", backends: ["s"] }] }),
        service("s"),
        ...["Gateway/g", "Gateway/g#http", "HTTPRoute/r", "HTTPRoute/r#rule", "Service/s", "Service/s#http"].map(
          (on, i) =>
            policy("AnyPolicy", `p${i}`, on, { defaults: { [`field${i}`]: on, last: on }, overrides: { first: on } }),
        ),
      ],
      { definitions: [definition] },
    );
    const at = "Gateway/g > Gateway/g#http > HTTPRoute/r > HTTPRoute/r#rule > Service/s > Service/s#http";
    expect(made.spec(at)).toEqual({
      field0: "Gateway/g",
      field1: "Gateway/g#http",
      field2: "HTTPRoute/r",
      field3: "HTTPRoute/r#rule",
      field4: "Service/s",
      field5: "Service/s#http",
      first: "Gateway/g",
      last: "Service/s#http",
    });
    // `first` passes from hand to hand on its way up: each is overridden by the next above; `last` stays with the lowest.
    expect([0, 1, 2, 3, 4, 5].map((i) => made.outcome(`p${i}`))).toEqual([
      "PartiallyEnforced by p5",
      "PartiallyEnforced by p0, p5",
      "PartiallyEnforced by p1, p5",
      "PartiallyEnforced by p2, p5",
      "PartiallyEnforced by p3, p5",
      "PartiallyEnforced by p4",
    ]);
  });

  test("each policy applies to the referenced resource and everything below it in terms of hierarchy", () => {
    const made = cluster(
      [
        gateway("one"),
        gateway("two"),
        routeTo("a", "Gateway/one"),
        routeTo("b", "Gateway/one"),
        routeTo("c", "Gateway/two"),
        cdnPolicy("p", "Gateway/one", { default: { cdn: { enabled: true } } }),
      ],
      { definitions: ["cdn-caching-policy"] },
    );
    expect(["a", "b", "c"].map((name) => made.spec(`HTTPRoute/${name}`))).toEqual([
      { cdn: { enabled: true } },
      { cdn: { enabled: true } },
      {},
    ]);
    expect(made.affectedTargets("p").filter((target) => !target.includes("#"))).toEqual([
      "Gateway/one",
      "HTTPRoute/a",
      "HTTPRoute/b",
    ]);
  });
});
