import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { backend, listener, route, rule } from "../../../../test/support/gateway/gateway-configs.ts";
import type {
  FilterConfig,
  ListenerConfig,
  RouteConfig,
  VirtualHostConfig,
} from "../../../core/dataplane/gateway-config.ts";
import { remember } from "../../../core/model/collections/remember.ts";
import { RouteSchema } from "../../gen/envoy/config/route/v3/route_components_pb.ts";
import { CorsSchema } from "../../gen/envoy/extensions/filters/http/cors/v3/cors_pb.ts";
import { create, pack } from "../../protobuf.ts";
import { type ListenerName, routeConfigName } from "../resource-names.ts";
import { type CompiledHosts, createVirtualHostCompiler } from "./compile-virtual-hosts.ts";

const at = (name: string, path = `/${name}`): RouteConfig =>
  route(rule([backend(name)], { rule: name }), { path: { type: "PathPrefix", value: path } });

const host = (hostname: string, ...routes: readonly RouteConfig[]): VirtualHostConfig => ({ hostname, routes });

const compiler = () =>
  createVirtualHostCompiler(routeConfigName("bakery/door:80" as ListenerName), (one) => ({
    routes: [
      create(RouteSchema, {
        name: one.rule.rule,
        typedPerFilterConfig: one.rule.filters.length === 0 ? {} : { cors: pack(CorsSchema, {}) },
      }),
    ],
    uses: [],
    problems: [],
  }));

/** The rules of each domain, in order. */
const rulesByDomain = (listeners: readonly ListenerConfig[]): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(
    compiler()
      .compile(listeners)
      .hosts.map(({ host: { domains, routes } }) => [domains.join(), routes.map(({ name }) => name)]),
  );

describe("precedence among hostnames", () => {
  test("where the routes of a host do not match, those of less specific hostnames are asked", () => {
    const virtualHosts = [
      host("shop.bakery.example", at("shop")),
      host("*.bakery.example", at("any-bakery")),
      host("*.example", at("any-example")),
      host("*", at("any")),
    ];
    expect(rulesByDomain([listener({ virtualHosts })])).toEqual({
      "shop.bakery.example": ["shop", "any-bakery", "any-example", "any"],
      "*.bakery.example": ["any-bakery", "any-example", "any"],
      "*.example": ["any-example", "any"],
      "*": ["any"],
    });
  });

  test("a wildcard does not take the name below it", () => {
    const virtualHosts = [host("bakery.example", at("own")), host("*.bakery.example", at("wild"))];
    expect(rulesByDomain([listener({ virtualHosts })])["bakery.example"]).toEqual(["own"]);
  });

  test("nothing is asked after a route that takes everything", () => {
    const virtualHosts = [host("shop.example", at("all", "/"), at("never")), host("*", at("nor-this"))];
    expect(rulesByDomain([listener({ virtualHosts })])["shop.example"]).toEqual(["all"]);
  });
});

describe("listener isolation", () => {
  test("a request goes to the most specific listener, and to no other", () => {
    const wild = listener({
      name: "wild",
      hostname: "*.bakery.example",
      virtualHosts: [host("a.bakery.example", at("a"))],
    });
    const any = listener({ name: "any", virtualHosts: [host("b.bakery.example", at("b")), host("*", at("any"))] });
    expect(rulesByDomain([wild, any])).toEqual({
      "*.bakery.example": [],
      "a.bakery.example": ["a"],
      // The route is attached to the other listener, which never gets such a request.
      "b.bakery.example": [],
      "*": ["any"],
    });
  });

  test("a listener without routes still keeps its hosts from others", () => {
    const empty = listener({ name: "empty", hostname: "shop.example" });
    const any = listener({ name: "any", virtualHosts: [host("*", at("any"))] });
    expect(rulesByDomain([empty, any])).toEqual({ "shop.example": [], "*": ["any"] });
  });
});

