/** RFC 9, "Writing D/O-enabled Kuadrant Policies" */
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/model/json.ts";
import { cluster } from "../../support/cluster/cluster.ts";
import { gateway, policy, route, service } from "../../support/cluster/gateway-objects.ts";
import {
  at,
  auth,
  authn,
  compared,
  effective,
  group,
  made,
  merge,
  network,
  sourcesOf,
  specOf,
} from "./compare-policies.ts";

describe("Writing D/O-enabled Kuadrant Policies", () => {
  test("processed in the order defaults, bare, overrides: non-empty defaults of the same policy replace bare rules", () => {
    const one = made(
      auth("gw", "Gateway/g", { defaults: authn({ a: "defaults" }), ...authn({ a: "bare", b: "bare" }) }),
    );
    expect(specOf(one)).toEqual(authn({ a: "defaults" }));
    // Legal, and reported as surprising.
    expect(one.findingsOn("gw")).not.toEqual([]);
    expect(one.verdictOf("gw").state).toBe("Accepted");
  });

  test("processed in the order defaults, bare, overrides: overrides come last", () => {
    expect(
      effective(
        auth("gw", "Gateway/g", {
          defaults: authn({ a: "defaults", b: "defaults" }),
          overrides: merge(authn({ a: "overrides" })),
        }),
      ),
    ).toEqual(authn({ a: "overrides", b: "defaults" }));
    expect(
      effective(
        auth("gw", "Gateway/g", { ...authn({ a: "bare", b: "bare" }), overrides: merge(authn({ a: "overrides" })) }),
      ),
    ).toEqual(authn({ a: "overrides", b: "bare" }));
  });

  test("bare rules are treated indistinctively as another block of defaults", () => {
    const both = compared(authn({ a: "gw", b: "gw" }), authn({ a: "rt" }));
    expect(specOf(both)).toEqual(authn({ a: "rt" }));
    expect(sourcesOf(both)["/rules/authentication/a"]).toEqual({
      held: "rt bare",
      by: "gw bare AtomicDefaults",
      lost: ['gw bare "gw" replaced by rt'],
    });
  });

  test("all three blocks of a higher policy meet the lower one in this order", () => {
    const both = compared(
      {
        defaults: merge(authn({ d: "defaults", x: "defaults" })),
        ...authn({ b: "bare" }),
        overrides: merge(authn({ o: "overrides", y: "overrides" })),
      },
      authn({ x: "rt", y: "rt" }),
    );
    // The bare rules are atomic defaults: the result is not empty, so they are not taken.
    expect(specOf(both)).toEqual(authn({ d: "defaults", x: "rt", o: "overrides", y: "overrides" }));
  });

  test("Inherited Policies that declare an intent: without any other policy the behavior equals the intent", () => {
    expect(specOf(made(auth("rt", "HTTPRoute/r", authn({ a: "R" }))))).toEqual(authn({ a: "R" }));
    expect(specOf(made(auth("gw", "Gateway/g", authn({ a: "G" }))))).toEqual(authn({ a: "G" }));
  });

  test("Inherited Policies that modify an intent: at the lowest level defaults and overrides affect indistinctively", () => {
    for (const block of ["defaults", "overrides"]) {
      expect(effective(auth("rt", "HTTPRoute/r", { [block]: authn({ a: "R" }) }))).toEqual(authn({ a: "R" }));
    }
  });

  test("several policies on one object: lower precedence is lower, too", () => {
    const older = auth("older", "HTTPRoute/r", { defaults: merge(authn({ a: "older", b: "older" })) }, 0);
    const newer = auth("newer", "HTTPRoute/r", { defaults: merge(authn({ a: "newer" })) }, 1);
    expect(effective(older, newer)).toEqual(authn({ a: "newer", b: "older" }));
  });

  test("Identifying inherited policy kinds: gateway.networking.k8s.io/policy: inherited", () => {
    const crd = {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: {
        name: "dnspolicies.kuadrant.example.io",
        labels: { "gateway.networking.k8s.io/policy": "inherited" },
      },
      spec: {
        group,
        scope: "Namespaced",
        names: { kind: "DNSPolicy", plural: "dnspolicies" },
        versions: [{ name: "v1", served: true, storage: true }],
      },
    };
    const on = (name: string, target: string, spec: JsonObject) => policy("DNSPolicy", name, target, spec, { group });
    // Instances implicitly declare an atomic set of defaults.
    const both = cluster([...network, crd, on("gw", "Gateway/g", { x: 1, y: 1 }), on("rt", "HTTPRoute/r", { x: 2 })]);
    expect(both.spec(at)).toEqual({ x: 2 });
    expect(both.outcome("gw")).toBe("Overridden by rt");
  });
});

describe("Kinds with other words for blocks, conditions and removals", () => {
  const definition = (words: JsonObject): JsonObject => ({
    apiVersion: "prevail.dev/v1alpha1",
    kind: "PolicyDefinition",
    metadata: { name: "limitpolicies.example.com" },
    spec: {
      policies: [{ group: "example.com", kind: "LimitPolicy" }],
      class: "Inherited",
      targeting: { kinds: ["Gateway", "HTTPRoute"] },
      hierarchy: { effectiveTargets: ["HTTPRoute"] },
      merge: { granularity: { default: "Merge" }, rules: ["limits"], words },
    },
  });

  const objects = [gateway("g"), route("r", "Gateway/g", { rules: [{ backends: ["s"] }] }), service("s")];
  const evaluate = (words: JsonObject, above: JsonObject, below: JsonObject) =>
    cluster([
      definition(words),
      ...objects,
      policy("LimitPolicy", "above", "Gateway/g", above),
      policy("LimitPolicy", "below", "HTTPRoute/r", below),
    ]);

  describe("Other words", () => {
    test("a word that is off names a setting: when may be a list of predicates, and default a field", () => {
      const when = [{ predicate: "request.method == 'GET'" }];
      const made = evaluate({ when: [] }, { defaults: { when, limits: { a: 1 } } }, { limits: { b: 2 } });
      expect(made.spec("HTTPRoute/r")).toEqual({ when, limits: { a: 1, b: 2 } });
      const off = evaluate(
        { defaults: [], overrides: [] },
        { default: { x: 1 }, overrides: [5] },
        { default: { y: 2 } },
      );
      expect(off.spec("HTTPRoute/r")).toEqual({ default: { x: 1, y: 2 }, overrides: [5] });
      expect(evaluate({}, { defaults: { when, limits: {} } }, {}).outcome("above")).toBe("Invalid");
    });

    test("a word that is renamed: the block, the condition and the removals have another name", () => {
      const words = { overrides: ["enforced"], when: ["where"], remove: ["without"] };
      const made = evaluate(
        words,
        { enforced: { limits: { a: 1 }, where: "has(spec.limits.b)" }, defaults: { limits: { c: 1 } } },
        { limits: { a: 2, b: 2 }, without: ["c"], remove: ["a setting"] },
      );
      expect(made.spec("HTTPRoute/r")).toEqual({ limits: { a: 1, b: 2 }, remove: ["a setting"] });
      expect(made.source("HTTPRoute/r", "/limits/a").held).toBe("above overrides");
      expect(made.outcome("below")).toBe("PartiallyEnforced by above");
    });

    test("two names of one block in a policy are a mistake, as with the usual names", () => {
      const made = evaluate({ defaults: ["base", "basis"] }, { base: {}, basis: {} }, {});
      expect(made.message("above")).toBe(
        "spec.basis: spec has both base and basis, two spellings of one block. Keep one of them.",
      );
    });
  });
});
