import { describe, expect, test } from "vitest";
import { type ListenerName, routeConfigName, scopeName, virtualHostName } from "../../compile/resource-names.ts";
import { VirtualHostSchema } from "../../gen/envoy/config/route/v3/route_components_pb.ts";
import { RouteConfigurationSchema } from "../../gen/envoy/config/route/v3/route_pb.ts";
import { ScopedRouteConfigurationSchema } from "../../gen/envoy/config/route/v3/scoped_route_pb.ts";
import { create, fromBinary } from "../../protobuf.ts";
import { createRouteEncoder } from "./encode-routes.ts";

const CONFIG = routeConfigName("bakery/door:80" as ListenerName);

const host = (domain: string, ...routes: readonly string[]) => ({
  host: create(VirtualHostSchema, {
    name: virtualHostName(CONFIG, domain),
    domains: [domain],
    routes: routes.map((name) => ({ name })),
  }),
  uses: [],
  problems: [],
});

/** Requests that no route of the host matches do not go on to a wildcard. */
const NO_ROUTE = { name: "no route", action: { case: "directResponse", value: { status: 404 } } };

const encoded = (...hosts: readonly ReturnType<typeof host>[]) => createRouteEncoder()(new Map([[CONFIG, hosts]]));
const bytes = (resource: { readonly any: { readonly value: Uint8Array } } | undefined): Uint8Array =>
  resource?.any.value ?? expect.fail("there is no such resource");

test("a host has a route configuration of its own, and a scope that leads there", () => {
  const { Scope, Route } = encoded(host("a.example", "one", "two"));
  const routes = fromBinary(RouteConfigurationSchema, bytes(Route.get(`${CONFIG}/a.example`)));
  expect(routes).toMatchObject({ name: `${CONFIG}/a.example`, ignorePortInHostMatching: true });
  expect(routes.virtualHosts).toMatchObject([
    { domains: ["a.example"], routes: [{ name: "one" }, { name: "two" }, NO_ROUTE] },
  ]);
  expect([...Scope.keys()]).toEqual([scopeName(`${CONFIG}/a.example`)]);
  const scope = fromBinary(ScopedRouteConfigurationSchema, bytes(Scope.get(scopeName(`${CONFIG}/a.example`))));
  expect(scope).toMatchObject({
    name: scopeName(`${CONFIG}/a.example`),
    routeConfigurationName: `${CONFIG}/a.example`,
    key: { fragments: [{ type: { case: "stringKey", value: "a.example" } }] },
  });
});

describe("with wildcards", () => {
  const { Scope, Route, VirtualHost } = encoded(
    host("a.example", "own"),
    host("*.b.example", "narrow"),
    host("*.example", "wide"),
    host("*.empty.test"),
  );
  const namesOf = (domain: string): readonly string[] => {
    const routes = fromBinary(RouteConfigurationSchema, bytes(Route.get(`${CONFIG}/${domain}`)));
    return routes.virtualHosts.flatMap((one) => one.routes.map(({ name }) => name));
  };

  test("all are scopes and virtual hosts", () => {
    expect([...Scope.keys()]).toHaveLength(4);
    expect([...VirtualHost.keys()]).toHaveLength(4);
  });

  test.each([
    ["a.example", "own"],
    ["x.y.b.example", "narrow"],
    ["x.example", "wide"],
    ["*.example", "wide"],
  ])("an Envoy that requests %s by name gets the routes for it: %s", (domain, name) => {
    expect(namesOf(domain)).toEqual([name, NO_ROUTE.name]);
    expect(Scope.get(scopeName(`${CONFIG}/${domain}`))).toBeDefined();
  });

  test.each(["x.test", "x.empty.test", "*.test"])("%s is not a valid host", (domain) => {
    expect(Route.get(`${CONFIG}/${domain}`)).toBe(undefined);
    expect(Scope.get(scopeName(`${CONFIG}/${domain}`))).toBe(undefined);
  });
});

test("what has not changed is the same resource, and the same table", () => {
  const encode = createRouteEncoder();
  const [a, b] = [host("a.example", "one"), host("b.example", "one")];
  const before = encode(new Map([[CONFIG, [a, b]]]));
  const resource = before.Route.get(`${CONFIG}/a.example`);
  expect(encode(new Map([[CONFIG, [a, b]]]))).toBe(before);
  const after = encode(new Map([[CONFIG, [a, host("b.example", "other")]]]));
  expect(after.Scope).toBe(before.Scope);
  expect(after.Route).not.toBe(before.Route);
  expect(after.Route.get(`${CONFIG}/a.example`)).toBe(resource);
});