test("a change of a wildcard changes the hosts that it takes, and no other", () => {
  const one = compiler();
  const [shop, other] = [host("shop.bakery.example", at("shop")), host("other.example", at("other"))];
  const before = one.compile([listener({ virtualHosts: [shop, other, host("*.bakery.example", at("wild"))] })]);
  const after = one.compile([listener({ virtualHosts: [shop, other, host("*.bakery.example", at("wilder"))] })]);
  const changed = after.hosts
    .filter((compiled) => !before.hosts.includes(compiled))
    .map(({ host: { domains } }) => domains[0]);
  expect(new Set(changed)).toEqual(new Set(["*.bakery.example", "shop.bakery.example"]));
});

test.each([
  ["routes of a wildcard", [host("*.bakery.example", at("wild"))], ["*.bakery.example", "*"]],
  ["routes for every host", [host("*", at("any"))], ["*"]],
  ["routes of exact hosts alone", [host("shop.example", at("shop"))], []],
])("%s: the wildcards that are searched for", (_, virtualHosts, wildcards) => {
  const one = compiler();
  const search = (hosts: readonly VirtualHostConfig[]): readonly string[] => {
    const compiled = one.compile([listener({ virtualHosts: hosts })]);
    expect(compiled.canHaveScopes).toBe(true);
    return [...compiled.wildcards].sort((a, b) => b.length - a.length);
  };
  expect(search(virtualHosts)).toEqual(wildcards);
  expect(search([...virtualHosts, host("more.example", at("more"))])).toEqual(wildcards);
  expect(search([...virtualHosts, host("more.example", at("other"))])).toEqual(wildcards);
});

test("whatever hosts come, go and change, the result is that of a first compilation, and other hosts stay the same objects", () => {
  const name = fc.constantFrom("a.example", "b.example", "c.example", "x.shop.example", "*.example", "*");
  const hosts = fc.uniqueArray(fc.tuple(name, fc.integer({ min: 0, max: 2 })), { selector: ([one]) => one });
  const known = new Map<string, VirtualHostConfig>();
  const made = ([hostname, version]: readonly [string, number]): VirtualHostConfig =>
    remember(known, `${hostname} ${version}`, () => host(hostname, at(`${hostname}-${version}`)));
  const steps = fc.array(fc.tuple(hosts, hosts, fc.boolean()), { minLength: 2, maxLength: 8 });
  const shown = ({ hosts: compiled }: CompiledHosts): unknown =>
    compiled.map(({ host: { domains, routes } }) => [domains, routes.map((one) => one.name)]);
  const shop = listener({ name: "shop", hostname: "*.shop.example" });
  fc.assert(
    fc.property(steps, (all) => {
      const one = compiler();
      let last: CompiledHosts | undefined;
      for (const [own, others, isForeign] of all) {
        const listeners = [
          listener({ name: "exact", hostname: "b.example", virtualHosts: others.map(made) }),
          listener({ virtualHosts: own.map(made) }),
        ];
        const foreign = isForeign ? [shop] : [];
        const now = one.compile(listeners, foreign);
        const first = compiler().compile(listeners, foreign);
        expect(shown(now)).toEqual(shown(first));
        expect([now.wildcards, now.canHaveScopes]).toEqual([first.wildcards, first.canHaveScopes]);
        for (const { host: before } of last?.hosts ?? []) {
          const same = now.hosts.find(({ host: after }) => after.name === before.name)?.host;
          const names = (of: typeof before): string => JSON.stringify(of.routes.map((route) => route.name));
          if (same !== undefined && names(same) === names(before)) expect(same).toBe(before);
        }
        last = now;
      }
    }),
    { numRuns: 200 },
  );
});

const CORS: FilterConfig = {
  type: "CORS",
  allowOrigins: [],
  allowCredentials: false,
  allowMethods: [],
  allowHeaders: [],
  exposeHeaders: [],
  maxAgeSeconds: 5,
};

test.each([
  ["a route with filters of its own", "*.bakery.example", [CORS]],
  ["a name that is none", '*.bakery"]=1 os.exit() x["', []],
])("a wildcard with %s: hosts have no scopes", (_, hostname, filters) => {
  const routes = [route(rule([backend("bread")], { filters }))];
  expect(compiler().compile([listener({ virtualHosts: [{ hostname, routes }] })]).canHaveScopes).toBe(false);
});
