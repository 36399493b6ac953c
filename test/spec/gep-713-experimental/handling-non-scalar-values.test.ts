/** GEP-713 experimental, "Handling non-scalar values" */
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/model/json.ts";
import { cluster } from "../../support/cluster/cluster.ts";
import { gateway, policy } from "../../support/cluster/gateway-objects.ts";
import { exampleRoute } from "./inherited-policies.ts";

const retryOnPolicy = (name: string, on: string, spec: JsonObject, created = 0) =>
  policy("RetryOnPolicy", name, on, spec, { group: "field.networking.example.io", namespace: "appns", created });

describe("Handling non-scalar values", () => {
  const routeAfter = (own: readonly string[] | undefined, spec: JsonObject) =>
    cluster(
      [
        gateway("example", { namespace: "appns" }),
        exampleRoute(own),
        retryOnPolicy("retryon5xx", "Gateway/example", spec),
      ],
      {
        definitions: ["retry-on-policy-field"],
      },
    ).spec("HTTPRoute/appns/example");
  const codes = { retryOn: ["501", "502", "503"] };

  for (const [what, own, byDefault] of [
    ["does not set the field", undefined, codes],
    ["sets the empty list", [], codes],
    ["sets any other value: it remains, these values are not merged", ["418", "501"], { retryOn: ["418", "501"] }],
  ] as const) {
    test(`default, the HTTPRoute ${what}`, () => {
      expect(routeAfter(own, { defaults: codes })).toEqual(byDefault);
    });

    test(`override, no matter what the value is: the HTTPRoute ${what}`, () => {
      expect(routeAfter(own, { overrides: codes })).toEqual(codes);
    });
  }
});
