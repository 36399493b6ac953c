import fc from "fast-check";
import { expect, test } from "vitest";
import { createRegex } from "../../adapters/regex/create-regex.ts";
import { buildHostIndex } from "./host-index.ts";
import { matchesHost } from "./hostname-match.ts";
import { findMismatches, type HttpRequest, matchesRequest } from "./match-request.ts";
import { buildRouteIndex } from "./route-index.ts";
import type { PathMatch, RouteMatch, TextMatch } from "./route-match.ts";

const matchRegex = createRegex();

const element = fc.constantFrom("", "a", "b", "ab", "a.b", "menu");
const path = fc.array(element, { minLength: 1, maxLength: 4 }).map((elements) => `/${elements.join("/")}`);
const pattern = fc.constantFrom("/a.*", "/(a|b)/?", "/[ab]+/menu", ".*", "(", "/a");
const pathMatch: fc.Arbitrary<PathMatch> = fc.oneof(
  fc.record({ type: fc.constant("Exact" as const), value: path }),
  fc.record({ type: fc.constant("PathPrefix" as const), value: fc.oneof(path, fc.constantFrom("/", "a", "")) }),
  fc.record({ type: fc.constant("RegularExpression" as const), value: pattern }),
);
const text: fc.Arbitrary<TextMatch> = fc.oneof(
  fc.record({ type: fc.constant("Exact" as const), value: fc.constantFrom("1", "2") }),
  fc.record({ type: fc.constant("RegularExpression" as const), value: fc.constantFrom("[12]", "1|", "(") }),
);
const named = fc.record({ name: fc.constantFrom("x", "y"), value: text });
const method = fc.constantFrom("GET", "POST");
const name = fc.constantFrom("a", "b", "menu", "a/b");
const optional = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined });
const grpc = fc.record({
  type: fc.constantFrom("Exact" as const, "RegularExpression" as const),
  service: optional(name),
  method: optional(name),
});
const routeMatch: fc.Arbitrary<RouteMatch> = fc.record({
  index: fc.constant(0),
  path: optional(pathMatch),
  grpc: fc.option(grpc, { nil: undefined, freq: 3 }),
  method: optional(method),
  headers: fc.array(named, { maxLength: 2 }),
  query: fc.array(named, { maxLength: 1 }),
});
const pairs = fc.array(fc.tuple(fc.constantFrom("x", "y"), fc.constantFrom("1", "2", "")), { maxLength: 2 });
const request: fc.Arbitrary<HttpRequest> = fc.record({
  method,
  host: fc.constant("a"),
  path,
  query: pairs,
  headers: pairs,
});

test("property: a match is one that misses nothing", () => {
  fc.assert(
    fc.property(routeMatch, request, (match, asked) => {
      expect(matchesRequest(match, asked, matchRegex)).toBe(findMismatches(match, asked, matchRegex).length === 0);
    }),
  );
});

test("property: the index finds what asking one route after the other finds", () => {
  fc.assert(
    fc.property(fc.array(routeMatch, { maxLength: 30 }), fc.array(request, { maxLength: 10 }), (matches, requests) => {
      const routes = matches.map((match, order) => ({ match, order }));
      const index = buildRouteIndex(routes, matchRegex);
      for (const asked of requests) {
        const first = routes.find(({ match }) => findMismatches(match, asked, matchRegex).length === 0);
        expect(index.find(asked)).toBe(first);
      }
    }),
  );
});

test("property: the host index asks those that take a host, the more specific hostname first", () => {
  const label = fc.constantFrom("a", "b", "*");
  const hostname = fc
    .array(label, { minLength: 1, maxLength: 4 })
    .map(([first = "a", ...rest]) => [first, ...rest.map((one) => (one === "*" ? "c" : one))].join("."));
  const host = fc
    .array(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 5 })
    .map((labels) => labels.join("."));
  fc.assert(
    fc.property(fc.uniqueArray(hostname, { maxLength: 12 }), host, (hostnames, asked) => {
      const met: string[] = [];
      buildHostIndex(hostnames.map((one) => ({ hostname: one }))).find(asked, (one) => {
        met.push(one.hostname);
        return undefined;
      });
      const bySpecificity = (one: string): number => (one.startsWith("*") ? one.length : 1000);
      const expected = hostnames
        .filter((one) => matchesHost(one, asked))
        .sort((a, b) => bySpecificity(b) - bySpecificity(a));
      expect(met).toEqual(expected);
    }),
  );
});
