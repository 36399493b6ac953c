import { describe, expect, test } from "vitest";
import { findEnvoy, validateBootstrap } from "../../../test/support/gateway/envoy.ts";
import { NO_KEYS } from "../../../test/support/gateway/envoy-plane.ts";
import {
  backend,
  gatewayOf,
  listener,
  retryConfig,
  route,
  rule,
} from "../../../test/support/gateway/gateway-configs.ts";
import { createRegex } from "../../adapters/regex/create-regex.ts";
import type { FilterConfig, RouteConfig, RuleConfig } from "../../core/dataplane/gateway-config.ts";
import type { RouteMatch } from "../../core/routing/route-match.ts";
import { bootstrapJson } from "../bootstrap-json.ts";
import { compileStaticBootstrap } from "./compile-bootstrap.ts";
import { createGatewayCompiler, type XdsResources } from "./compile-gateway.ts";

const named = (name: string, more: Partial<RuleConfig>): RuleConfig =>
  rule([backend("bread")], { rule: name, ...more });

const regex = (value: string) => ({ type: "RegularExpression", value }) as const;
const header = (name: string, value: string): FilterConfig => ({
  type: "RequestHeaderModifier",
  remove: [],
  set: [{ name, value }],
  add: [],
});
const rewrite = (hostname: string | undefined, path?: string): FilterConfig => ({
  type: "URLRewrite",
  hostname,
  path: path === undefined ? undefined : { type: "ReplaceFullPath", path },
});

/** Matches that cannot be: nothing comes to them. */
const badMatches: Readonly<Record<string, Partial<RouteMatch>>> = {
  "a pattern with a lookahead": { path: regex("/(?=a)") },
  "a pattern that does not end": { path: regex("/(") },
  "an empty pattern": { path: regex("") },
  "a prefix with a question mark": { path: { type: "PathPrefix", value: "/a?b" } },
  "a prefix with a hash": { path: { type: "PathPrefix", value: "/a#b" } },
  "a header whose name has a space": { headers: [{ name: "x y", value: { type: "Exact", value: "1" } }] },
  "a header without a name": { headers: [{ name: "", value: { type: "Exact", value: "1" } }] },
  "a header's bad pattern": { headers: [{ name: "x", value: regex("[") }] },
  "a query parameter without a name": { query: [{ name: "", value: { type: "Exact", value: "1" } }] },
  "a query parameter's bad pattern": { query: [{ name: "q", value: regex("*") }] },
  "a gRPC pattern": { path: undefined, grpc: { type: "RegularExpression", service: "(", method: undefined } },
};

/** Rules that cannot be carried out: their requests get a 500. */
const badFilters: Readonly<Record<string, FilterConfig>> = {
  "a header name with a colon": header(":path", "/"),
  "a header name with a space": header("x y", "1"),
  "an empty header name": header("", "1"),
  "a line break in a header value": header("x", "a\r\nset-cookie: b"),
  "a zero in a header value": header("x", "a\u0000b"),
  "a header value without end": header("x", "v".repeat(20_000)),
  "a host with a line break": rewrite("a\nb"),
  "a host with a space": rewrite("a b"),
  "a path with a line break": rewrite(undefined, "/a\nb"),
  "a removed header without a name": { type: "ResponseHeaderModifier", remove: [""], set: [], add: [] },
  "a CORS header with a line break": {
    type: "CORS",
    allowOrigins: ["*"],
    allowCredentials: false,
    allowMethods: [],
    allowHeaders: ["x\ny"],
    exposeHeaders: [],
    maxAgeSeconds: 5,
  },
};

const compile = (routes: readonly RouteConfig[]): XdsResources =>
  createGatewayCompiler({
    bind: (_, port) => ({ host: "127.0.0.1", port }),
    delivery: "Static",
    systemAuthorities: "/etc/ca.crt",
    slackMs: 1,
    matchRegex: createRegex(),
  }).compile(
    gatewayOf([{ port: 8080, protocol: "HTTP", listeners: [listener({ virtualHosts: [{ hostname: "*", routes }] })] }]),
    new Map(),
    NO_KEYS,
  );

const good = ["one", "two"].map((name) => route(named(name, {}), { path: { type: "PathPrefix", value: `/${name}` } }));

const matched = Object.entries(badMatches).map(([name, match]) => route(named(name, {}), match));
const filtered = Object.entries(badFilters).map(([name, filter]) =>
  route(named(name, { filters: [filter] }), { path: { type: "Exact", value: `/${name.replaceAll(" ", "-")}` } }),
);

const routesOf = ({ routes }: XdsResources) => [...routes.values()].flat().flatMap(({ host }) => host.routes);

test("good routes among bad ones are as they are alone, and every bad one is named", () => {
  const [first, second] = good;
  const all = [
    ...(first === undefined ? [] : [first]),
    ...matched,
    ...filtered,
    ...(second === undefined ? [] : [second]),
  ];
  const compiled = compile(all);
  const kept = routesOf(compiled);
  const alone = routesOf(compile(good));
  expect(kept.filter(({ action }) => action.case === "route")).toEqual(alone);
  const reported = compiled.problems.map(({ message }) => message.slice(0, message.indexOf(":")));
  expect(reported).toEqual([...Object.keys(badMatches), ...Object.keys(badFilters)]);
});

test.each(filtered)("$rule.rule: responds with 500", (bad) => {
  const [only] = routesOf(compile([bad]));
  expect(only?.action).toMatchObject({ case: "directResponse", value: { status: 500 } });
});

test.each(matched)("$rule.rule: matches nothing", (bad) => {
  expect(routesOf(compile([bad]))).toEqual([]);
});

const envoy = findEnvoy();

test.skipIf(envoy === undefined)("Envoy takes what is left of all of them together", () => {
  const json = bootstrapJson(compileStaticBootstrap("bakery/door", compile([...matched, ...filtered, ...good])));
  expect(validateBootstrap(envoy ?? "", json)).toBe(undefined);
});

describe("what Envoy cannot keep exactly", () => {
  const budget = { percent: 20, intervalMs: 10_000, minRetryRate: { count: 10, intervalMs: 1000 } };
  test.each([
    [
      "a budget with a backoff",
      retryConfig({ backoffMs: 100 }, { budget }),
      "cannot enforce a retry budget together with a backoff",
    ],
    ["a budget without one", retryConfig({}, { budget }), "minRetryRate"],
    ["very many attempts", retryConfig({ attempts: 1000 }), "at most 100 times, not 1000"],
  ])("%s is reported", (_, retry, words) => {
    const { problems } = compile([route(rule([backend("bread", { retry })]))]);
    expect(problems.map(({ message }) => message)).toEqual([expect.stringContaining(words)]);
  });

  test("an ordinary policy has no problem", () => {
    expect(compile([route(rule([backend("bread", { retry: retryConfig({ backoffMs: 100 }) })]))]).problems).toEqual([]);
  });
});
