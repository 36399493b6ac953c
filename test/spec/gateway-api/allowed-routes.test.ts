/**
 * Gateway API, "RouteNamespaces"
 * Gateway API, "AllowedRoutes"
 * Gateway API, "allowedRoutes"
 */
import { describe, expect, test } from "vitest";
import { gateway, listener, namespace, route } from "../../support/cluster/gateway-objects.ts";
import { attached, routeKinds, under } from "./path-policies.ts";

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

  test("kinds", () => {
    expect(attached({ kinds: ["HTTPRoute"] })).toBe(1);
    expect(attached({ kinds: ["GRPCRoute"] })).toBe(0);
    expect(attached({ kinds: ["GRPCRoute", "HTTPRoute"] })).toBe(1);
    expect(attached({ kinds: ["GRPCRoute"] }, { kind: "GRPCRoute" })).toBe(1);
    // A kind that the protocol cannot carry is not let in by listing it.
    expect(attached({ kinds: ["TCPRoute"], protocol: "HTTP" }, { kind: "TCPRoute" })).toBe(0);
  });

  test("kinds: a refusal names the group, where it is not Gateway API's", () => {
    const odd = { ...listener("l"), allowedRoutes: { kinds: [{ group: "example.com", kind: "HTTPRoute" }] } };
    const made = under(["HTTPRoute"], gateway("g", { listeners: [odd] }), route("r", "Gateway/g"));
    expect(made.findingsOn("r").map(({ message }) => message)).toEqual([
      "listener l of Gateway default/g accepts HTTPRoute of group 'example.com' only, not HTTPRoute",
    ]);
  });

  for (const [protocol, kinds] of [
    ["HTTP", ["HTTPRoute", "GRPCRoute"]],
    ["HTTPS", ["HTTPRoute", "GRPCRoute"]],
    ["TLS", ["TLSRoute", "TCPRoute"]],
    ["TCP", ["TCPRoute"]],
    ["UDP", ["UDPRoute"]],
  ] as const) {
    test(`protocol ${protocol} takes ${kinds.join(" and ")}`, () => {
      expect(routeKinds.filter((kind) => attached({ protocol }, { kind }) > 0)).toEqual(
        routeKinds.filter((kind) => (kinds as readonly string[]).includes(kind)),
      );
    });
  }
});
