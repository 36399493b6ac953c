import { describe } from "vitest";
import { policy } from "../support/cluster/gateway-objects.ts";
import { directCluster } from "./direct-kind-cases.ts";
import { namedCases } from "./named-kind-cases.ts";
import { vendorCases } from "./vendor-cases.ts";

const group = "consul.hashicorp.com";
const controller = "consul.hashicorp.com/gateway-controller";
const jwt = (name: string) => ({ override: { jwt: { providers: [{ name }] } } });
const listenerPolicy = (name: string, on: string, created = 0) =>
  policy("GatewayPolicy", name, on, jwt(name), { group, created });

describe("Consul: GatewayPolicy of a listener", () => {
  vendorCases(directCluster(controller), [
    {
      what: "it takes effect on its listener only",
      objects: [listenerPolicy("p", "Gateway/g#a")],
      effective: { "Gateway/g#a": jwt("p"), "Gateway/g#b": {} },
      outcomes: { p: "Enforced" },
    },
    {
      what: "without sectionName it has no effect",
      objects: [listenerPolicy("p", "Gateway/g")],
      outcomes: { p: "TargetNotFound" },
      findings: { p: ["SectionRequired"] },
    },
    {
      what: "of two on one listener the oldest takes effect",
      objects: [listenerPolicy("new", "Gateway/g#a", 1), listenerPolicy("old", "Gateway/g#a")],
      effective: { "Gateway/g#a": jwt("old") },
      outcomes: { new: "Conflicted by old" },
    },
    {
      what: "a listener that does not exist",
      objects: [listenerPolicy("p", "Gateway/g#z")],
      outcomes: { p: "TargetNotFound" },
    },
  ]);
});

describe("Consul: filters of rules", () => {
  vendorCases(
    [],
    ["RouteAuthFilter", "RouteRetryFilter", "RouteTimeoutFilter"].flatMap((kind) =>
      namedCases({ group, kind, controller, by: "Filter" }),
    ),
  );
});
