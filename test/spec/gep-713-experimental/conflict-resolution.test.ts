/** GEP-713 experimental, "Conflict Resolution" */
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/model/json.ts";
import { cluster } from "../../support/cluster/cluster.ts";
import { gateway, routeTo } from "../../support/cluster/gateway-objects.ts";
import { policyKind } from "../../support/cluster/policy-kind.ts";
import { inherited, timeout, timeoutPolicy } from "./inherited-policies.ts";

describe("Conflict Resolution", () => {
  const made = (...policies: readonly JsonObject[]) => cluster([gateway("g"), ...policies], { definitions: [timeout] });

  test("Direct Policies override Inherited Policies, even their overrides, even older ones, and never mix", () => {
    const both = made(
      timeoutPolicy("above", "Namespace/default", { overrides: { x: "namespace", z: 1 } }, 0),
      timeoutPolicy("inherited", "Gateway/g", { overrides: { x: "inherited", y: 1 } }, 0),
      timeoutPolicy("direct", "Gateway/g", { x: "direct" }, 9),
    );
    expect(both.spec("Gateway/g")).toEqual({ x: "direct" });
    expect(both.outcome("direct")).toBe("Enforced");
    expect(both.outcome("inherited")).toMatch(/^Overridden by .*direct/);
    expect(both.outcome("above")).toBe("Overridden by direct");
  });

  test("a Direct policy takes effect on its own target only, not below it", () => {
    const both = cluster(
      [gateway("g"), routeTo("r", "Gateway/g"), timeoutPolicy("direct", "Gateway/g", { x: "direct" })],
      {
        definitions: [
          policyKind("TimeoutPolicy", { targets: ["Gateway", "HTTPRoute"], ends: ["HTTPRoute"], merge: inherited }),
        ],
      },
    );
    expect(both.spec("HTTPRoute/r")).toEqual({});
  });

  test("of two Direct policies the oldest is taken, whole", () => {
    const both = made(
      timeoutPolicy("a", "Gateway/g", { x: "newer", y: 1 }, 1),
      timeoutPolicy("z", "Gateway/g", { x: "older" }, 0),
    );
    expect(both.spec("Gateway/g")).toEqual({ x: "older" });
    expect(both.outcome("a")).toBe("Overridden by z");
  });

  test("inside Inherited Policies, the same setting in overrides beats the one in defaults", () => {
    const spec = { overrides: { x: "override" } };
    const other = { defaults: { x: "default" } };
    expect(
      made(timeoutPolicy("a", "Gateway/g", other, 0), timeoutPolicy("b", "Gateway/g", spec, 1)).spec("Gateway/g"),
    ).toEqual({ x: "override" });
    expect(
      made(timeoutPolicy("a", "Gateway/g", spec, 0), timeoutPolicy("b", "Gateway/g", other, 1)).spec("Gateway/g"),
    ).toEqual({ x: "override" });
  });

  for (const block of ["defaults", "overrides"] as const) {
    test(`the oldest Policy based on creation timestamp: ${block}`, () => {
      const both = made(
        timeoutPolicy("a", "Gateway/g", { [block]: { x: "newer" } }, 1),
        timeoutPolicy("b", "Gateway/g", { [block]: { x: "older" } }, 0),
      );
      expect(both.spec("Gateway/g")).toEqual({ x: "older" });
      expect(both.outcome("a")).toBe("Overridden by b");
    });

    test(`alphabetical order by {namespace}/{name}: ${block}, foo/bar before foo/baz`, () => {
      for (const names of [
        ["bar", "baz"],
        ["baz", "bar"],
      ]) {
        const policies = names.map((name) => timeoutPolicy(name, "Gateway/g", { [block]: { x: name } }, 0));
        expect(made(...policies).spec("Gateway/g")).toEqual({ x: "bar" });
      }
    });
  }

  test("fields that are not in conflict all take effect", () => {
    const both = made(
      timeoutPolicy("a", "Gateway/g", { overrides: { x: 1 } }, 0),
      timeoutPolicy("b", "Gateway/g", { overrides: { x: 2, y: 3 } }, 1),
    );
    expect(both.spec("Gateway/g")).toEqual({ x: 1, y: 3 });
    expect(both.outcome("b")).toBe("PartiallyEnforced by a");
  });
});
