/**
 * Gateway API, "HTTPRouteSpec.hostnames": hostname intersection
 * Gateway API, "hostnames"
 */
import { describe, expect, test } from "vitest";
import { gateway, listener, route } from "../../support/cluster/gateway-objects.ts";
import { attached, under } from "./path-policies.ts";

describe("hostnames", () => {
  for (const [listenerHost, routeHosts, expected] of [
    [undefined, undefined, 1],
    [undefined, ["foo.com"], 1],
    ["foo.com", undefined, 1],
    ["foo.com", [], 1],
    ["foo.com", ["foo.com"], 1],
    ["foo.com", ["bar.com"], 0],
    ["foo.com", ["bar.com", "foo.com"], 1],
    ["foo.com", ["www.foo.com"], 0],
    ["www.foo.com", ["foo.com"], 0],
    ["*.foo.com", ["www.foo.com"], 1],
    ["*.foo.com", ["a.b.foo.com"], 1],
    ["*.foo.com", ["foo.com"], 0],
    ["*.foo.com", ["barfoo.com"], 0],
    ["*.foo.com", ["www.foo.com.evil.com"], 0],
    ["www.foo.com", ["*.foo.com"], 1],
    ["a.b.foo.com", ["*.foo.com"], 1],
    ["foo.com", ["*.foo.com"], 0],
    ["barfoo.com", ["*.foo.com"], 0],
    ["*.foo.com", ["*.foo.com"], 1],
    ["*.foo.com", ["*.bar.foo.com"], 1],
    ["*.bar.foo.com", ["*.foo.com"], 1],
    ["*.foo.com", ["*.bar.com"], 0],
    ["*.foo.com", ["*.barfoo.com"], 0],
    ["*.com", ["foo.com"], 1],
  ] as const) {
    test(`listener ${listenerHost ?? "none"}, route ${routeHosts?.join(", ") ?? "none"}: ${expected === 1 ? "attached" : "not attached"}`, () => {
      const options = listenerHost === undefined ? {} : { hostname: listenerHost };
      expect(attached(options, routeHosts === undefined ? {} : { hostnames: routeHosts })).toBe(expected);
    });
  }

  test("each route kind that has hostnames: GRPCRoute and TLSRoute too, TCPRoute not", () => {
    expect(attached({ hostname: "foo.com" }, { kind: "GRPCRoute", hostnames: ["bar.com"] })).toBe(0);
    expect(attached({ hostname: "foo.com", protocol: "TLS" }, { kind: "TLSRoute", hostnames: ["bar.com"] })).toBe(0);
    expect(attached({ hostname: "foo.com", protocol: "TLS" }, { kind: "TLSRoute", hostnames: ["foo.com"] })).toBe(1);
    expect(attached({ protocol: "TCP" }, { kind: "TCPRoute" })).toBe(1);
  });

  test("each listener decides for itself", () => {
    const made = under(
      ["HTTPRoute"],
      gateway("g", {
        listeners: [
          listener("a", { hostname: "a.com" }),
          listener("b", { hostname: "b.com" }),
          listener("any", { port: 81 }),
        ],
      }),
      route("r", "Gateway/g", { hostnames: ["b.com"] }),
    );
    expect(
      made
        .paths()
        .map((path) => path.split(" > ")[2] ?? "")
        .toSorted(),
    ).toEqual(["Gateway/g#any", "Gateway/g#b"]);
  });
});
