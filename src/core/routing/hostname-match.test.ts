import { describe, expect, test } from "vitest";
import { matchesHost, matchingHostname, routeHosts } from "./hostname-match.ts";

describe("a hostname matches hosts of requests", () => {
  test.each([
    ["a.example", "a.example", true],
    ["a.example", "b.example", false],
    ["*.example", "a.example", true],
    ["*.example", "b.a.example", true],
    ["*.example", "example", false],
    ["*.example", "aexample", false],
    ["*", "a.example", true],
    ["", "a.example", true],
    [undefined, "a.example", true],
  ])("%s, %s: %s", (hostname, host, expected) => expect(matchesHost(hostname, host)).toBe(expected));
});

describe("upper and lower case are the same", () => {
  test.each([
    ["A.Example", "a.example", true],
    ["*.EXAMPLE", "a.example", true],
    ["*.EXAMPLE", "example", false],
  ])("a hostname %s, a host %s: %s", (hostname, host, expected) => expect(matchesHost(hostname, host)).toBe(expected));

  test("the most specific hostname of a route", () => {
    expect(matchingHostname(["*.Example", "A.Example"], undefined, "a.example")).toEqual({ hostname: "a.example" });
    expect(matchingHostname(["B.Example"], undefined, "a.example")).toBeUndefined();
  });

  test("the hosts of a route at a listener", () => {
    expect(routeHosts(["A.Example", "a.example", "B.Example"], "*.example")).toEqual([
      { hostname: "a.example", ranksAs: "a.example" },
      { hostname: "b.example", ranksAs: "b.example" },
    ]);
  });
});
