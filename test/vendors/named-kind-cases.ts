/** Cases that every kind without targets has: a filter of a rule names it, or a GatewayClass and a Gateway do. */
import type { JsonObject } from "../../src/index.ts";
import { gateway, gatewayClass, route } from "../support/cluster/gateway-objects.ts";
import type { VendorCase } from "./vendor-cases.ts";

interface NamedKind {
  readonly group: string;
  readonly kind: string;
  readonly controller: string;
  readonly by: "Filter" | "Parameters";
}

export function namedCases(one: NamedKind): readonly VendorCase[] {
  return one.by === "Filter" ? filterCases(one) : parameterCases(one);
}

const object = ({ group, kind }: NamedKind, name: string, spec: JsonObject): JsonObject => ({
  apiVersion: `${group}/v1`,
  kind,
  metadata: { name, namespace: "default" },
  spec,
});

function filterCases(one: NamedKind): readonly VendorCase[] {
  const { group, kind, controller } = one;
  const filter = (name: string): JsonObject => ({ type: "ExtensionRef", extensionRef: { group, kind, name } });
  const edge = (by: string) => [gatewayClass("class", by), gateway("g")];
  const ruled = (...names: readonly string[]) =>
    route("r", "Gateway/g", { rules: [{ name: "a", fields: { filters: names.map(filter) } }, { name: "b" }] });
  return [
    {
      what: `${kind}: it takes effect on the rule that names it, and on no other`,
      objects: [...edge(controller), ruled("p"), object(one, "p", { value: 1 })],
      kind,
      effective: { "HTTPRoute/r#a": { "default/p": { value: 1 } }, "HTTPRoute/r#b": {} },
      outcomes: { p: "Enforced" },
    },
    {
      what: `${kind}: two filters of one rule both take effect, in the order of the rule`,
      objects: [...edge(controller), ruled("q", "p"), object(one, "p", { value: 1 }), object(one, "q", { value: 2 })],
      kind,
      effective: { "HTTPRoute/r#a": { "default/p": { value: 1 }, "default/q": { value: 2 } } },
      order: { "HTTPRoute/r#a": ["q", "p"] },
      outcomes: { p: "Enforced", q: "Enforced" },
    },
    {
      what: `${kind}: one that no rule names takes no effect`,
      objects: [...edge(controller), ruled(), object(one, "p", { value: 1 })],
      kind,
      effective: { "HTTPRoute/r#a": {} },
      outcomes: { p: "NoPath" },
    },
    {
      what: `${kind}: a name without an object is a finding about the route`,
      objects: [...edge(controller), ruled("absent"), object(one, "p", { value: 1 })],
      kind,
      effective: { "HTTPRoute/r#a": {} },
      outcomes: { p: "NoPath" },
      findings: { r: ["NamedPolicyNotFound"] },
    },
  ];
}

function parameterCases(one: NamedKind): readonly VendorCase[] {
  const { group, kind, controller } = one;
  const ofClass: JsonObject = {
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "GatewayClass",
    metadata: { name: "class" },
    spec: { controllerName: controller, parametersRef: { group, kind, name: "house", namespace: "default" } },
  };
  const named = gateway("g");
  const ofGateway: JsonObject = {
    ...named,
    spec: {
      gatewayClassName: "class",
      listeners: [{ name: "http", port: 80, protocol: "HTTP" }],
      infrastructure: { parametersRef: { group, kind, name: "own" } },
    },
  };
  return [
    {
      what: `${kind}: that of the GatewayClass takes effect on its Gateways`,
      objects: [ofClass, named, object(one, "house", { a: 1 })],
      kind,
      effective: { "Gateway/g": { a: 1 } },
      outcomes: { house: "Enforced" },
    },
    {
      what: `${kind}: that of a Gateway is more specific than that of its GatewayClass`,
      objects: [ofClass, ofGateway, object(one, "house", { a: 1 }), object(one, "own", { a: 2 })],
      kind,
      effective: { "Gateway/g": { a: 2 } },
      outcomes: { house: "Overridden by own", own: "Enforced" },
    },
  ];
}
