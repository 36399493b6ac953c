import { describe } from "vitest";
import { policy } from "../support/cluster/gateway-objects.ts";
import { directCluster } from "./direct-kind-cases.ts";
import { namedCases } from "./named-kind-cases.ts";
import { statedCases, vendorCases } from "./vendor-cases.ts";

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
      effective: { "Gateway/g#a": {} },
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
      effective: { "Gateway/g#a": {} },
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

describe("Consul: listeners and their routes", () => {
  vendorCases(directCluster(controller), [
    {
      what: "policies on two listeners do not conflict",
      objects: [listenerPolicy("p", "Gateway/g#a"), listenerPolicy("q", "Gateway/g#b")],
      effective: { "Gateway/g#a": jwt("p"), "Gateway/g#b": jwt("q") },
      outcomes: { p: "Enforced", q: "Enforced" },
    },
    {
      what: "an HTTPRoute is no target",
      objects: [listenerPolicy("p", "HTTPRoute/r")],
      effective: { "Gateway/g#a": {} },
      outcomes: { p: "TargetNotFound" },
    },
    {
      what: "default and override are settings of one policy",
      objects: [
        policy(
          "GatewayPolicy",
          "p",
          "Gateway/g#a",
          { default: { jwt: { providers: [{ name: "x" }] } }, override: { jwt: { providers: [{ name: "y" }] } } },
          { group },
        ),
      ],
      effective: {
        "Gateway/g#a": {
          default: { jwt: { providers: [{ name: "x" }] } },
          override: { jwt: { providers: [{ name: "y" }] } },
        },
      },
      outcomes: { p: "Enforced" },
    },
    {
      what: "a policy in another namespace has no target here",
      objects: [policy("GatewayPolicy", "p", "Gateway/default/g#a", jwt("p"), { group, namespace: "team" })],
      effective: { "Gateway/g#a": {} },
      outcomes: { "team/p": "TargetNotFound" },
    },
  ]);
});

statedCases("consul");
