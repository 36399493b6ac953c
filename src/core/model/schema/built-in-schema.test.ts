import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../json.ts";
import { objectSchemaOf } from "./built-in-schema.ts";
import { gatewayApiKinds } from "./gateway-api-schemas.ts";
import { judgeValue } from "./judge/judge-value.ts";

const group = "gateway.networking.k8s.io";
const problemsOf = (kind: string, version: string, spec: Json): readonly string[] =>
  judgeValue(objectSchemaOf({ group, kind, apiVersion: `${group}/${version}` }), {
    apiVersion: `${group}/${version}`,
    kind,
    metadata: { name: "x" },
    spec,
  }).problems.map(({ field }) => field);

const filter = (value: string): JsonObject => ({
  rules: [{ filters: [{ type: "RequestHeaderModifier", requestHeaderModifier: { set: [{ name: "a", value }] } }] }],
});
const backend = { backendRefs: [{ name: "b", port: 80 }] };

describe("objects are checked by the CRDs of Gateway API", () => {
  test.each<[string, string, string, Json, readonly string[]]>([
    ["the spec is required", "HTTPRoute", "v1", null, ["spec"]],
    ["a field with a default is not missing", "HTTPRoute", "v1", { rules: [{ matches: [{ path: {} }] }] }, []],
    ["a field of the experimental channel", "HTTPRoute", "v1", { useDefaultGateways: "All" }, []],
    ["a value that only the standard channel allows", "HTTPRoute", "v1", filter("a\tb "), []],
    [
      "a filter type that the CRDs do not list",
      "HTTPRoute",
      "v1",
      { rules: [{ filters: [{ type: "RetryFilter" }] }] },
      [],
    ],
    ["an unknown field", "HTTPRoute", "v1", { color: "red" }, []],
    ["an enum", "HTTPRoute", "v1", { rules: [{ matches: [{ method: "get" }] }] }, ["spec.rules[0].matches[0].method"]],
    ["a pattern", "HTTPRoute", "v1", { hostnames: ["Example.com"] }, ["spec.hostnames[0]"]],
    ["a bound of v1", "TCPRoute", "v1", { rules: [backend, backend] }, ["spec.rules"]],
    ["the bound of v1alpha2", "TCPRoute", "v1alpha2", { rules: [backend, backend] }, []],
    ["a version that the CRDs do not list", "GRPCRoute", "v1alpha2", { rules: 5 }, ["spec.rules"]],
  ])("%s", (_, kind, version, spec, fields) => {
    expect(problemsOf(kind, version, spec)).toEqual(fields);
  });

  test("every schema compiles", () => {
    for (const { group: own, kind, versions } of gatewayApiKinds()) {
      for (const version of versions) {
        const schema = objectSchemaOf({ group: own, kind, apiVersion: `${own}/${version}` });
        expect(schema.first.compiled.properties.length + schema.others().length).toBeGreaterThan(0);
      }
    }
  });
});
