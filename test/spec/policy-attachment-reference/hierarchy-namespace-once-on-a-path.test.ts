/** Policy attachment reference, "Hierarchy": a Namespace is once on a path */
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/model/json.ts";
import { type Cluster, cluster } from "../../support/cluster/cluster.ts";
import { gateway, listener, policy, route, routeTo } from "../../support/cluster/gateway-objects.ts";
import { policyKind } from "../../support/cluster/policy-kind.ts";
import { field } from "../gateway-api/path-policies.ts";

describe("Namespaces as levels", () => {
  const kind = (...above: readonly string[]) =>
    policyKind("LocalPolicy", {
      joined: [{ group: "example.com", kind: "ClusterPolicy", scope: "Cluster" }],
      targets: ["Namespace", "Gateway", "HTTPRoute"],
      ends: ["HTTPRoute"],
      namespacesAbove: above,
      merge: { granularity: field },
    });
  const on = (name: string, target: string, spec: JsonObject, ns = "default") =>
    policy("LocalPolicy", name, target, spec, { namespace: ns });
  const open = gateway("g", { listeners: [listener("http", { from: "All" })] });
  const nodes = (made: Cluster) =>
    made
      .effective()
      .map(({ path }) =>
        path.map(({ kind: k, name, sectionName }) => `${k}/${name}${sectionName === undefined ? "" : "#"}`).join(" > "),
      );

  test("gateway and route in one namespace: it is on the path once, at its highest level", () => {
    const made = cluster(
      [open, routeTo("r", "Gateway/g"), on("ns", "Namespace/default", { x: "ns" }), on("gw", "Gateway/g", { x: "gw" })],
      {
        definitions: [kind("Gateway", "HTTPRoute")],
      },
    );
    expect(nodes(made)).toEqual(["GatewayClass/class > Namespace/default > Gateway/g > Gateway/g# > HTTPRoute/r"]);
    expect(made.spec("HTTPRoute/r")).toEqual({ x: "gw" });
    expect(made.outcome("ns")).toBe("Overridden by gw");
  });

  test("route elsewhere: Gateway > Namespace(route) > HTTPRoute", () => {
    const made = cluster(
      [
        open,
        route("r", "Gateway/default/g", { namespace: "apps" }),
        on("ns", "Namespace/apps", { x: "ns", y: "ns" }, "apps"),
        on("gw", "Gateway/g", { x: "gw", z: "gw" }),
        on("rt", "HTTPRoute/r", { y: "rt" }, "apps"),
      ],
      { definitions: [kind("HTTPRoute")] },
    );
    expect(nodes(made)).toEqual(["GatewayClass/class > Gateway/g > Gateway/g# > Namespace/apps > HTTPRoute/r"]);
    expect(made.spec("HTTPRoute/apps/r")).toEqual({ x: "ns", y: "rt", z: "gw" });
  });

  test("both namespaces where they differ, each above its own object", () => {
    const made = cluster(
      [
        open,
        route("r", "Gateway/default/g", { namespace: "apps" }),
        on("up", "Namespace/default", { x: 1 }),
        on("down", "Namespace/apps", { x: 2 }, "apps"),
      ],
      { definitions: [kind("Gateway", "HTTPRoute")] },
    );
    expect(nodes(made)).toEqual([
      "GatewayClass/class > Namespace/default > Gateway/g > Gateway/g# > Namespace/apps > HTTPRoute/r",
    ]);
    expect(made.spec("HTTPRoute/apps/r")).toEqual({ x: 2 });
  });

  test("an override on the namespace is above the Gateway's", () => {
    const made = cluster(
      [
        open,
        routeTo("r", "Gateway/g"),
        on("ns", "Namespace/default", { overrides: { x: "ns" } }),
        on("gw", "Gateway/g", { overrides: { x: "gw" } }),
      ],
      { definitions: [kind("Gateway", "HTTPRoute")] },
    );
    expect(made.spec("HTTPRoute/r")).toEqual({ x: "ns" });
  });

  test("only above the kinds that the definition lists", () => {
    const made = cluster(
      [
        open,
        route("r", "Gateway/default/g", { namespace: "apps" }),
        on("down", "Namespace/apps", { x: 2 }, "apps"),
        on("up", "Namespace/default", { x: 1 }),
      ],
      { definitions: [kind("Gateway")], completeness: "Complete" },
    );
    expect(made.spec("HTTPRoute/apps/r")).toEqual({ x: 1 });
    expect(made.outcome("apps/down")).toBe("NoPath");
  });

  test("a policy that reaches everything through its namespace has that namespace for ancestor", () => {
    const made = cluster([open, routeTo("r", "Gateway/g"), on("ns", "Namespace/default", { x: 1 })], {
      definitions: [kind("Gateway")],
    });
    expect(made.conditions("ns")).toEqual(["Namespace/default: Accepted=True/Accepted Enforced=True/Enforced"]);
    expect(made.affectedBy("Namespace/default")).toEqual(["ns"]);
  });
});
