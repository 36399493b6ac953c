/** Policy attachment reference, "Interactions between defaults, overrides, and field values" */
import { describe, expect, test } from "vitest";
import { cluster, showSource } from "../../support/cluster/cluster.ts";
import { gateway, listener, route } from "../../support/cluster/gateway-objects.ts";
import { defineRetryOnTests } from "../../support/cluster/retry-on-tables.ts";
import { filteredRoute, retryFilter, retryOnPolicy } from "./acme-policies.ts";

describe("Interactions between defaults, overrides, and field values", () => {
  const onNamespace = retryOnPolicy("retryon5xx", "Namespace/appns", { defaults: { retryOn: ["501", "502", "503"] } });
  const routeIn = (namespace: string, parent: string) =>
    route("example", parent, { namespace, rules: [{ fields: { filters: [retryFilter()] } }] });

  test("a Namespace policy has the same effect as applying that Policy to every Gateway there", () => {
    const made = cluster(
      [
        gateway("one", { namespace: "appns", listeners: [listener("http", { from: "All" })] }),
        gateway("two", { namespace: "appns", listeners: [listener("http", { from: "All" })] }),
        gateway("three", { namespace: "infra", listeners: [listener("http", { from: "All" })] }),
        routeIn("appns", "Gateway/one"),
        // "the HTTPRoutes themselves may not necessarily be in the same namespace though"
        routeIn("elsewhere", "Gateway/appns/two"),
        // A route in the namespace of the policy, under a Gateway that is not: not reached.
        route("example3", "Gateway/infra/three", {
          namespace: "appns",
          rules: [{ fields: { filters: [retryFilter()] } }],
        }),
        onNamespace,
      ],
      { definitions: ["retry-on-policy-filter"] },
    );
    const codes = (path: string) => made.fields(path).map(({ spec }) => spec["retryOn"]);
    expect(codes("Namespace/appns > Gateway/appns/one > HTTPRoute/appns/example")).toEqual([["501", "502", "503"]]);
    expect(codes("Namespace/appns > Gateway/appns/two > HTTPRoute/elsewhere/example")).toEqual([["501", "502", "503"]]);
    expect(codes("Gateway/infra/three > HTTPRoute/appns/example3")).toEqual([]);
    expect(made.chains().filter((chain) => chain.includes("example3"))).toEqual([]);
    expect(made.tally("appns/retryon5xx")).toEqual({ paths: 2, full: 2, partial: 0, none: 0, met: 0 });
  });

  defineRetryOnTests({
    where: "RetryFilter",
    definition: "retry-on-policy-filter",
    group: "networking.example.io",
    routeWith: (codes) => filteredRoute(retryFilter(codes)),
    read: (made) => {
      const [only, ...others] = made.fields("HTTPRoute/appns/example");
      expect(others).toEqual([]);
      const source = only?.sources.find(({ pointer }) => pointer === "/retryOn");
      return {
        retryOn: only?.spec["retryOn"] ?? [],
        held: source === undefined ? "nobody" : showSource(source).held,
      };
    },
  });
});
