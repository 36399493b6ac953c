import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/index.ts";
import { policy } from "../support/cluster/gateway-objects.ts";
import { statedCases, vendorCases, vendorCluster } from "./vendor-cases.ts";

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
        outcomes: { p: "Enforced" },
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
        effective: { "Server/web": {} },
        outcomes: { p: "TargetNotFound" },
      },
      {
        what: "a Service is no target",
        objects: [policy("HTTPLocalRateLimitPolicy", "p", "Service/s", total(1), { group })],
        effective: { "Server/web": {} },
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
  const requires = (who: string) => ({ requiredAuthenticationRefs: [{ kind: "MeshTLSAuthentication", name: who }] });
  const onNamespace = { group: "", kind: "Namespace", name: "default" };
  vendorCases(
    [server("web"), server("api")],
    [
      {
        what: "two on one Server both take effect",
        objects: [allow("a", onServer("web"), "x"), allow("b", onServer("web"), "y")],
        effective: {
          "Server/web": {
            "default/a": { requiredAuthenticationRefs: [{ kind: "MeshTLSAuthentication", name: "x" }] },
            "default/b": { requiredAuthenticationRefs: [{ kind: "MeshTLSAuthentication", name: "y" }] },
          },
        },
        outcomes: { a: "Enforced", b: "Enforced" },
      },
      {
        what: "one on the namespace takes effect on all its Servers, beside those of a Server",
        objects: [allow("a", onServer("web"), "x"), allow("b", onNamespace, "y")],
        effective: {
          "Server/web": { "default/a": requires("x"), "default/b": requires("y") },
          "Server/api": { "default/b": requires("y") },
        },
        outcomes: { a: "Enforced", b: "Enforced" },
      },
      {
        what: "a Server that does not exist is no target",
        objects: [allow("a", onServer("absent"), "x")],
        effective: { "Server/web": {} },
        outcomes: { a: "TargetNotFound" },
      },
      {
        what: "equal policies are not in conflict",
        objects: [allow("a", onServer("web"), "x"), allow("b", onServer("web"), "x")],
        effective: {
          "Server/web": {
            "default/a": { requiredAuthenticationRefs: [{ kind: "MeshTLSAuthentication", name: "x" }] },
            "default/b": { requiredAuthenticationRefs: [{ kind: "MeshTLSAuthentication", name: "x" }] },
          },
        },
        outcomes: { a: "Enforced", b: "Enforced" },
      },
    ],
  );
});

describe("Linkerd: ServerAuthorizations name a Server, or select Servers", () => {
  const allow = (name: string, to: JsonObject, namespace = "default"): JsonObject => ({
    apiVersion: `${group}/v1beta1`,
    kind: "ServerAuthorization",
    metadata: { name, namespace },
    spec: { server: to, client: { unauthenticated: true } },
  });
  const client = { client: { unauthenticated: true } };
  const labelled = (name: string, team: string): JsonObject => ({
    ...server(name),
    metadata: { name, namespace: "default", labels: { team } },
  });
  vendorCases(
    [labelled("web", "blue"), labelled("api", "red")],
    [
      {
        what: "a name without a kind is a Server",
        objects: [allow("p", { name: "web" })],
        effective: { "Server/web": { "default/p": client }, "Server/api": {} },
        outcomes: { p: "Enforced" },
      },
      {
        what: "a selector takes the Servers with its labels",
        objects: [allow("p", { selector: { matchLabels: { team: "red" } } })],
        effective: { "Server/api": { "default/p": client }, "Server/web": {} },
        outcomes: { p: "Enforced" },
      },
      {
        what: "an empty selector takes all Servers of the namespace",
        objects: [allow("p", { selector: {} })],
        effective: { "Server/api": { "default/p": client }, "Server/web": { "default/p": client } },
        outcomes: { p: "Enforced" },
      },
      {
        what: "several on one Server add up",
        objects: [allow("p", { name: "web" }), allow("q", { selector: { matchLabels: { team: "blue" } } })],
        effective: { "Server/web": { "default/p": client, "default/q": client } },
        outcomes: { p: "Enforced", q: "Enforced" },
      },
      {
        what: "Servers of another namespace are not meant",
        objects: [allow("p", { selector: {} }, "team"), allow("q", { name: "web" }, "team")],
        effective: { "Server/web": {} },
        outcomes: { "team/q": "TargetNotFound" },
      },
    ],
  );
});

test("Linkerd: a kind that two groups have is listed once as a target", () => {
  const wrong = policy("AuthorizationPolicy", "p", "Gateway/g", {}, { group });
  const [finding] = vendorCluster([wrong]).findingsOn("p");
  expect(finding?.message).toContain("it can target: Namespace, Server, HTTPRoute, GRPCRoute");
});

statedCases("linkerd");
