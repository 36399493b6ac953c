/** Policy attachment reference, "Target Reference API" */
import { describe, expect, test } from "vitest";
import { cluster } from "../../support/cluster/cluster.ts";
import { gateway, policy, routeTo } from "../../support/cluster/gateway-objects.ts";
import { acme, acmePolicy, ingress } from "./acme-policies.ts";

describe("Target Reference API", () => {
  test("a single targetRef: it MUST not target more than one resource at a time", () => {
    const made = cluster(
      [...ingress, gateway("h"), policy("AcmeServicePolicy", "two", ["Gateway/g", "Gateway/h"], { default: { x: 1 } })],
      { definitions: [acme] },
    );
    expect(made.outcome("two")).toBe("Invalid");
    expect(made.conditions("two")).toEqual(["Gateway/g: Accepted=False/Invalid", "Gateway/h: Accepted=False/Invalid"]);
  });

  test("it can be used to target larger resources that apply to multiple child resources", () => {
    const made = cluster(
      [...ingress, routeTo("q", "Gateway/g", "s"), acmePolicy("p", "Gateway/g", { default: { x: 1 } })],
      { definitions: [acme] },
    );
    expect(made.tally("p")).toEqual({ paths: 2, full: 2, partial: 0, none: 0, met: 0 });
  });
});
