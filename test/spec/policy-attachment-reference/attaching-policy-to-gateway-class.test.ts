/**
 * Policy attachment reference, "Attaching Policy to GatewayClass"
 * Which scopes a policy may target: its namespace, cluster-scoped objects, all namespaces.
 */
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/model/json.ts";
import { cluster } from "../../support/cluster/cluster.ts";
import { gateway, policy } from "../../support/cluster/gateway-objects.ts";
import { policyKind } from "../../support/cluster/policy-kind.ts";
import { field } from "../gateway-api/path-policies.ts";

describe("Scope", () => {
  const definition = policyKind("LocalPolicy", {
    joined: [{ group: "example.com", kind: "ClusterPolicy", scope: "Cluster" }],
    targets: ["Namespace", "GatewayClass", "Gateway"],
    ends: ["Gateway"],
    namespacesAbove: ["Gateway"],
    merge: { granularity: field },
  });
  const objects = [gateway("g"), gateway("h", { namespace: "other" })];
  const made = (...policies: readonly JsonObject[]) =>
    cluster([...objects, ...policies], { definitions: [definition] });
  const onLocal = (target: string) => policy("LocalPolicy", "p", target, { x: 1 });
  const onCluster = (target: string) => policy("ClusterPolicy", "c", target, { x: 2 }, { namespace: "" });

  test("a namespaced policy may target the Namespace it lives in", () => {
    expect(made(onLocal("Namespace/default")).outcome("p")).toBe("Enforced");
  });

  test("and no other", () => {
    const refused = made(onLocal("Namespace/other"));
    expect(refused.outcome("p")).toBe("TargetNotFound");
    expect(refused.message("p")).toMatch(/other/);
    expect(refused.effective().every(({ sources }) => sources.length === 0)).toBe(true);
  });

  test("any other cluster-scoped target needs a cluster-scoped policy", () => {
    expect(made(onLocal("GatewayClass/class")).outcome("p")).toBe("TargetNotFound");
    expect(made(onLocal("GatewayClass/class")).message("p")).toMatch(/scope/);
    expect(made(onCluster("GatewayClass/class")).outcome("c")).toBe("Enforced");
    expect(made(onCluster("Namespace/other")).outcome("c")).toBe("Enforced");
  });

  test("a cluster-scoped policy targets cluster-scoped objects only", () => {
    const target = { group: "gateway.networking.k8s.io", kind: "Gateway", namespace: "other", name: "h" };
    const onGateway = policy("ClusterPolicy", "c", "Gateway/other/h", { x: 2 }, { namespace: "" });
    for (const one of [onGateway, { ...onGateway, spec: { targetRefs: [target], x: 2 } }]) {
      const refused = made(one);
      expect(refused.outcome("c")).toBe("TargetNotFound");
      expect(refused.message("c")).toMatch(/Gateway is namespaced, and ClusterPolicy is cluster-scoped/);
      expect(refused.findingsOn("c").map(({ code }) => code)).toEqual(["ScopeNotAllowed"]);
    }
  });

  test("unless its definition says crossNamespace: ReferenceGrant; it needs no grant", () => {
    const granting = policyKind("LocalPolicy", {
      joined: [{ group: "example.com", kind: "ClusterPolicy", scope: "Cluster" }],
      targets: ["Gateway"],
      ends: ["Gateway"],
      targeting: { crossNamespace: "ReferenceGrant" },
    });
    const onGateway = policy("ClusterPolicy", "c", "Gateway/other/h", { x: 2 }, { namespace: "" });
    const allowed = cluster([...objects, onGateway], { definitions: [granting] });
    expect(allowed.outcome("c")).toBe("Enforced");
    expect(allowed.spec("Gateway/other/h")).toEqual({ x: 2 });
  });

  test("joined kinds share one stack: they meet, and one kind's policy overrides the other's", () => {
    const both = made(onLocal("Namespace/default"), onCluster("GatewayClass/class"));
    expect(both.spec("Gateway/g")).toEqual({ x: 1 });
    expect(both.spec("Gateway/other/h")).toEqual({ x: 2 });
    expect(both.outcome("c")).toBe("PartiallyEnforced by p");
    expect(new Set(both.effective().map(({ policyKind: { kind } }) => kind))).toEqual(new Set(["LocalPolicy"]));
  });

  test("joined kinds on one target: by age, then by namespace/name", () => {
    const both = made(
      policy("LocalPolicy", "p", "Namespace/default", { overrides: { x: "local" } }, { created: 1 }),
      policy("ClusterPolicy", "c", "Namespace/default", { overrides: { x: "cluster" } }, { namespace: "", created: 0 }),
    );
    expect(both.spec("Gateway/g")).toEqual({ x: "cluster" });
    const tie = made(
      policy("LocalPolicy", "p", "Namespace/default", { overrides: { x: "local" } }, { created: 0 }),
      policy("ClusterPolicy", "c", "Namespace/default", { overrides: { x: "cluster" } }, { namespace: "", created: 0 }),
    );
    // "/c" stands before "default/p".
    expect(tie.spec("Gateway/g")).toEqual({ x: "cluster" });
  });
});
