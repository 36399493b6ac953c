/**
 * Gateway API, "SessionPersistence"
 */
import { expect, test } from "vitest";
import type { JsonObject } from "../../model/json.ts";
import { compileSession } from "./session-persistence.ts";

const route = { group: "gateway.networking.k8s.io", kind: "HTTPRoute", namespace: "a", name: "b.c" };

test.each<[string, JsonObject, object]>([
  [
    "a cookie with defaults",
    { type: "Cookie", cookie: {} },
    {
      session: {
        type: "Cookie",
        name: "prevail_httproute_a_b.c_rule-1",
        path: "/",
        isPermanent: false,
        absoluteTimeoutMs: undefined,
      },
      problem: undefined,
    },
  ],
  [
    "a cookie with everything",
    { type: "Cookie", absoluteTimeout: "1h", cookie: { name: "cart", path: "/shop", lifetimeType: "Permanent" } },
    {
      session: { type: "Cookie", name: "cart", path: "/shop", isPermanent: true, absoluteTimeoutMs: 3_600_000 },
      problem: undefined,
    },
  ],
  [
    "a header",
    { type: "Header", header: { name: "X-Cart" }, absoluteTimeout: "10s" },
    { session: { type: "Header", name: "x-cart", absoluteTimeoutMs: 10_000 }, problem: undefined },
  ],
  [
    "a header that clients cannot send",
    { type: "Header", header: { name: "x_cart" } },
    { problem: { field: "header.name", message: expect.stringContaining("refused") as string } },
  ],
  ["the name of older versions", { sessionName: "old" }, { session: { type: "Cookie", name: "old" } }],
  ...["/; Domain=evil.example", "shop", "/a b", "/a\r\nset-cookie: b=c"].map((path): [string, JsonObject, object] => [
    `a path that is none: ${JSON.stringify(path)}`,
    { type: "Cookie", cookie: { path } },
    { session: { path: "/" }, problem: { field: "cookie.path" } },
  ]),
])("%s", (_, settings, expected) => {
  expect(compileSession(settings, route, "rule-1")).toMatchObject(expected);
});

test("without the setting there are no sessions", () => {
  expect(compileSession(undefined, route, "rule-1")).toBeUndefined();
});
