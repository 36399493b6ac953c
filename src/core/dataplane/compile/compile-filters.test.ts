import { describe, expect, test } from "vitest";
import { gateway, referenceGrant, route, service } from "../../../../test/support/cluster/gateway-objects.ts";
import { compileDataplane, type DataplaneConfig, type RuleConfig } from "../../../dataplane.ts";
import { buildSnapshot, evaluate } from "../../../index.ts";
import type { JsonObject } from "../../model/json.ts";
import { formatRef } from "../../model/refs.ts";

const compile = (objects: readonly JsonObject[]): DataplaneConfig =>
  compileDataplane(evaluate(buildSnapshot(objects, { validated: true })), { endpointAnnotations: "Used" });

const withRule = (fields: JsonObject, ...more: readonly JsonObject[]): DataplaneConfig =>
  compile([
    gateway("g"),
    service("b"),
    service("m"),
    route("r", "Gateway/g", { rules: [{ backends: ["b"], fields }] }),
    ...more,
  ]);

const ruleOf = ({ gateways }: DataplaneConfig): RuleConfig | undefined =>
  gateways[0]?.ports[0]?.listeners[0]?.virtualHosts[0]?.routes[0]?.rule;

const filtersOf = (...filters: readonly JsonObject[]) => ruleOf(withRule({ filters }))?.filters;

const problemsOf = ({ problems }: DataplaneConfig): readonly string[] =>
  problems.map(({ object, field, message }) => `${formatRef(object)} ${field}: ${message}`);

describe("header modifiers", () => {
  const modifier = {
    set: [
      { name: "X-A", value: "1" },
      { name: "x-a", value: "2" },
    ],
    add: [{ name: "X-B", value: "1" }],
    remove: ["X-C", "x-c"],
  };
  const changes = { set: [{ name: "x-a", value: "1" }], add: [{ name: "x-b", value: "1" }], remove: ["x-c"] };

  test("names in lower case; of the same name the first counts", () => {
    expect(filtersOf({ type: "RequestHeaderModifier", requestHeaderModifier: modifier })).toEqual([
      { type: "RequestHeaderModifier", ...changes },
    ]);
    expect(filtersOf({ type: "ResponseHeaderModifier", responseHeaderModifier: modifier })).toEqual([
      { type: "ResponseHeaderModifier", ...changes },
    ]);
  });

  test("of a single backend, beside those of the rule", () => {
    const filter = { type: "RequestHeaderModifier", requestHeaderModifier: modifier };
    const config = compile([
      gateway("g"),
      service("b"),
      route("r", "Gateway/g", { rules: [{ fields: { backendRefs: [{ name: "b", port: 80, filters: [filter] }] } }] }),
    ]);
    expect(ruleOf(config)).toMatchObject({
      filters: [],
      action: { backends: [{ target: { filters: [{ type: "RequestHeaderModifier", ...changes }] } }] },
    });
  });
});

describe("paths", () => {
  const rewrite = (path: JsonObject): JsonObject => ({
    type: "URLRewrite",
    urlRewrite: { hostname: "h.example", path },
  });

  test("rewritten whole", () => {
    expect(filtersOf(rewrite({ type: "ReplaceFullPath", replaceFullPath: "/x" }))).toEqual([
      { type: "URLRewrite", hostname: "h.example", path: { type: "ReplaceFullPath", path: "/x" } },
    ]);
  });

  test("rewritten by prefix: that of the one match, or of none", () => {
    const path = { type: "ReplacePrefixMatch", replacePrefixMatch: "/x" };
    const matches = [{ path: { type: "PathPrefix", value: "/old" } }];
    expect(ruleOf(withRule({ matches, filters: [rewrite(path)] }))?.filters).toMatchObject([
      { path: { prefix: "/old", path: "/x" } },
    ]);
    expect(filtersOf(rewrite(path))).toMatchObject([{ path: { prefix: "/", path: "/x" } }]);
  });

  test("no path at all", () => {
    expect(filtersOf({ type: "URLRewrite", urlRewrite: { hostname: "h" } })).toEqual([
      { type: "URLRewrite", hostname: "h", path: undefined },
    ]);
  });
});

describe("redirects", () => {
  test.each<[string, JsonObject, JsonObject]>([
    ["nothing set", {}, { status: 302 }],
    [
      "everything",
      {
        scheme: "https",
        hostname: "h",
        port: 8443,
        statusCode: 308,
        path: { type: "ReplaceFullPath", replaceFullPath: "/x" },
      },
      { scheme: "https", hostname: "h", port: 8443, status: 308, path: { type: "ReplaceFullPath", path: "/x" } },
    ],
    ["303", { statusCode: 303 }, { status: 303 }],
    ["307", { statusCode: 307 }, { status: 307 }],
  ])("%s", (_, requestRedirect, expected) => {
    const unset = { scheme: undefined, hostname: undefined, path: undefined, port: undefined };
    const action = ruleOf(withRule({ filters: [{ type: "RequestRedirect", requestRedirect }] }))?.action;
    expect(action).toEqual({ type: "Redirect", redirect: { ...unset, ...expected } });
  });
});

