import { describe, expect, test } from "vitest";
import { hostnamesIntersect } from "./hostnames-intersect.ts";

/** A listener's hostname, and a route's. */
const common: readonly (readonly [listener: string | undefined, route: string])[] = [
  ["a.example", "a.example"],
  ["*.example", "a.example"],
  ["*.example", "b.a.example"],
  ["a.example", "*.example"],
  ["*.example", "*.a.example"],
  ["*.a.example", "*.example"],
  [undefined, "a.example"],
  ["", "a.example"],
];

const disjoint: readonly (readonly [listener: string, route: string])[] = [
  ["a.example", "b.example"],
  ["*.example", "example"],
  ["example", "*.example"],
  ["*.a.example", "*.b.example"],
  ["*.example", "aexample"],
];

describe("a listener and a route have a hostname in common", () => {
  test.each(common)("%s and %s", (listener, route) => expect(hostnamesIntersect(listener, [route])).toBe(true));
  test("a route without hostnames", () => expect(hostnamesIntersect("a.example", [])).toBe(true));
  test("one of several hostnames", () =>
    expect(hostnamesIntersect("a.example", ["b.example", "a.example"])).toBe(true));
});

describe("a listener and a route have no hostname in common", () => {
  test.each(disjoint)("%s and %s", (listener, route) => expect(hostnamesIntersect(listener, [route])).toBe(false));
});

describe("upper and lower case are the same", () => {
  test.each(common)("%s and %s", (listener, route) => {
    expect(hostnamesIntersect(listener?.toUpperCase(), [route])).toBe(true);
    expect(hostnamesIntersect(listener, [route.toUpperCase()])).toBe(true);
  });
  test.each(disjoint)("not %s and %s", (listener, route) =>
    expect(hostnamesIntersect(listener.toUpperCase(), [route])).toBe(false),
  );
});
