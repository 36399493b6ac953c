import { expect, test } from "vitest";
import { routes, short } from "../../../../test/support/cluster/ask-how.ts";
import { type ClusterOptions, cluster } from "../../../../test/support/cluster/cluster.ts";
import { gateway, policy, route, routeTo, service } from "../../../../test/support/cluster/gateway-objects.ts";
import { policyKind } from "../../../../test/support/cluster/policy-kind.ts";
import { how } from "../../../index.ts";
import type { Json, JsonObject } from "../../model/json.ts";

function changes(
  objects: readonly unknown[],
  options: ClusterOptions,
  target: string,
  path: string,
  value: Json,
): readonly string[] {
  const { evaluation } = cluster(objects, options);
  const [answer] = how(evaluation, target, [{ path, value }])?.kinds ?? [];
  return answer?.changes.map(short) ?? [];
}

test("a kind that maps onto items of a list: every item of the route gets the value", () => {
  const filters = [
    { type: "RetryFilter", retryOn: ["5xx"] },
    { type: "RetryFilter", retryOn: ["reset"] },
  ];
  const objects = [
    gateway("g"),
    route("r", "Gateway/g", { rules: [{ fields: { filters } }, { fields: { filters: [filters[0] as JsonObject] } }] }),
    policy("RetryOnPolicy", "house", "Gateway/g", { default: { retryOn: ["x"] } }, { group: "networking.example.io" }),
  ];
  const found = changes(objects, { definitions: ["retry-on-policy-filter"] }, "httproute/r", "retryOn", ["502"]);
  expect(found).toEqual([
    "SetField r +0",
    "CreatePolicy r-retry-on overrides +0",
    "CreatePolicy g-retry-on overrides +0",
    "CreatePolicy default-retry-on overrides +0",
  ]);
});

test("a Direct kind: the policy of the target, or one on a port with what the other policy sets", () => {
  const definitions = [
    policyKind("DirectPolicy", { class: "Direct", targets: ["Service/Port"], ends: ["Service", "Service/Port"] }),
  ];
  const objects = [...routes(), policy("DirectPolicy", "p", "Service/s", { color: "red", size: 1 })];
  expect(changes(objects, { definitions }, "service/s", "color", "blue")).toEqual([
    "ChangeValue p bare +0",
    "CreatePolicy s-http-color bare +0",
  ]);
  expect(changes(objects, { definitions }, "service/t", "color", "blue")).toEqual([
    "CreatePolicy t-color bare +0",
    "CreatePolicy t-http-color bare +0",
  ]);
});

test("bare settings that count as Direct: on the effective target they take effect over an override", () => {
  const objects = [
    gateway("g"),
    routeTo("r", "Gateway/g"),
    policy(
      "AcmeServicePolicy",
      "house",
      "Gateway/g",
      { override: { cdn: { ttl: 5 } } },
      { group: "networking.example.net" },
    ),
  ];
  expect(changes(objects, { definitions: ["acme-service-policy"] }, "httproute/r", "cdn.ttl", 9)).toEqual([
    "CreatePolicy r-cdn bare +0",
    "ChangeValue house overrides +0",
  ]);
});

test("a mesh: the consumer's and the producer's requests both get the value", () => {
  const definitions = [
    policyKind("MeshPolicy", {
      targets: ["Service/Port"],
      ends: ["Service"],
      targeting: { crossNamespace: "Consumer" },
      merge: { granularity: { default: "Field", field: "strategy", values: {} } },
    }),
  ];
  const objects = [
    service("s", { namespace: "producer" }),
    policy("MeshPolicy", "theirs", "Service/producer/s", { defaults: { size: 1 } }, { namespace: "consumer" }),
  ];
  expect(changes(objects, { definitions }, "service/s", "size", 7)).toEqual(["CreatePolicy s-size defaults +0"]);
});
