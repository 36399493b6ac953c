import { describe } from "vitest";
import { policy } from "../support/cluster/gateway-objects.ts";
import { directCluster, directKindCases } from "./direct-kind-cases.ts";
import { statedCases, vendorCases } from "./vendor-cases.ts";

const group = "alb.networking.azure.io";

describe("Azure Application Gateway for Containers", () => {
  vendorCases(directCluster("alb.networking.azure.io/alb-controller"), [
    ...directKindCases({
      group,
      kind: "HealthCheckPolicy",
      target: "Service/s",
      wrong: "Gateway/g",
      spec: { default: { interval: "5s" } },
      other: { default: { interval: "9s" } },
    }),
    ...directKindCases({
      group,
      kind: "RoutePolicy",
      target: "HTTPRoute/r",
      wrong: "Gateway/g",
      spec: { default: { timeouts: { routeTimeout: "5s" } } },
      other: { default: { timeouts: { routeTimeout: "9s" } } },
    }),
    ...directKindCases({
      group,
      kind: "FrontendTLSPolicy",
      target: "Gateway/g",
      at: "Gateway/g#a",
      wrong: "Service/s",
      spec: { default: { policyType: { type: "predefined" } } },
      other: { default: {} },
    }),
    {
      what: "BackendTLSPolicy of Azure and of Gateway API on one Service are two kinds",
      objects: [
        policy("BackendTLSPolicy", "azure", "Service/s", { default: { sni: "a" } }, { group }),
        policy(
          "BackendTLSPolicy",
          "core",
          ["Service/s"],
          { validation: { hostname: "b", wellKnownCACertificates: "System" } },
          { group: "gateway.networking.k8s.io" },
        ),
      ],
      kind: "BackendTLSPolicy",
      effective: {
        "Service/s#http": { validation: { hostname: "b", wellKnownCACertificates: "System" } },
      },
      outcomes: { azure: "Enforced", core: "Enforced" },
    },
    {
      what: "a FrontendTLSPolicy on a listener replaces the Gateway's there",
      objects: [
        policy("FrontendTLSPolicy", "g1", "Gateway/g", { default: { policyType: { name: "a" } } }, { group }),
        policy("FrontendTLSPolicy", "l1", "Gateway/g#a", { default: { policyType: { name: "b" } } }, { group }),
      ],
      effective: {
        "Gateway/g#a": { default: { policyType: { name: "b" } } },
        "Gateway/g#b": { default: { policyType: { name: "a" } } },
      },
      outcomes: { g1: "Enforced", l1: "Enforced" },
    },
    {
      what: "a listener that does not exist",
      objects: [policy("FrontendTLSPolicy", "p", "Gateway/g#z", { default: {} }, { group })],
      effective: { "Gateway/g#a": {} },
      outcomes: { p: "TargetNotFound" },
    },
    {
      what: "default and override are settings, not blocks: both are shown, with a caveat about override",
      objects: [policy("RoutePolicy", "p", "HTTPRoute/r", { default: { a: 1 }, override: { a: 2 } }, { group })],
      effective: { "HTTPRoute/r": { default: { a: 1 }, override: { a: 2 } } },
      outcomes: { p: "Enforced" },
    },
    {
      what: "a policy of each kind on one Service: they do not meet",
      objects: [
        policy("HealthCheckPolicy", "health", "Service/s", { default: { interval: "5s" } }, { group }),
        policy("BackendTLSPolicy", "tls", "Service/s", { default: { sni: "a" } }, { group }),
      ],
      kind: "HealthCheckPolicy",
      effective: { "Service/s": { default: { interval: "5s" } } },
      outcomes: { health: "Enforced", tls: "Enforced" },
    },
    {
      what: "of two of one age the first by name takes effect",
      objects: [
        policy("RoutePolicy", "b", "HTTPRoute/r", { default: { a: 2 } }, { group }),
        policy("RoutePolicy", "a", "HTTPRoute/r", { default: { a: 1 } }, { group }),
      ],
      effective: { "HTTPRoute/r": { default: { a: 1 } } },
      outcomes: { a: "Enforced", b: "Conflicted by a" },
    },
    {
      what: "one target only: a list of two is refused",
      objects: [policy("RoutePolicy", "p", ["HTTPRoute/r", "HTTPRoute/q"], { default: {} }, { group })],
      effective: { "HTTPRoute/r": {} },
      outcomes: { p: "Invalid" },
    },
    {
      what: "a target in another namespace is refused",
      objects: [policy("RoutePolicy", "p", "HTTPRoute/default/r", { default: {} }, { group, namespace: "team" })],
      effective: { "HTTPRoute/r": {} },
      outcomes: { "team/p": "TargetNotFound" },
    },
  ]);
});

statedCases("azure");
