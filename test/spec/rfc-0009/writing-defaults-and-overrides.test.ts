/** RFC 9, "Writing D/O-enabled Kuadrant Policies" */
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/model/json.ts";
import { cluster } from "../../support/cluster/cluster.ts";
import { policy } from "../../support/cluster/gateway-objects.ts";
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
