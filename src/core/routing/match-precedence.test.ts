import { describe, expect, test } from "vitest";
import { createRegex } from "../../adapters/regex/create-regex.ts";
import type { JsonObject } from "../model/json.ts";
import { matchingHostname } from "./hostname-match.ts";
import { type Criterion, comparePrecedence, type RankedMatch } from "./match-precedence.ts";
import { findMismatches, type HttpRequest, hasPathPrefix } from "./match-request.ts";
import { routeMatches } from "./route-match.ts";

const match = (raw: JsonObject, kind: "HTTPRoute" | "GRPCRoute" = "HTTPRoute"): RankedMatch["match"] => {
  const [first] = routeMatches({ matches: [raw] }, kind);
  if (first === undefined) throw new Error("a rule always has a match");
  return first;
};

const path = (type: string, value: string): JsonObject => ({ path: { type, value } });
const headers = (...names: readonly string[]): JsonObject => ({ headers: names.map((name) => ({ name, value: "1" })) });
const query = (...names: readonly string[]): JsonObject => ({
  queryParams: names.map((name) => ({ name, value: "1" })),
});

const ranked = (raw: JsonObject, more: Partial<RankedMatch> = {}, kind?: "GRPCRoute"): RankedMatch => ({
  match: match(raw, kind),
  hostname: "a.example",
  createdAt: 1,
  route: "default/r",
  ruleIndex: 0,
  ...more,
});

/** The first comes first, by this criterion. */
const rows: readonly (readonly [name: Criterion, first: RankedMatch, second: RankedMatch])[] = [
  [
    "the more specific hostname",
    ranked({}, { hostname: "a.example", createdAt: 9 }),
    ranked(path("Exact", "/a"), { hostname: "*.long-wildcard.example" }),
  ],
  [
    "the more specific hostname",
    ranked({}, { hostname: "*.b.example" }),
    ranked(path("Exact", "/a"), { hostname: "*.example" }),
  ],
  ["an exact path", ranked(path("Exact", "/a")), ranked({ ...path("PathPrefix", "/aaaaaa"), method: "GET" })],
  ["a regular expression before a prefix", ranked(path("RegularExpression", "/.")), ranked(path("PathPrefix", "/abc"))],
  ["the longer path", ranked(path("PathPrefix", "/ab")), ranked({ ...path("PathPrefix", "/a"), method: "GET" })],
  ["a match on the method", ranked({ method: "GET" }), ranked(headers("a", "b"))],
  ["more header matches", ranked(headers("a", "b")), ranked({ ...headers("a"), ...query("a", "b", "c") })],
  ["more query parameter matches", ranked(query("a")), ranked({}, { createdAt: 0 })],
  ["the older route", ranked({}, { createdAt: 1, route: "z/z" }), ranked({}, { createdAt: 2, route: "a/a" })],
  ["the older route", ranked({}, { createdAt: 1 }), ranked({}, { createdAt: undefined })],
  [
    "the route first by namespace/name",
    ranked({}, { route: "a/b", ruleIndex: 5 }),
    ranked({}, { route: "a/c", ruleIndex: 0 }),
  ],
  ["the earlier rule", ranked({}, { ruleIndex: 0 }), ranked({}, { ruleIndex: 1 })],
  [
    "the longer service name",
    ranked({ method: { service: "a.Long" } }, {}, "GRPCRoute"),
    ranked({ method: { service: "a.B", method: "Longer" } }, {}, "GRPCRoute"),
  ],
  [
    "the longer method name",
    ranked({ method: { service: "a.B", method: "Get" } }, {}, "GRPCRoute"),
    ranked({ method: { service: "a.B" } }, {}, "GRPCRoute"),
  ],
];

describe("HTTPRoute and GRPCRoute › Precedence", () => {
  test.each(rows)("%s", (by, first, second) => {
    expect(comparePrecedence(first, second)).toMatchObject({ by });
    expect(comparePrecedence(first, second).order).toBeLessThan(0);
    expect(comparePrecedence(second, first).order).toBeGreaterThan(0);
  });
});

