/**
 * Gateway API, "ReferenceGrants for backends"
 * Gateway API, "ReferenceGrant"
 */
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/model/json.ts";
import { caveatsFor, check } from "../../../src/index.ts";
import { cluster } from "../../support/cluster/cluster.ts";
import { gateway, referenceGrant, route, service } from "../../support/cluster/gateway-objects.ts";
import { under } from "./path-policies.ts";

describe("ReferenceGrants for backends", () => {
  const chains = (...grants: readonly JsonObject[]) =>
    under(
      ["Service"],
      gateway("g"),
      route("r", "Gateway/g", { rules: [{ backends: ["Service/apps/s"] }] }),
      service("s", { namespace: "apps" }),
      ...grants,
    ).chains();
  const from = { kind: "HTTPRoute", namespace: "default" };
  const to = { kind: "Service" };

  test("a cross-namespace backendRef needs a ReferenceGrant", () => {
    expect(chains()).toEqual([]);
    expect(chains(referenceGrant("grant", "apps", { from, to }))).toEqual(["Gateway/g > HTTPRoute/r > Service/apps/s"]);
    expect(chains(referenceGrant("grant", "apps", { from, to: { ...to, name: "s" } }))).toHaveLength(1);
  });

  for (const [name, inNamespace, ends] of [
    ["in the route's namespace", "default", { from, to }],
    ["from another namespace", "apps", { from: { ...from, namespace: "other" }, to }],
    ["from another kind of route", "apps", { from: { ...from, kind: "GRPCRoute" }, to }],
    ["from another group", "apps", { from: { ...from, group: "example.com" }, to }],
    ["to another kind", "apps", { from, to: { kind: "Secret", group: "" } }],
    ["to another name", "apps", { from, to: { ...to, name: "t" } }],
  ] as const) {
    test(`near miss: one ${name} permits nothing`, () => {
      expect(chains(referenceGrant("grant", inNamespace, ends))).toEqual([]);
    });
  }

  test.each([
    ["the Service is there", [service("front")]],
    ["the Service is in another file", []],
  ])("a route that only Services carry needs none (GEP-1294): %s", (_, parents) => {
    const toFront = { group: "", kind: "Service", name: "front" };
    const { findingsOn } = under(
      ["Service"],
      ...parents,
      route("r", [toFront], { rules: [{ backends: ["Service/apps/s"] }] }),
      service("s", { namespace: "apps" }),
    );
    expect(findingsOn("r").filter(({ severity }) => severity !== "info")).toEqual([]);
  });

  test("the link that is not there does not take the rule with it", () => {
    const made = under(
      ["Service", "HTTPRoute/Rule"],
      gateway("g"),
      route("r", "Gateway/g", { rules: [{ name: "rule", backends: ["Service/apps/s"] }] }),
      service("s", { namespace: "apps" }),
    );
    expect(made.paths().map((path) => path.split(" > ").at(-1))).toEqual(["HTTPRoute/r#rule"]);
  });
});

describe("A ReferenceGrant that may be elsewhere", () => {
  const toOther = route("r", "Gateway/g", { rules: [{ backends: ["Service/other/s"] }] });
  const found = (objects: readonly JsonObject[], completeness: "Partial" | "Complete" = "Partial") => {
    const { evaluation, findings } = cluster([gateway("g"), toOther, ...objects], { completeness });
    return {
      severity: findings.filter(({ code }) => code === "RefNotPermitted").map(({ severity }) => severity),
      caveats: caveatsFor(evaluation, { about: "Input" }).map(({ code }) => code),
    };
  };

  test("neither the Service nor a grant is in the input: nothing is known to be wrong, and a caveat names the Service", () => {
    expect(found([])).toEqual({ severity: ["info"], caveats: ["AbsentBackend"] });
  });

  test("the Service is in the input, or the input is complete: the reference is not permitted", () => {
    expect(found([service("s", { namespace: "other" })])).toEqual({ severity: ["error"], caveats: [] });
    expect(found([], "Complete").severity).toEqual(["error"]);
  });

  test("the certificate of a listener: the same, and the listener is not served without the grant", () => {
    const tls = { certificateRefs: [{ name: "cert", namespace: "other" }] };
    const edge = gateway("edge", { listeners: [{ name: "l", protocol: "HTTPS", port: 443, tls }] });
    const severities = (completeness: "Partial" | "Complete") =>
      check(cluster([edge], { completeness }).evaluation)
        .filter(({ code }) => code === "RefNotPermitted")
        .map(({ severity }) => severity);
    expect([severities("Partial"), severities("Complete")]).toEqual([["info"], ["error"]]);
  });
});
