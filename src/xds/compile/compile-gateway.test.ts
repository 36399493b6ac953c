import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { findEnvoy, validateBootstrap } from "../../../test/support/gateway/envoy.ts";
import {
  backend,
  backendConfig,
  gatewayConfig,
  gatewayOf,
  gatewayRef,
  listener,
  retryConfig,
  route,
  rule,
} from "../../../test/support/gateway/gateway-configs.ts";
import { expectGolden } from "../../../test/support/golden.ts";
import { createRegex } from "../../adapters/regex/create-regex.ts";
import { formatYaml } from "../../cli/print/markup/format-yaml.ts";
import type {
  EndpointsId,
  FilterConfig,
  GatewayConfig,
  WeightedBackendConfig,
} from "../../core/dataplane/gateway-config.ts";
import { bootstrapJson } from "../bootstrap-json.ts";
import { compileStaticBootstrap } from "./compile-bootstrap.ts";
import { createGatewayCompiler, type EnvoyCompileOptions, type XdsResources } from "./compile-gateway.ts";
import type { EnvoySecrets } from "./envoy-secrets.ts";

const testdata = (name: string): string => fileURLToPath(new URL(`./testdata/${name}`, import.meta.url));
const pem = (name: string): { readonly file: string } => ({
  file: fileURLToPath(new URL(`../../../test/support/testdata/tls/${name}`, import.meta.url)),
});

const secrets: EnvoySecrets = {
  findCertificate: ({ name }) =>
    name === "missing" ? undefined : { chain: pem("tls.crt"), privateKey: pem("tls.key") },
  findAuthorities: () => pem("tls.crt"),
};

const options: EnvoyCompileOptions = {
  bind: (_, port) => ({ host: "127.0.0.1", port }),
  delivery: "Static",
  systemAuthorities: "/etc/ca.crt",
  slackMs: 1,
  matchRegex: createRegex(),
};

const endpoints = new Map([["bakery/bread:80" as EndpointsId, [{ address: "127.0.0.1", port: 8081 }]]]);

const compile = (config: GatewayConfig, more: Partial<EnvoyCompileOptions> = {}): XdsResources =>
  createGatewayCompiler({ ...options, ...more }).compile(config, endpoints, secrets);

const secretRef = (name: string) => ({ group: "", kind: "Secret", namespace: "bakery", name });

/** A virtual host of a listener that is not HTTP: its backends with their weights. Undefined: a backend that cannot be used. */
function streamHost(hostname: string, ...to: readonly (readonly [name: string | undefined, weight: number])[]) {
  const backends = to.map(
    ([name, weight]): WeightedBackendConfig =>
      name === undefined
        ? { weight, target: { type: "Unavailable", status: 500, reason: "missing" } }
        : backend(name, { backend: backendConfig(name, { protocol: "TCP" }) }, weight),
  );
  return [{ hostname, routes: [route(rule(backends), { index: -1, path: undefined })] }];
}

const filters: readonly FilterConfig[] = [
  {
    type: "RequestHeaderModifier",
    remove: ["x-gone"],
    set: [
      { name: "x-set", value: "100%" },
      { name: "host", value: "inner.example" },
    ],
    add: [{ name: "x-add", value: "" }],
  },
  { type: "ResponseHeaderModifier", remove: ["server"], set: [{ name: "x-set", value: "1" }], add: [] },
  { type: "URLRewrite", hostname: undefined, path: { type: "ReplacePrefixMatch", prefix: "/old", path: "/new" } },
  { type: "RequestMirror", backend: backendConfig("shadow"), numerator: 1, denominator: 3 },
  {
    type: "CORS",
    allowOrigins: ["https://*.bakery.example", "https://exact.example", "*"],
    allowCredentials: true,
    allowMethods: ["PUT"],
    allowHeaders: ["x-one", "x-two"],
    exposeHeaders: ["x-three"],
    maxAgeSeconds: 60,
  },
];

const tls = { hostname: "bread.bakery", subjectAltNames: [], authorities: [secretRef("ca")] };

const CART = { type: "Cookie", name: "cart", path: "/", isPermanent: true, absoluteTimeoutMs: undefined } as const;

