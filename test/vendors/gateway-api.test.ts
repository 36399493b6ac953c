import { describe } from "vitest";
import type { JsonObject } from "../../src/index.ts";
import { policy, route } from "../support/cluster/gateway-objects.ts";
import { directCluster, directKindCases } from "./direct-kind-cases.ts";
import { statedCases, vendorCases } from "./vendor-cases.ts";

const group = "gateway.networking.k8s.io";
const shared = directCluster("example.com/any");
const retries = (percent: number) => ({
  retryConstraint: { budget: { percent, interval: "10s" }, minRetryRate: { count: 10, interval: "1s" } },
});

describe("Gateway API: BackendLBPolicy of older clusters", () => {
  vendorCases(
    shared,
    directKindCases({
      group,
      kind: "BackendLBPolicy",
      target: "Service/s",
      wrong: "HTTPRoute/r",
      spec: { sessionPersistence: { sessionName: "a" } },
      other: { sessionPersistence: { sessionName: "b" } },
      ancestor: "Gateway/g",
    }),
  );
});

describe("Gateway API: XBackendTrafficPolicy", () => {
  vendorCases(
    shared,
    directKindCases({
      group: "gateway.networking.x-k8s.io",
      kind: "XBackendTrafficPolicy",
      target: "Service/s",
      wrong: "Gateway/g",
      spec: retries(20),
      other: retries(50),
      ancestor: "Gateway/g",
    }),
  );
});

describe("Gateway API: BackendTLSPolicy of a Service and of its ports", () => {
  const tls = (name: string, on: string, hostname: string, created = 0) =>
    policy("BackendTLSPolicy", name, [on], validation(hostname), { group, created });
  const validation = (hostname: string): JsonObject => ({
    validation: { hostname, wellKnownCACertificates: "System" },
  });
  const accepted = "Gateway/g: Accepted=True/Accepted Enforced=True/Enforced ResolvedRefs=True/ResolvedRefs";
  vendorCases(shared, [
    {
      what: "it takes effect on all ports of the Service, and its ancestors are the Gateways",
      objects: [tls("p", "Service/s", "a.example.com")],
      effective: { "Service/s#http": validation("a.example.com"), "Service/s#admin": validation("a.example.com") },
      outcomes: { p: "Enforced" },
      conditions: { p: [accepted] },
    },
    {
      what: "that of a port replaces that of the Service there",
      objects: [tls("p", "Service/s", "a.example.com"), tls("port", "Service/s#admin", "b.example.com", 1)],
      effective: { "Service/s#http": validation("a.example.com"), "Service/s#admin": validation("b.example.com") },
      outcomes: { p: "Enforced", port: "Enforced" },
    },
    {
      what: "of two on one Service the oldest takes effect",
      objects: [tls("new", "Service/s", "b.example.com", 1), tls("old", "Service/s", "a.example.com")],
      effective: { "Service/s#http": validation("a.example.com") },
      outcomes: { old: "Enforced", new: "Conflicted by old" },
    },
    {
      what: "of two of one age the first by name",
      objects: [tls("b", "Service/s#http", "b.example.com"), tls("a", "Service/s#http", "a.example.com")],
      effective: { "Service/s#http": validation("a.example.com") },
      outcomes: { a: "Enforced", b: "Conflicted by a" },
    },
    {
      what: "a port that does not exist",
      objects: [tls("p", "Service/s#metrics", "a.example.com")],
      effective: { "Service/s#http": {} },
      outcomes: { p: "TargetNotFound" },
    },
    {
      what: "a Service that no route uses",
      objects: [route("r", "Gateway/nowhere"), tls("p", "Service/absent", "a.example.com")],
      effective: { "Service/s#http": {} },
      outcomes: { p: "TargetNotFound" },
    },
  ]);
});

statedCases("gateway-api");
