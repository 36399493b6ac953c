/**
 * Gateway API, "BackendObjectReference"
 * Gateway API, "BackendTLSPolicy"
 */
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/model/json.ts";
import { builtInDefinitions } from "../../../src/index.ts";
import { cluster } from "../../support/cluster/cluster.ts";
import { gateway, policy, route, service } from "../../support/cluster/gateway-objects.ts";
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
