import { describe, expect, test } from "vitest";
import { gateway, gatewayClass, policy, routeTo, service } from "../support/cluster/gateway-objects.ts";
import { directCluster, directKindCases } from "./direct-kind-cases.ts";
import { namedCases } from "./named-kind-cases.ts";
import { vendorCases, vendorCluster } from "./vendor-cases.ts";

const group = "networking.gke.io";
const shared = directCluster("networking.gke.io/gateway");

describe("GKE: kinds on Services and Gateways, with settings below spec.default", () => {
  vendorCases(shared, [
    ...directKindCases({
      group,
      kind: "GCPBackendPolicy",
      target: "Service/s",
      wrong: "HTTPRoute/r",
      spec: { default: { timeoutSec: 40 } },
      other: { default: { timeoutSec: 50, logging: { enabled: true } } },
    }),
    ...directKindCases({
      group,
      kind: "HealthCheckPolicy",
      target: "Service/s",
      wrong: "Gateway/g",
      spec: { default: { checkIntervalSec: 5 } },
      other: { default: { checkIntervalSec: 9 } },
    }),
    ...directKindCases({
      group,
      kind: "GCPSessionAffinityPolicy",
      target: "Service/s",
      wrong: "Gateway/g",
      spec: { statefulGeneratedCookie: { cookieTtlSeconds: 50 } },
      other: { statefulGeneratedCookie: { cookieTtlSeconds: 60 } },
    }),
    ...directKindCases({
      group,
      kind: "GCPGatewayPolicy",
      target: "Gateway/g",
      wrong: "Service/s",
      spec: { default: { sslPolicy: "strict" } },
      other: { default: { allowGlobalAccess: true } },
    }),
    ...directKindCases({
      group,
      kind: "GCPTrafficDistributionPolicy",
      target: "Service/s",
      wrong: "Gateway/g",
      spec: { default: { localityLbAlgorithm: "LEAST_REQUEST" } },
      other: { default: { localityLbAlgorithm: "RANDOM" } },
    }),
    {
      what: "default is no block of defaults: it is part of the settings",
      objects: [policy("GCPBackendPolicy", "p", "Service/s", { default: { a: 1 } }, { group })],
      effective: { "Service/s": { default: { a: 1 } } },
    },
    {
      what: "a policy of each kind on one Service: they do not meet",
      objects: [
        policy("GCPBackendPolicy", "backend", "Service/s", { default: { a: 1 } }, { group }),
        policy("HealthCheckPolicy", "health", "Service/s", { default: { b: 1 } }, { group }),
      ],
      outcomes: { backend: "Enforced", health: "Enforced" },
    },
    {
      what: "one target only: a list of two is refused",
      objects: [policy("GCPBackendPolicy", "p", ["Service/s", "Service/t"], { default: {} }, { group }), service("t")],
      outcomes: { p: "Invalid" },
    },
  ]);

  test("behind a Gateway of another controller a GCPBackendPolicy takes no effect", () => {
    const objects = [
      gatewayClass("class", "example.com/other"),
      gateway("g"),
      routeTo("r", "Gateway/g", "s"),
      service("s"),
    ];
    const { outcome } = vendorCluster([
      ...objects,
      policy("GCPBackendPolicy", "p", "Service/s", { default: {} }, { group }),
    ]);
    expect(outcome("p")).toBe("NoPath");
  });
});

describe("filters of rules", () => {
  vendorCases(
    [],
    namedCases({ group, kind: "GCPSessionAffinityFilter", controller: "networking.gke.io/gateway", by: "Filter" }),
  );
});
