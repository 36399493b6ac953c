import { describe } from "vitest";
import { policy } from "../support/cluster/gateway-objects.ts";
import { directCluster, directKindCases } from "./direct-kind-cases.ts";
import { vendorCases } from "./vendor-cases.ts";

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
      outcomes: { azure: "Enforced", core: "Enforced" },
    },
  ]);
});
