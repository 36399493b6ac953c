import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/index.ts";
import { policy } from "../support/cluster/gateway-objects.ts";
import { vendorCases, vendorCluster } from "./vendor-cases.ts";

const group = "policy.linkerd.io";
const server = (name: string): JsonObject => ({
  apiVersion: `${group}/v1beta3`,
  kind: "Server",
  metadata: { name, namespace: "default" },
  spec: { podSelector: { matchLabels: { app: name } }, port: "http" },
});
const onServer = (name: string) => ({ group, kind: "Server", name });
const limit = (name: string, target: string, total: number, created = 0) =>
  policy(
    "HTTPLocalRateLimitPolicy",
    name,
    onServer(target),
    { total: { requestsPerSecond: total } },
    { group, created },
  );
const total = (requestsPerSecond: number) => ({ total: { requestsPerSecond } });

describe("Linkerd: HTTPLocalRateLimitPolicy of a Server", () => {
  vendorCases(
    [server("web"), server("api")],
    [
      {
        what: "it takes effect on its Server",
        objects: [limit("p", "web", 10)],
        effective: { "Server/web": total(10) },
        outcomes: { p: "Enforced" },
      },
      {
        what: "other Servers have no limit",
        objects: [limit("p", "web", 10)],
        effective: { "Server/api": {} },
      },
      {
        what: "of two on one Server the oldest takes effect",
        objects: [limit("new", "web", 20, 1), limit("old", "web", 10)],
        effective: { "Server/web": total(10) },
        outcomes: { old: "Enforced", new: "Conflicted by old" },
      },
      {
        what: "overrides is a list of limits for some clients, not a block",
        objects: [
          policy(
            "HTTPLocalRateLimitPolicy",
            "p",
            onServer("web"),
            {
              ...total(10),
              overrides: [{ requestsPerSecond: 5, clientRefs: [{ kind: "ServiceAccount", name: "a" }] }],
            },
            { group },
          ),
        ],
        effective: {
          "Server/web": {
            ...total(10),
            overrides: [{ requestsPerSecond: 5, clientRefs: [{ kind: "ServiceAccount", name: "a" }] }],
          },
        },
        outcomes: { p: "Enforced" },
      },
      {
        what: "a Server that does not exist",
        objects: [limit("p", "absent", 10)],
        outcomes: { p: "TargetNotFound" },
      },
      {
        what: "a Service is no target",
        objects: [policy("HTTPLocalRateLimitPolicy", "p", "Service/s", total(1), { group })],
        outcomes: { p: "TargetNotFound" },
      },
    ],
  );
});

describe("Linkerd: AuthorizationPolicies add up", () => {
  const allow = (name: string, target: JsonObject, who: string) =>
    policy(
      "AuthorizationPolicy",
      name,
      target,
      { requiredAuthenticationRefs: [{ kind: "MeshTLSAuthentication", name: who }] },
      { group },
    );
  const onNamespace = { group: "", kind: "Namespace", name: "default" };
  vendorCases(
    [server("web"), server("api")],
    [
      {
        what: "two on one Server both take effect",
        objects: [allow("a", onServer("web"), "x"), allow("b", onServer("web"), "y")],
        outcomes: { a: "Enforced", b: "Enforced" },
      },
      {
        what: "one on the namespace does not replace one on a Server",
        objects: [allow("a", onServer("web"), "x"), allow("b", onNamespace, "y")],
        outcomes: { a: "Enforced", b: "Enforced" },
      },
      {
        what: "a Server that does not exist is no target",
        objects: [allow("a", onServer("absent"), "x")],
        outcomes: { a: "TargetNotFound" },
      },
      {
        what: "equal policies are not in conflict",
        objects: [allow("a", onServer("web"), "x"), allow("b", onServer("web"), "x")],
        outcomes: { a: "Enforced", b: "Enforced" },
      },
    ],
  );
});

test("Linkerd: a kind that two groups have is listed once as a target", () => {
  const wrong = policy("AuthorizationPolicy", "p", "Gateway/g", {}, { group });
  const [finding] = vendorCluster([wrong]).findingsOn("p");
  expect(finding?.message).toContain("it can target: Namespace, Server, HTTPRoute, GRPCRoute");
});
