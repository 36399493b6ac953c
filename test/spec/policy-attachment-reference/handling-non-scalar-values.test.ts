/** Policy attachment reference, "Handling non-scalar values" */
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/model/json.ts";
import { cluster } from "../../support/cluster/cluster.ts";
import { gateway, route } from "../../support/cluster/gateway-objects.ts";
import { filteredRoute, retryFilter, retryOnPolicy } from "./acme-policies.ts";

/** What becomes of the filters of `HTTPRoute appns/example`, in their order. */
const filtersAfter = (filters: readonly JsonObject[], ...policies: readonly JsonObject[]) =>
  cluster([gateway("example", { namespace: "appns" }), filteredRoute(...filters), ...policies], {
    definitions: ["retry-on-policy-filter"],
  })
    .fields("HTTPRoute/appns/example")
    .map(({ spec }) => spec["retryOn"] ?? []);

describe("Handling non-scalar values", () => {
  const defaults = retryOnPolicy("retryon5xx", "Gateway/example", { defaults: { retryOn: ["501", "502", "503"] } });
  const overrides = retryOnPolicy("retryon5xx", "Gateway/example", { overrides: { retryOn: ["501", "503"] } });

  for (const [what, filter, byDefault] of [
    ["does not set the field", retryFilter(), ["501", "502", "503"]],
    ["sets the empty list", retryFilter([]), ["501", "502", "503"]],
    ["sets any other value: it remains, these values are not merged", retryFilter(["418"]), ["418"]],
  ] as const) {
    test(`default, the filter ${what}`, () => {
      expect(filtersAfter([filter], defaults)).toEqual([byDefault]);
    });

    test(`override, no matter what the value is: the filter ${what}`, () => {
      expect(filtersAfter([filter], overrides)).toEqual([["501", "503"]]);
    });
  }

  test("HTTPRoutes that use the RetryFilter: no filter, no effect", () => {
    expect(filtersAfter([{ type: "Other" }], overrides)).toEqual([]);
  });

  test("HTTPRoutes that use the RetryFilter: others are not affected, and are no paths of the policy", () => {
    const inNamespace = (name: string, ...filters: readonly JsonObject[]) =>
      route(name, "Gateway/example", { namespace: "appns", rules: [{ fields: { filters } }] });
    const made = cluster(
      [
        gateway("example", { namespace: "appns" }),
        inNamespace("with", retryFilter()),
        inNamespace("without", { type: "Other" }),
        overrides,
      ],
      { definitions: ["retry-on-policy-filter"] },
    );
    expect(made.chains()).toEqual(["Namespace/appns > Gateway/appns/example > HTTPRoute/appns/with"]);
    expect(made.tally("appns/retryon5xx").paths).toBe(1);
    expect(made.affectedBy("HTTPRoute/appns/without")).toEqual([]);
    expect(made.affectedBy("HTTPRoute/appns/with")).toEqual(["appns/retryon5xx"]);
  });
});
