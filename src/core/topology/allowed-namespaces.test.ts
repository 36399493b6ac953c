import { describe, expect, test } from "vitest";
import { buildSnapshot, builtInDefinitions, evaluate, explain } from "../../index.ts";

const gateway = {
  apiVersion: "gateway.networking.k8s.io/v1",
  kind: "Gateway",
  metadata: { name: "g", namespace: "infra" },
  spec: {
    gatewayClassName: "c",
    listeners: [
      {
        name: "http",
        port: 80,
        protocol: "HTTP",
        allowedRoutes: { namespaces: { from: "Selector", selector: { matchLabels: { team: "bread" } } } },
      },
    ],
  },
};
const route = {
  apiVersion: "gateway.networking.k8s.io/v1",
  kind: "HTTPRoute",
  metadata: { name: "r", namespace: "bakery" },
  spec: { parentRefs: [{ name: "g", namespace: "infra" }], rules: [{}] },
};
const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "bakery" } };

describe("Gateway API › RouteNamespaces: a namespace that no selector matches", () => {
  test.each([
    ["with its object", [namespace], "which 'bakery' does not have"],
    ["without its object, which may have the labels", [], "and the labels of 'bakery' are not known"],
  ])("%s", (_, namespaces, reason) => {
    const snapshot = buildSnapshot([gateway, route, ...namespaces]);
    const evaluation = evaluate(snapshot, { definitions: builtInDefinitions() });
    const target = { group: "gateway.networking.k8s.io", kind: "HTTPRoute", namespace: "bakery", name: "r" };
    const explanation = explain(evaluation, target);
    expect(explanation?.refusals.map((refusal) => refusal.reason)).toEqual([
      `listener http of Gateway infra/g accepts routes only from namespaces with labels team=bread, ${reason}`,
    ]);
  });
});