const scenarios: Readonly<Record<string, GatewayConfig>> = {
  matches: gatewayConfig([
    route(rule([backend("bread")]), {
      path: { type: "Exact", value: "/exact" },
      method: "GET",
      headers: [
        { name: "x-one", value: { type: "Exact", value: "1" } },
        { name: "x-two", value: { type: "RegularExpression", value: "a+b" } },
      ],
      query: [{ name: "q", value: { type: "RegularExpression", value: "[0-9]+" } }],
    }),
    route(rule([backend("bread")]), { path: { type: "RegularExpression", value: "/v[0-9]+/.*" } }),
    route(rule([backend("bread")]), { path: { type: "PathPrefix", value: "/folder/" } }),
    ...[
      { type: "Exact", service: "bakery.Oven", method: "Bake" } as const,
      { type: "Exact", service: "bakery.Oven", method: undefined } as const,
      { type: "Exact", service: undefined, method: "Bake" } as const,
      { type: "RegularExpression", service: "bakery\\..*", method: "B.*" } as const,
    ].map((grpc) =>
      route(rule([backend("oven", { backend: backendConfig("oven", { protocol: "HTTP/2" }) })]), {
        path: undefined,
        grpc,
      }),
    ),
  ]),
  filters: gatewayConfig([
    route(rule([backend("bread")], { filters }), { path: { type: "PathPrefix", value: "/old" } }),
  ]),
  shares: gatewayConfig([
    route(
      rule([
        backend("bread", {}, 1),
        { weight: 1, target: { type: "Unavailable", status: 500, reason: "missing" } },
        backend("cake", { retry: retryConfig() }, 2),
      ]),
    ),
  ]),
  sessions: gatewayConfig([
    route(rule([backend("bread", { session: CART })]), { path: { type: "Exact", value: "/one" } }),
    route(
      rule([
        backend("bread", { session: { ...CART, absoluteTimeoutMs: 60_000 } }, 1),
        backend("cake", { session: { ...CART, absoluteTimeoutMs: 60_000 } }, 2),
      ]),
      { path: { type: "Exact", value: "/split" } },
    ),
    route(rule([backend("bread", { session: { type: "Header", name: "x-cart", absoluteTimeoutMs: undefined } })]), {
      path: { type: "Exact", value: "/header" },
    }),
  ]),
  retries: gatewayConfig([
    route(rule([backend("bread", { retry: retryConfig() })]), { path: { type: "Exact", value: "/soon" } }),
    route(
      rule([backend("bread", { retry: retryConfig({ backoffMs: 100, attempts: 3 }), backendRequestTimeoutMs: 2000 })], {
        requestTimeoutMs: 10_000,
      }),
      { path: { type: "Exact", value: "/waits" } },
    ),
    route(rule([backend("bread", { retry: retryConfig({ backoffMs: 100, afterSend: "Always" }) })]), {
      path: { type: "Exact", value: "/always" },
    }),
    route(rule([backend("bread", { retry: retryConfig({ backoffMs: 100 }) })]), {
      path: { type: "Exact", value: "/posts" },
      method: "POST",
    }),
  ]),
  redirects: gatewayConfig(
    (
      [
        { scheme: "https", hostname: undefined, path: undefined, port: undefined, status: 301 },
        { scheme: undefined, hostname: "new.example", path: undefined, port: 8443, status: 302 },
        {
          scheme: undefined,
          hostname: undefined,
          path: { type: "ReplaceFullPath", path: "/new" },
          port: undefined,
          status: 308,
        },
      ] as const
    ).map((redirect, index) =>
      route(rule([], { action: { type: "Redirect", redirect } }), { path: { type: "Exact", value: `/${index}` } }),
    ),
  ),
  tls: gatewayOf([
    {
      port: 8443,
      protocol: "TLS",
      listeners: [
        listener({
          name: "shop",
          hostname: "shop.bakery.example",
          certificates: [secretRef("shop")],
          virtualHosts: [
            {
              hostname: "shop.bakery.example",
              routes: [route(rule([backend("bread", { backend: backendConfig("bread", { tls }) })]))],
            },
          ],
        }),
        listener({ name: "lost", hostname: "lost.bakery.example", certificates: [secretRef("missing")] }),
        listener({ name: "any", certificates: [secretRef("any")] }),
      ],
    },
  ]),
  streams: gatewayOf([
    {
      port: 53,
      protocol: "UDP",
      listeners: [listener({ name: "dns", protocol: "UDP", virtualHosts: streamHost("*", ["bread", 2], ["cake", 1]) })],
    },
    {
      port: 5432,
      protocol: "TCP",
      listeners: [
        listener({ name: "db", protocol: "TCP", virtualHosts: streamHost("*", ["bread", 2], [undefined, 1]) }),
      ],
    },
    {
      port: 8443,
      protocol: "TLS",
      listeners: [
        listener({ name: "web", hostname: "a.example", certificates: [secretRef("any")] }),
        listener({
          name: "end",
          protocol: "TLS",
          hostname: "*.end.example",
          certificates: [secretRef("any")],
          virtualHosts: streamHost("db.end.example", ["bread", 1]),
        }),
        listener({
          name: "pass",
          protocol: "TLS",
          tls: "Passthrough",
          // The first belongs to the listener with that hostname.
          virtualHosts: [...streamHost("a.example", ["bread", 1]), ...streamHost("*.pass.example", ["bread", 1])],
        }),
      ],
    },
  ]),
};

