/** GEP-713 experimental, "Interactions between defaults, overrides, and field values" */
import { describe } from "vitest";
import { defineRetryOnTests } from "../../support/cluster/retry-on-tables.ts";
import { exampleRoute } from "./inherited-policies.ts";

describe("Interactions between defaults, overrides, and field values", () => {
  defineRetryOnTests({
    where: "HTTPRoute",
    definition: "retry-on-policy-field",
    group: "field.networking.example.io",
    routeWith: exampleRoute,
    read: (made) => {
      const effective = made.effectiveAt("HTTPRoute/appns/example");
      const source = made.sources("HTTPRoute/appns/example")["/retryOn"];
      return { retryOn: effective.spec["retryOn"] ?? [], held: source?.held ?? "nobody" };
    },
  });
});
