/** Names that are not valid Kubernetes names. */
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/model/json.ts";
import { cluster } from "../../support/cluster/cluster.ts";
import { gateway, policy, routeTo } from "../../support/cluster/gateway-objects.ts";
import { policyKind } from "../../support/cluster/policy-kind.ts";

describe("Hostile names", () => {
  test("__proto__, constructor and toString are names like any other", () => {
    const definition = policyKind("LocalPolicy", {
      targets: ["Gateway", "HTTPRoute"],
      ends: ["HTTPRoute"],
      merge: { granularity: { default: "Merge", field: "strategy", values: {} }, rules: ["rules"] },
    });
    const spec = JSON.parse('{"rules":{"__proto__":{"x":1},"constructor":{"x":2},"toString":{"x":3}}}') as JsonObject;
    const made = cluster([gateway("g"), routeTo("r", "Gateway/g"), policy("LocalPolicy", "p", "Gateway/g", spec)], {
      definitions: [definition],
    });
    expect(JSON.stringify(made.spec("HTTPRoute/r"))).toBe(
      '{"rules":{"__proto__":{"x":1},"constructor":{"x":2},"toString":{"x":3}}}',
    );
    expect(made.outcome("p")).toBe("Enforced");
  });
});
