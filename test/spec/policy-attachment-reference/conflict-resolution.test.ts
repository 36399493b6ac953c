/** Policy attachment reference, "Conflict Resolution" */
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/model/json.ts";
import { cluster } from "../../support/cluster/cluster.ts";
import { gateway, policy } from "../../support/cluster/gateway-objects.ts";

describe("Conflict Resolution", () => {
  const at = (name: string, spec: JsonObject, created?: number, namespace = "foo") =>
    policy("TLSMinimumVersionPolicy", name, "Gateway/internet", spec, {
      group: "networking.example.io",
      namespace,
      ...(created === undefined ? {} : { created }),
    });
  const made = (...policies: readonly JsonObject[]) =>
    cluster([gateway("internet", { namespace: "foo" }), ...policies], { definitions: ["tls-minimum-version-policy"] });
  const version = (...policies: readonly JsonObject[]) => made(...policies).spec("Gateway/foo/internet");

  test("the same setting in overrides beats the one in defaults, whatever their age", () => {
    for (const [older, newer] of [
      ["defaults", "overrides"],
      ["overrides", "defaults"],
    ] as const) {
      expect(version(at("a", { [older]: { v: older } }, 0), at("b", { [newer]: { v: newer } }, 1))).toEqual({
        v: "overrides",
      });
    }
  });

  for (const block of ["defaults", "overrides"] as const) {
    test(`${block}: the oldest Policy based on creation timestamp (01:02:03 before 01:02:04)`, () => {
      // The older one is alphabetically last and comes last.
      expect(version(at("a", { [block]: { v: "04" } }, 1), at("z", { [block]: { v: "03" } }, 0))).toEqual({ v: "03" });
    });

    test(`${block}: then alphabetical order by {namespace}/{name}: foo/bar before foo/baz`, () => {
      const bar = at("bar", { [block]: { v: "bar" } }, 0);
      const baz = at("baz", { [block]: { v: "baz" } }, 0);
      expect(version(bar, baz)).toEqual({ v: "bar" });
      expect(version(baz, bar)).toEqual({ v: "bar" });
    });

    test(`${block}: three of an age in alphabetical order, by code units`, () => {
      const policies = ["a-b", "a.b", "aa"].map((name) => at(name, { [block]: { v: name } }, 5));
      expect(version(...policies.toReversed())).toEqual({ v: "a-b" });
      expect(version(...policies.slice(1).toReversed())).toEqual({ v: "a.b" });
    });

    test(`${block}: a policy without a creation timestamp is the newest`, () => {
      expect(version(at("a", { [block]: { v: "file" } }), at("z", { [block]: { v: "cluster" } }, 9))).toEqual({
        v: "cluster",
      });
    });
  }

  test("the overridden policies name the policy that overrides them", () => {
    const both = made(at("bar", { defaults: { v: 1 } }, 0), at("baz", { defaults: { v: 2, w: 3 } }, 0));
    expect(both.source("Gateway/foo/internet", "/v")).toEqual({
      held: "foo/bar defaults",
      by: "foo/baz defaults FieldDefaults",
      lost: ["foo/baz defaults 2 replaced by foo/bar"],
    });
    expect(both.outcome("foo/bar")).toBe("Enforced");
    expect(both.outcome("foo/baz")).toBe("PartiallyEnforced by foo/bar");
  });

  test("Direct Policies should never overlap Inherited Policies: where they do, the Direct one is taken whole", () => {
    const both = made(at("inherited", { overrides: { v: 1, w: 1 } }, 0), at("direct", { v: 2 }, 1));
    expect(both.spec("Gateway/foo/internet")).toEqual({ v: 2 });
    expect(both.source("Gateway/foo/internet", "/v")).toMatchObject({
      held: "foo/direct bare",
      lost: ["foo/inherited overrides 1 overridden by foo/direct"],
    });
    expect(both.outcome("foo/inherited")).toBe("Overridden by foo/direct");
    expect(both.outcome("foo/direct")).toBe("Enforced");
  });

  test("Policy Boilerplate: only a policy that omits both blocks is Direct; rules beside a block are defaults", () => {
    const both = made(at("top", { overrides: { v: 1 } }, 0), at("low", { defaults: { w: 1 }, v: 2 }, 1));
    expect(both.spec("Gateway/foo/internet")).toEqual({ v: 1, w: 1 });
    expect(both.outcome("foo/top")).toBe("Enforced");
    const removed = made(at("z", { defaults: { w: 1, v: 1 } }, 0), at("a", { remove: ["v"] }, 1));
    expect(removed.outcome("foo/a")).toBe("Enforced");
  });
});