const envoy = findEnvoy();

describe.each(Object.entries(scenarios))("%s", (name, config) => {
  const json = bootstrapJson(compileStaticBootstrap("bakery/door", compile(config)));

  test("compiles to what was reviewed", () => {
    const folder = pem("").file;
    expectGolden(testdata(`${name}.yaml`), formatYaml(json).replaceAll(folder, ""));
  });

  test.skipIf(envoy === undefined)("is taken by Envoy", () => {
    expect(validateBootstrap(envoy ?? "", json)).toBe(undefined);
  });
});

test("a listener without a certificate is left out: the others of its port are served", () => {
  const [found] = compile(scenarios["tls"] ?? gatewayOf([])).listeners.values();
  expect(found?.filterChains.map(({ name }) => name)).toEqual(["shop", "any"]);
});

test("the order of routes, hosts and listeners changes no name", () => {
  const namesOf = (config: GatewayConfig): readonly string[] => {
    const { clusters, listeners, routes } = compile(config, { delivery: "Delta" });
    return [
      ...clusters.keys(),
      ...listeners.keys(),
      ...[...routes.values()].flat().map(({ host }) => host.name),
    ].sort();
  };
  const rules = ["bread", "cake", "rolls"].map((name) =>
    route(rule([backend(name, { retry: retryConfig({ backoffMs: 50 }) })]), {
      path: { type: "PathPrefix", value: `/${name}` },
    }),
  );
  expect(namesOf(gatewayConfig(rules))).toEqual(namesOf(gatewayConfig([...rules].reverse())));
});

describe("what has not changed", () => {
  const bread = { hostname: "bread.example", routes: [route(rule([backend("bread")]))] };
  const cake = { hostname: "cake.example", routes: [route(rule([backend("cake")]))] };
  const config = (hosts: readonly (typeof bread)[]): GatewayConfig =>
    gatewayOf([{ port: 80, protocol: "HTTP", listeners: [listener({ owner: gatewayRef, virtualHosts: hosts })] }]);

  test("is the same object as before", () => {
    const compiler = createGatewayCompiler({ ...options, delivery: "Delta" });
    const before = compiler.compile(config([bread, cake]), endpoints, secrets);
    const changed = { ...cake, routes: [route(rule([backend("rolls")]))] };
    const after = compiler.compile(config([bread, changed]), endpoints, secrets);
    const hostsOf = ({ routes }: XdsResources) =>
      new Map([...routes.values()].flat().map(({ host }) => [host.domains[0], host]));
    expect(hostsOf(after).get("bread.example")).toBe(hostsOf(before).get("bread.example"));
    expect(hostsOf(after).get("cake.example")).not.toBe(hostsOf(before).get("cake.example"));
    expect(after.clusters.get("bakery/bread:80")).toBe(before.clusters.get("bakery/bread:80"));
    expect([...after.clusters.keys()].sort()).toEqual(["bakery/bread:80", "bakery/rolls:80"]);
    expect(after.endpoints.get("bakery/bread:80")).toBe(before.endpoints.get("bakery/bread:80"));
  });
});