const request: HttpRequest = {
  method: "GET",
  host: "a.example",
  path: "/a/b",
  query: [
    ["q", "1"],
    ["q", "2"],
  ],
  headers: [["x-a", "one"]],
};
const misses = (raw: JsonObject, kind?: "GRPCRoute", asked: HttpRequest = request): readonly string[] =>
  findMismatches(match(raw, kind), asked, createRegex()).map(({ message }) => message);

describe("HTTPRouteMatch", () => {
  test.each([
    ["an empty match matches every request", {}, []],
    ["Exact", path("Exact", "/a/b"), []],
    ["Exact: a slash more is another path", path("Exact", "/a/b/"), ["the path is /a/b, not exactly /a/b/"]],
    ["PathPrefix", path("PathPrefix", "/a"), []],
    ["RegularExpression, the whole path", path("RegularExpression", "/a/[bc]"), []],
    ["RegularExpression, a part is not enough", path("RegularExpression", "/a"), ["the path /a/b does not match /a"]],
    ["method", { method: "POST" }, ["the method is GET, not POST"]],
    ["headers: names in any case", { headers: [{ name: "X-A", value: "one" }] }, []],
    ["headers: values as they are", { headers: [{ name: "x-a", value: "One" }] }, ["header x-a is 'one', not 'One'"]],
    ["headers: absent", { headers: [{ name: "x-b", value: "" }] }, ["header x-b is missing"]],
    [
      "headers: the first entry of a name counts",
      {
        headers: [
          { name: "x-a", value: "one" },
          { name: "X-A", value: "two" },
        ],
      },
      [],
    ],
    ["headers: RegularExpression", { headers: [{ name: "x-a", type: "RegularExpression", value: "o.e" }] }, []],
    ["queryParams: the first value of a repeated one", { queryParams: [{ name: "q", value: "1" }] }, []],
    ["queryParams: names as they are", { queryParams: [{ name: "Q", value: "1" }] }, ["query parameter Q is missing"]],
    [
      "all conditions must be true",
      { ...path("Exact", "/"), method: "PUT" },
      ["the path is /a/b, not exactly /", "the method is GET, not PUT"],
    ],
  ] as const)("%s", (_, raw, expected) => {
    expect(misses(raw)).toEqual(expected);
  });

  test("a pattern that cannot be used matches nothing, and says so", () => {
    expect(misses(path("RegularExpression", "("))).toEqual([expect.stringContaining("cannot be used")]);
  });

  test("GRPCRoute: service and method", () => {
    const call = { ...request, path: "/a.B/Get" };
    expect(misses({ method: { service: "a.B" } }, "GRPCRoute", call)).toEqual([]);
    expect(misses({ method: { method: "Get" } }, "GRPCRoute", call)).toEqual([]);
    expect(misses({ method: { service: "a.C", method: "Get" } }, "GRPCRoute", call)).toEqual([
      "the call is /a.B/Get, not /a.C/Get",
    ]);
    expect(misses({ method: { type: "RegularExpression", service: "a\\..+" } }, "GRPCRoute", call)).toEqual([]);
  });
});

test.each([
  ["/abc", "/abc", true],
  ["/abc", "/abc/", true],
  ["/abc/", "/abc", true],
  ["/abc/def", "/abc", true],
  ["/abcd", "/abc", false],
  ["/ab", "/abc", false],
  ["/anything", "/", true],
  ["/", "/", true],
])("PathPrefix is by element: %s below %s is %s", (asked, prefix, expected) => {
  expect(hasPathPrefix(asked, prefix)).toBe(expected);
});

test.each([
  ["no hostnames: those of the listener", [], "*.example", { hostname: "*.example" }],
  ["the most specific one counts", ["*.example", "a.example"], undefined, { hostname: "a.example" }],
  ["in any case", ["A.Example"], undefined, { hostname: "a.example" }],
  ["none takes it", ["b.example"], undefined, undefined],
  ["a wildcard does not stand for nothing", ["*.a.example"], undefined, undefined],
] as const)("hostnames: %s", (_, hostnames, listener, expected) => {
  expect(matchingHostname(hostnames, listener, "a.example")).toEqual(expected);
});
