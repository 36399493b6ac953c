/** GEP-713, "Cross namespace references" */
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/model/json.ts";
import { cluster } from "../../support/cluster/cluster.ts";
import { referenceGrant } from "../../support/cluster/gateway-objects.ts";
import { color, colored, colorPolicy, gateways } from "./color-policies.ts";

describe("Cross namespace references", () => {
  const away = color("p", ["Gateway/other/foreign"], { color: "blue" });
  const granted = (crossNamespace: "Forbidden" | "ReferenceGrant", ...grants: readonly JsonObject[]) =>
    cluster([...gateways, away, ...grants], {
      definitions: [colorPolicy({ targets: ["Gateway"], ends: ["Gateway"], targeting: { crossNamespace } })],
    });
  const from = { group: "policies.controller.io", kind: "ColorPolicy", namespace: "default" };
  const to = { kind: "Gateway" };

  test("a kind opts in", () => {
    const made = granted("Forbidden", referenceGrant("grant", "other", { from, to }));
    expect(made.outcome("p")).toBe("TargetNotFound");
    expect(made.message("p")).toMatch(/namespace/);
  });

  test("with a ReferenceGrant", () => {
    const made = granted("ReferenceGrant", referenceGrant("grant", "other", { from, to }));
    expect(made.outcome("p")).toBe("Enforced");
    expect(made.spec("Gateway/other/foreign")).toEqual({ color: "blue" });
  });

  test("with a ReferenceGrant for that very name", () => {
    expect(
      granted("ReferenceGrant", referenceGrant("grant", "other", { from, to: { ...to, name: "foreign" } })).outcome(
        "p",
      ),
    ).toBe("Enforced");
  });

  for (const [name, inNamespace, ends] of [
    ["without one", "", undefined],
    ["one in the policy's namespace permits nothing", "default", { from, to }],
    ["one for another namespace", "other", { from: { ...from, namespace: "elsewhere" }, to }],
    ["one for another policy kind", "other", { from: { ...from, kind: "ShapePolicy" }, to }],
    ["one for another policy group", "other", { from: { ...from, group: "example.com" }, to }],
    ["one to another kind", "other", { from, to: { kind: "HTTPRoute" } }],
    ["one to another name", "other", { from, to: { ...to, name: "other" } }],
  ] as const) {
    test(`ReferenceGrant: ${name}`, () => {
      const made = granted(
        "ReferenceGrant",
        ...(ends === undefined ? [] : [referenceGrant("grant", inNamespace, ends)]),
      );
      expect(made.outcome("p")).toBe("TargetNotFound");
      expect(made.message("p")).toMatch(/ReferenceGrant/);
      expect(colored(made)).toEqual([]);
    });
  }
});
