/**
 * Gateway API, "BackendObjectReference"
 * Gateway API, "BackendTLSPolicy"
 */
import { describe, expect, test } from "vitest";
import type { LinkRow } from "../../../src/core/model/definition.ts";
import type { JsonObject } from "../../../src/core/model/json.ts";
import { apply, builtInDefinitions, effectivePolicies } from "../../../src/index.ts";
import { cluster } from "../../support/cluster/cluster.ts";
import { gateway, gatewayClass, policy, route, service } from "../../support/cluster/gateway-objects.ts";
import { policyKind } from "../../support/cluster/policy-kind.ts";
import { under } from "./path-policies.ts";

describe("Kinds that are left to implementations are unknown, not invalid", () => {
  const made = (parents: readonly JsonObject[], ...backends: readonly JsonObject[]) =>
    under(
      ["Service"],
      gateway("g"),
      service("s"),
      route("r", [...parents], { rules: [{ fields: { backendRefs: backends.map((ref) => ({ port: 80, ...ref })) } }] }),
    );
  const g = { name: "g" };

  test.each([
    ["a ServiceImport", { group: "multicluster.x-k8s.io", kind: "ServiceImport", name: "x" }],
    ["a ServiceImport without its group, as some implementations take it", { kind: "ServiceImport", name: "x" }],
    ["a vendor's backend", { group: "gateway.example.io", kind: "Backend", name: "x" }],
    ["a kind of the experimental group", { group: "gateway.networking.x-k8s.io", kind: "XBackend", name: "x" }],
    ["another route", { group: "gateway.networking.k8s.io", kind: "HTTPRoute", name: "x" }],
  ])("%s as backend: the path ends there, with a note", (_, backend) => {
    const { chains, findingsOn } = made([g], backend, { name: "s" });
    expect(chains()).toEqual(["Gateway/g > HTTPRoute/r > Service/s"]);
    expect(findingsOn("r").map(({ code, severity, field }) => `${severity} ${code} ${field}`)).toEqual([
      "info ImplementationSpecificKind spec.rules[0].backendRefs[0]",
    ]);
  });

  test("as parent, too", () => {
    const { findingsOn } = made([{ group: "multicluster.x-k8s.io", kind: "ServiceImport", name: "x" }], { name: "s" });
    expect(findingsOn("r").map(({ code, severity }) => `${severity} ${code}`)).toEqual([
      "info ImplementationSpecificKind",
    ]);
  });

  test.each([
    ["a kind in another case", { kind: "service", name: "s" }],
    ["a known kind in another group", { group: "example.com", kind: "Service", name: "s" }],
    ["a kind that Gateway API does not have", { group: "gateway.networking.k8s.io", kind: "Backend", name: "s" }],
    ["a kind of the core group", { group: "", kind: "Bucket", name: "s" }],
  ])("a mistake stays one: %s", (_, backend) => {
    const { findingsOn } = made([g], backend);
    expect(findingsOn("r").map(({ code, severity }) => `${severity} ${code}`)).toEqual(["error InvalidKind"]);
  });

  const clusterTargeting = (target: JsonObject) =>
    cluster(
      [
        service("s"),
        {
          ...policy("BackendTLSPolicy", "p", "Service/s", {}, { group: "gateway.networking.k8s.io" }),
          spec: { targetRefs: [target], validation: { hostname: "s.example", wellKnownCACertificates: "System" } },
        },
      ],
      { definitions: builtInDefinitions() },
    );
  const targeting = (target: JsonObject) => clusterTargeting(target).findingsOn("p");

  test("a BackendTLSPolicy on one: a note", () => {
    const found = targeting({ group: "gateway.example.io", kind: "Backend", name: "x" });
    expect(found.map(({ code, severity, field }) => `${severity} ${code} ${field}`)).toEqual([
      "info ImplementationSpecificKind spec.targetRefs[0].kind",
    ]);
  });

  test("and whether it is accepted is not known", () => {
    const there = clusterTargeting({ group: "gateway.example.io", kind: "Backend", name: "x" });
    expect(there.conditions("p")).toEqual(["Backend/x: Accepted=Unknown/Incomplete"]);
  });

  test("a BackendTLSPolicy on a kind of Gateway API: a mistake", () => {
    const found = targeting({ group: "gateway.networking.k8s.io", kind: "Gateway", name: "x" });
    expect(found.map(({ code, severity }) => `${severity} ${code}`)).toEqual(["error KindNotAllowed"]);
  });

  test("the group `core` is the core group, as some vendors write it", () => {
    expect(targeting({ group: "core", kind: "Service", name: "s" })).toEqual([]);
  });
});

