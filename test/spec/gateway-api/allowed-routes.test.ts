/**
 * Gateway API, "AllowedRoutes"
 * Gateway API, "RouteNamespaces"
 * Gateway API, "allowedRoutes"
 * Gateway API, "TLSModeType"
 */
import { describe, expect, test } from "vitest";
import { caveatsFor } from "../../../src/index.ts";
import { cluster } from "../../support/cluster/cluster.ts";
import { gateway, listener, namespace, policy, route } from "../../support/cluster/gateway-objects.ts";
import { attached, reaching, routeKinds, under } from "./path-policies.ts";

describe("allowedRoutes", () => {
  for (const [name, from, inside, outside] of [
    ["namespaces left out mean Same", undefined, 1, 0],
    ["namespaces from Same", "Same", 1, 0],
    ["namespaces from All", "All", 1, 1],
    ["namespaces from None", "None", 0, 0],
  ] as const) {
    test(name, () => {
      const options = from === undefined ? {} : { from };
      expect([attached(options), attached(options, { namespace: "apps" })]).toEqual([inside, outside]);
    });
  }

  test("namespaces from Selector: by the labels of the route's namespace", () => {
    const from = { from: { team: "a" } };
    expect(attached(from, { namespace: "apps" }, namespace("apps", { team: "a", more: "x" }))).toBe(1);
    expect(attached(from, { namespace: "apps" }, namespace("apps", { team: "b" }))).toBe(0);
    expect(attached(from, { namespace: "apps" })).toBe(0);
    // The Gateway's own namespace is no exception.
    expect(attached(from, {}, namespace("infra", {}))).toBe(0);
  });

  test("namespaces from Selector: where the Namespace is not in the input, it is not known whether it has the labels", () => {
    const made = (selector: Readonly<Record<string, string>>, completeness: "Complete" | "Partial") =>
      cluster(
        [
          gateway("g", { listeners: [listener("l", { from: selector })] }),
          route("r", "Gateway/default/g", { namespace: "apps" }),
          policy("LocalPolicy", "p", "HTTPRoute/r", { x: 1 }, { namespace: "apps" }),
        ],
        { completeness, definitions: [reaching("HTTPRoute")] },
      );
    const open = made({ team: "a" }, "Partial");
    expect(open.findingsOn("apps/r").map(({ code, severity }) => `${severity} ${code}`)).toEqual([
      "info UnknownNamespaceLabels",
    ]);
    expect(open.outcome("apps/p")).toBe("Incomplete");
    expect(caveatsFor(open.evaluation, { about: "Input" }).map(({ message }) => message)).toContain(
      "Namespace apps is selected by labels and is not in the input. Whether a Gateway allows its routes, and which policies take effect on them, is not known",
    );
    for (const known of [
      made({ team: "a" }, "Complete"),
      made({ team: "a", "kubernetes.io/metadata.name": "shop" }, "Partial"),
    ])
      expect(known.findingsOn("apps/r").map(({ code, severity }) => `${severity} ${code}`)).toEqual([
        "error NotAllowedByListeners",
      ]);
  });

  test("kinds", () => {
    expect(attached({ kinds: ["HTTPRoute"] })).toBe(1);
    expect(attached({ kinds: ["GRPCRoute"] })).toBe(0);
    expect(attached({ kinds: ["GRPCRoute", "HTTPRoute"] })).toBe(1);
    expect(attached({ kinds: ["GRPCRoute"] }, { kind: "GRPCRoute" })).toBe(1);
    // A kind that the protocol cannot carry is not let in by listing it.
    expect(attached({ kinds: ["TCPRoute"], protocol: "HTTP" }, { kind: "TCPRoute" })).toBe(0);
  });

  test("TLS passthrough is for TLSRoutes, even if allowedRoutes lists TCPRoute", () => {
    const tls = listener("l", { protocol: "TLS", mode: "Passthrough", kinds: ["TCPRoute", "TLSRoute"] });
    const made = under(["TCPRoute"], gateway("g", { listeners: [tls] }), route("r", "Gateway/g", { kind: "TCPRoute" }));
    expect(made.findingsOn("r").map(({ message }) => message)).toContain(
      "listener l of Gateway default/g has protocol TLS (Passthrough), which carries no TCPRoute (TCPRoute needs TCP or TLS that is terminated)",
    );
  });

  test("kinds: a refusal names the group, where it is not Gateway API's", () => {
    const odd = { ...listener("l"), allowedRoutes: { kinds: [{ group: "example.com", kind: "HTTPRoute" }] } };
    const made = under(["HTTPRoute"], gateway("g", { listeners: [odd] }), route("r", "Gateway/g"));
    expect(made.findingsOn("r").map(({ message }) => message)).toEqual([
      "listener l of Gateway default/g accepts HTTPRoute of group 'example.com' only, not HTTPRoute",
    ]);
  });

  for (const [name, options, kinds] of [
    ["HTTP", { protocol: "HTTP" }, ["HTTPRoute", "GRPCRoute"]],
    ["HTTPS", { protocol: "HTTPS" }, ["HTTPRoute", "GRPCRoute"]],
    ["TLS, Terminate", { protocol: "TLS", mode: "Terminate" }, ["TLSRoute", "TCPRoute"]],
    ["TLS, Passthrough", { protocol: "TLS", mode: "Passthrough" }, ["TLSRoute"]],
    ["TCP", { protocol: "TCP" }, ["TCPRoute"]],
    ["UDP", { protocol: "UDP" }, ["UDPRoute"]],
  ] as const) {
    test(`protocol ${name} takes ${kinds.join(" and ")}`, () => {
      expect(routeKinds.filter((kind) => attached(options, { kind }) > 0)).toEqual(
        routeKinds.filter((kind) => (kinds as readonly string[]).includes(kind)),
      );
    });
  }
});
