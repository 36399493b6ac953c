/** GEP-713 experimental, "Merging into existing spec fields" */
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/model/json.ts";
import { cluster } from "../../support/cluster/cluster.ts";
import { gateway, policy, route } from "../../support/cluster/gateway-objects.ts";
import { policyKind } from "../../support/cluster/policy-kind.ts";
import { inherited } from "./inherited-policies.ts";

describe("Merging into existing `spec` fields", () => {
  /** The CDNCachingPolicy's fields, had the HTTPRoute grown them. */
  const definition = policyKind("CDNCachingPolicy", {
    targets: ["Gateway", "HTTPRoute"],
    ends: ["HTTPRoute"],
    merge: { ...inherited, atomicPaths: ["cdn.map"] },
    mapsTo: [{ from: "cdn", to: "HTTPRoute", path: "spec.cdn" }],
  });
  const merged = (own: JsonObject, spec: JsonObject) =>
    cluster(
      [
        gateway("g"),
        route("r", "Gateway/g", { spec: { cdn: own } }),
        policy("CDNCachingPolicy", "p", "Gateway/g", spec),
      ],
      { definitions: [definition] },
    );

  for (const [type, key, object, override] of [
    ["string", "key", "foo", "bar"],
    ["list", "key", ["a", "b"], ["c", "d"]],
    ["map[string]string", "map", { foo: "a", bar: "b" }, { foo: "c", bar: "d" }],
  ] as const) {
    test(`${type}: object ${JSON.stringify(object)}, override ${JSON.stringify(override)}`, () => {
      expect(merged({ [key]: object }, { override: { cdn: { [key]: override } } }).spec("HTTPRoute/r")).toEqual({
        cdn: { [key]: override },
      });
    });
  }

  test("values are defaulted if they were not specified in the object being controlled", () => {
    const made = merged(
      { cachePolicy: { includeHost: false } },
      { default: { cdn: { cachePolicy: { includeHost: true, includeProtocol: true } } } },
    );
    expect(made.spec("HTTPRoute/r")).toEqual({ cdn: { cachePolicy: { includeHost: false, includeProtocol: true } } });
    expect(made.sources("HTTPRoute/r")).toEqual({
      "/cdn/cachePolicy/includeHost": {
        held: "object HTTPRoute/r",
        by: "p defaults FieldDefaults",
        lost: ["p defaults true replaced"],
      },
      "/cdn/cachePolicy/includeProtocol": { held: "p defaults", by: "p defaults FieldDefaults", lost: [] },
    });
    expect(made.outcome("p")).toBe("PartiallyEnforced");
  });

  test("the values of the innermost scalar fields should overwrite the scalar fields in the affected object", () => {
    const made = merged(
      { cachePolicy: { a: 1, b: 2 }, enabled: false },
      { override: { cdn: { cachePolicy: { a: 9 }, enabled: true } } },
    );
    expect(made.spec("HTTPRoute/r")).toEqual({ cdn: { cachePolicy: { a: 9, b: 2 }, enabled: true } });
  });

  test("implementations should not copy any structs from the Policy object", () => {
    const made = merged({ cachePolicy: { a: 1 } }, { override: { cdn: { cachePolicy: { b: { c: 2 } } } } });
    expect(made.spec("HTTPRoute/r")).toEqual({ cdn: { cachePolicy: { a: 1, b: { c: 2 } } } });
  });
});