describe("mirrors", () => {
  const mirror = (backendRef: JsonObject, share: JsonObject = {}): JsonObject => ({
    type: "RequestMirror",
    requestMirror: { backendRef, ...share },
  });
  const to = { name: "m", port: 80 };

  test.each<[string, JsonObject, [number, number]]>([
    ["all requests", {}, [100, 100]],
    ["a percentage", { percent: 7 }, [7, 100]],
    ["none", { percent: 0 }, [0, 100]],
    ["a fraction", { fraction: { numerator: 1, denominator: 1000 } }, [1, 1000]],
    ["a fraction of a hundred", { fraction: { numerator: 3 } }, [3, 100]],
  ])("%s", (_, share, [numerator, denominator]) => {
    expect(filtersOf(mirror(to, share))).toMatchObject([
      { type: "RequestMirror", backend: { id: "default/m:80" }, numerator, denominator },
    ]);
  });

  test("to two backends", () => {
    expect(filtersOf(mirror(to), mirror({ name: "b", port: 80 }))).toMatchObject([
      { backend: { id: "default/m:80" } },
      { backend: { id: "default/b:80" } },
    ]);
  });

  test.each<[string, JsonObject, string]>([
    ["missing", { name: "x", port: 80 }, "no Service 'x' in namespace 'default'"],
    ["without a port", { name: "m" }, "the reference to Service default/m has no port"],
    [
      "of another kind",
      { group: "x.io", kind: "Bucket", name: "m" },
      "only Services are supported as backends of filters",
    ],
    [
      "elsewhere without a grant",
      { name: "m", namespace: "other", port: 80 },
      "no ReferenceGrant in namespace 'other' allows a reference to Service other/m from HTTPRoute in namespace 'default'",
    ],
  ])("one that is %s is left out and reported; the request is forwarded", (_, ref, why) => {
    const config = withRule({ filters: [mirror(ref)] });
    expect(ruleOf(config)).toMatchObject({ filters: [], action: { type: "Forward" } });
    expect(problemsOf(config)).toEqual([
      `HTTPRoute default/r spec.rules[0].filters[0].requestMirror.backendRef: ${why}: nothing is mirrored`,
    ]);
  });

  test("elsewhere with a grant", () => {
    const grant = referenceGrant("x", "other", {
      from: { kind: "HTTPRoute", namespace: "default" },
      to: { kind: "Service" },
    });
    const config = withRule(
      { filters: [mirror({ name: "m", namespace: "other", port: 80 })] },
      service("m", { namespace: "other" }),
      grant,
    );
    expect(ruleOf(config)?.filters).toMatchObject([{ backend: { id: "other/m:80" } }]);
  });
});

test("CORS, with Gateway API's defaults", () => {
  const nothing = {
    allowOrigins: [],
    allowCredentials: false,
    allowMethods: [],
    allowHeaders: [],
    exposeHeaders: [],
    maxAgeSeconds: 5,
  };
  expect(filtersOf({ type: "CORS" })).toEqual([{ type: "CORS", ...nothing }]);
  const cors = {
    allowOrigins: ["https://a.example"],
    allowCredentials: true,
    allowMethods: ["PUT"],
    allowHeaders: ["X-A"],
    exposeHeaders: ["X-B"],
    maxAge: 60,
  };
  expect(filtersOf({ type: "CORS", cors })).toEqual([
    {
      type: "CORS",
      allowOrigins: ["https://a.example"],
      allowCredentials: true,
      allowMethods: ["PUT"],
      allowHeaders: ["x-a"],
      exposeHeaders: ["x-b"],
      maxAgeSeconds: 60,
    },
  ]);
});

/** Gateway API, "HTTPExternalAuthFilter". */
describe("external authorization", () => {
  const auth = (externalAuth: JsonObject): JsonObject => ({
    type: "ExternalAuth",
    externalAuth: { backendRef: { name: "m", port: 80 }, ...externalAuth },
  });

  test("over HTTP and over gRPC, with Gateway API's defaults", () => {
    const http = { path: "/check", allowedHeaders: ["X-A"], allowedResponseHeaders: ["X-B"] };
    const settings = { protocol: "HTTP", http, forwardBody: { maxSize: 7 } };
    expect(ruleOf(withRule({ filters: [auth(settings)] }))?.filters).toMatchObject([
      {
        type: "ExternalAuth",
        protocol: "HTTP",
        backend: { id: "default/m:80", protocol: "HTTP/1.1" },
        allowedHeaders: ["x-a"],
        path: "/check",
        allowedResponseHeaders: ["x-b"],
        maxBodyBytes: 7,
      },
    ]);
    expect(ruleOf(withRule({ filters: [auth({ protocol: "GRPC", grpc: {} })] }))?.filters).toMatchObject([
      { protocol: "GRPC", backend: { id: "default/m:80/h2", protocol: "HTTP/2" }, allowedHeaders: [], maxBodyBytes: 0 },
    ]);
  });

  test.each<[string, readonly JsonObject[], string]>([
    [
      "two of them",
      [auth({ protocol: "HTTP" }), auth({ protocol: "HTTP" })],
      "a rule can have one ExternalAuth filter",
    ],
    [
      "a server elsewhere without a grant",
      [auth({ protocol: "HTTP", backendRef: { name: "m", namespace: "other", port: 80 } })],
      "no ReferenceGrant in namespace 'other'",
    ],
  ])("%s: requests get a 500", (_, filters, why) => {
    const action = ruleOf(withRule({ filters }))?.action;
    expect(action).toEqual({ type: "Respond", status: 500, reason: expect.stringContaining(why) as string });
  });

  test("at a backendRef: its share of the requests gets a 500", () => {
    const config = withRule({ backendRefs: [{ name: "b", port: 80, filters: [auth({ protocol: "HTTP" })] }] });
    expect(ruleOf(config)?.action).toMatchObject({ type: "Respond", status: 500 });
  });
});
