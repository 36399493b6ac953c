/** Policy attachment reference, "Policy Boilerplate" */
import { describe, expect, test } from "vitest";
import { cluster } from "../../support/cluster/cluster.ts";
import { acme, acmePolicy, acmeSpec, ingress } from "./acme-policies.ts";

describe("Policy Boilerplate", () => {
  test("a policy that omits both Override and Default is Direct: its own target, not what lies below", () => {
    const direct = cluster([...ingress, acmePolicy("p", "Service/s", { x: 1 })], { definitions: [acme] });
    expect(direct.spec("Service/s")).toEqual({ x: 1 });
    const above = cluster([...ingress, acmePolicy("p", "Gateway/g", { x: 1 })], { definitions: [acme] });
    expect(above.spec("Service/s")).toEqual({});
    expect(above.outcome("p")).toBe("NoPath");
  });

  test("Inherited Policy Attachment includes one or both", () => {
    for (const spec of [{ default: { x: 1 } }, { override: { x: 1 } }, { default: { x: 0 }, override: { x: 1 } }]) {
      expect(acmeSpec(acmePolicy("p", "Gateway/g", spec))).toEqual({ x: 1 });
    }
  });
});
