/** GEP-713, "Targeting virtual types" */
import { describe, expect, test } from "vitest";
import { cluster } from "../../support/cluster/cluster.ts";
import { color, colorPolicy } from "./color-policies.ts";

describe("Targeting virtual types", () => {
  test("Targeting virtual types", () => {
    const virtual = colorPolicy({
      targets: [{ group: "networking.acme.io", kind: "ExternalService", sections: [], virtual: true, policies: [] }],
      ends: ["ExternalService"],
    });
    const made = cluster([color("my-color-policy", "ExternalService/foo.com", { rules: { color: "blue" } })], {
      definitions: [virtual],
    });
    expect(made.spec("ExternalService/foo.com")).toEqual({ rules: { color: "blue" } });
    expect(made.outcome("my-color-policy")).toBe("Enforced");
  });

  test.each(["x#y", "x/y", "x".repeat(254)])("Targeting virtual types: %s is no name", (name) => {
    const virtual = colorPolicy({
      targets: [{ group: "networking.acme.io", kind: "ExternalService", sections: [], virtual: true, policies: [] }],
      ends: ["ExternalService"],
    });
    const target = { group: "networking.acme.io", kind: "ExternalService", name };
    const made = cluster([color("p", target, { color: "blue" })], { definitions: [virtual] });
    expect(made.outcome("p")).toBe("TargetNotFound");
    expect(made.effective()).toEqual([]);
    expect(made.findingsOn("p").map(({ code, field }) => [code, field])).toEqual([
      ["InvalidTarget", "spec.targetRef.name"],
    ]);
    expect(made.message("p")).toContain("a name has at most 253 characters, without '/' and '#'");
  });
});
