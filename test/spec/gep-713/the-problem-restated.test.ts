/** GEP-713, "The Problem, restated" */
import { describe, expect, test } from "vitest";
import { apply } from "../../../src/index.ts";
import { cluster } from "../../support/cluster/cluster.ts";
import { gateway, policy, route } from "../../support/cluster/gateway-objects.ts";
import { policyKind } from "../../support/cluster/policy-kind.ts";

describe("The Problem, restated", () => {
  /** The parable: a forgotten policy sets retries for the whole namespace. */
  const retries = policyKind("RetryPolicy", {
    targets: ["Namespace", "HTTPRoute"],
    ends: ["HTTPRoute"],
    namespacesAbove: ["HTTPRoute"],
  });
  const namespaced = { namespace: "baker" };
  const objects = [
    gateway("g", namespaced),
    ...["baker", "mixer", "oven"].map((name) => route(name, "Gateway/g", namespaced)),
    policy("RetryPolicy", "whole-namespace", "Namespace/baker", { attempts: 3 }, namespaced),
    policy("RetryPolicy", "oven-only", "HTTPRoute/oven", { attempts: 1 }, namespaced),
  ];
  const made = cluster(objects, { definitions: [retries] });

  test("that some policy is affecting a particular object, and which", () => {
    expect(made.affectedBy("HTTPRoute/baker/baker")).toEqual(["baker/whole-namespace"]);
    expect(made.affectedBy("HTTPRoute/baker/oven")).toEqual(["baker/oven-only"]);
  });

  test("what settings in the policy are affecting the object", () => {
    expect(made.spec("HTTPRoute/baker/baker")).toEqual({ attempts: 3 });
    expect(made.source("HTTPRoute/baker/baker", "/attempts").held).toBe("baker/whole-namespace bare");
  });

  test("how many things does this policy affect?", () => {
    expect(made.tally("baker/whole-namespace")).toEqual({ paths: 3, full: 2, partial: 0, none: 1, met: 0 });
  });

  test("what would change if it went: seen before deleting it", () => {
    const ref = { group: "example.com", kind: "RetryPolicy", namespace: "baker", name: "whole-namespace" };
    const { delta } = apply(made.evaluation, [{ delete: ref }]);
    expect(
      delta.effective.map(({ target, before, after }) => [target.split("/").at(-1), before?.spec, after?.spec]),
    ).toEqual([
      ["baker", { attempts: 3 }, undefined],
      ["mixer", { attempts: 3 }, undefined],
      ["oven", { attempts: 1 }, { attempts: 1 }],
    ]);
    expect(made.spec("HTTPRoute/baker/baker")).toEqual({ attempts: 3 });
  });
});