describe("Links that select: a definition says which references stand for several children (`hierarchy.links`): delegation between routes", () => {
  const HTTP_ROUTE = { group: "gateway.networking.k8s.io", kind: "HTTPRoute" };
  const delegating = (row: Partial<LinkRow> = {}) =>
    policyKind("TrafficPolicy", {
      targets: ["Gateway", "HTTPRoute"],
      ends: ["HTTPRoute/Rule"],
      links: [
        {
          from: { ...HTTP_ROUTE, section: "Rule" },
          to: HTTP_ROUTE,
          via: "ChildRefs",
          path: "backendRefs",
          grants: "NotNeeded",
          anyName: "*",
          byLabel: {
            group: "delegation.example.com",
            kind: "label",
            label: "delegation.example.com/label",
            allNamespaces: "all",
          },
          ...row,
        },
      ],
      merge: { granularity: { default: "Field", field: "strategy", values: {} } },
    });

  /** The route `top` delegates to what the reference selects; `one` and `two` are in namespace `team`, `other` is elsewhere. */
  const child = (name: string, namespace: string, label?: string): JsonObject => ({
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "HTTPRoute",
    metadata: {
      name,
      namespace,
      ...(label === undefined ? {} : { labels: { "delegation.example.com/label": label } }),
    },
    spec: { rules: [{ name: "rule" }] },
  });
  const top = (ref: JsonObject): JsonObject => ({
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "HTTPRoute",
    metadata: { name: "top", namespace: "default" },
    spec: { parentRefs: [{ name: "g" }], rules: [{ name: "rule", backendRefs: [ref] }] },
  });
  const routes = [child("one", "team", "red"), child("two", "team"), child("other", "away", "red")];
  const made = (ref: JsonObject, row?: Partial<LinkRow>) =>
    cluster(
      [
        gatewayClass("class"),
        gateway("g"),
        top(ref),
        ...routes,
        policy("TrafficPolicy", "p", "HTTPRoute/top", { x: 1 }),
      ],
      { definitions: [delegating(row)] },
    );
  const reached = (evaluation: ReturnType<typeof made>["evaluation"]) =>
    [...effectivePolicies(evaluation)].map(({ path }) => path.at(-1)?.name);
  const label = (name: string, namespace: string): JsonObject => ({
    group: "delegation.example.com",
    kind: "label",
    name,
    namespace,
  });

  test.each<[string, JsonObject, readonly string[]]>([
    ["one by its name, without a grant", { ...HTTP_ROUTE, name: "one", namespace: "team" }, ["one"]],
    ["every route of a namespace", { ...HTTP_ROUTE, name: "*", namespace: "team" }, ["one", "two"]],
    ["routes with a label in a namespace", label("red", "team"), ["one"]],
    ["routes with a label in all namespaces", label("red", "all"), ["other", "one"]],
    ["nothing: the rule itself is the end", label("blue", "all"), ["top"]],
    ["not the route itself", { ...HTTP_ROUTE, name: "*" }, ["top"]],
  ])("a reference to routes: %s", (_, ref, ends) => {
    expect(reached(made(ref).evaluation)).toEqual(ends);
  });

  test("a reference that selects nothing is reported", () => {
    const { findingsOn } = made(label("blue", "team"));
    expect(findingsOn("top").map(({ code, message }) => [code, message])).toEqual([
      ["BackendNotFound", "no other HTTPRoute in namespace 'team' with the label delegation.example.com/label=blue"],
    ]);
  });

  test("a route that selects every route of its namespace, and is the only one, selects nothing", () => {
    const { findingsOn } = made({ ...HTTP_ROUTE, name: "*" });
    expect(findingsOn("top").map(({ code, message }) => [code, message])).toEqual([
      ["BackendNotFound", "no other HTTPRoute in namespace 'default'"],
    ]);
  });

  test("with grants: a route in another namespace needs one", () => {
    const { evaluation } = made({ ...HTTP_ROUTE, name: "*", namespace: "team" }, { grants: "Needed" });
    expect(reached(evaluation)).toEqual(["top"]);
  });

  test("a new route, and a label that changes", () => {
    const all = made({ ...HTTP_ROUTE, name: "*", namespace: "team" }).evaluation;
    expect(reached(apply(all, [{ upsert: child("three", "team") }]).evaluation)).toEqual(["one", "three", "two"]);
    const labelled = made(label("red", "team")).evaluation;
    expect(reached(apply(labelled, [{ upsert: child("two", "team", "red") }]).evaluation)).toEqual(["one", "two"]);
    const everywhere = made(label("red", "all")).evaluation;
    expect(reached(apply(everywhere, [{ upsert: child("other", "away") }]).evaluation)).toEqual(["one"]);
  });
});
