/** Routes with values that Envoy refuses, among valid ones: each is reported by name, and the valid ones are unaffected. */
import { describe, expect, test } from "vitest";
import { createRegex } from "../../src/adapters/regex/create-regex.ts";
import { compileDataplane } from "../../src/core/compile.ts";
import { evaluate, findings } from "../../src/core/evaluate.ts";
import type { JsonObject } from "../../src/core/model/json.ts";
import { formatRef } from "../../src/core/model/refs.ts";
import { buildSnapshot } from "../../src/core/model/snapshot.ts";
import { builtInDefinitions } from "../../src/definitions/built-in-definitions.ts";
import { bootstrapJson } from "../../src/xds/bootstrap-json.ts";
import { compileStaticBootstrap } from "../../src/xds/compile/compile-bootstrap.ts";
import { createGatewayCompiler, type XdsResources } from "../../src/xds/compile/compile-gateway.ts";
import { createEncoder } from "../../src/xds/serve/encode/encode-resources.ts";
import { findEnvoy, validateBootstrap } from "../support/gateway/envoy.ts";
import { NO_KEYS } from "../support/gateway/envoy-plane.ts";

const API = "gateway.networking.k8s.io/v1";
const OK_REFS = [{ name: "bread", port: 80 }];

const headerFilter = (type: string, field: string, header: JsonObject): JsonObject => ({
  filters: [{ type, [field]: { set: [header] } }],
});
const match = (more: JsonObject): JsonObject => ({ matches: [more] });
const rewrite = (more: JsonObject): JsonObject => ({ filters: [{ type: "URLRewrite", urlRewrite: more }] });

/** Rules with one value each that Envoy or Gateway API refuses. */
const invalidRules: Readonly<Record<string, JsonObject>> = {
  "path-pattern": match({ path: { type: "RegularExpression", value: "/(?<=a)b" } }),
  "path-open-group": match({ path: { type: "RegularExpression", value: "/(" } }),
  "path-query": match({ path: { type: "PathPrefix", value: "/a?b" } }),
  "path-hash": match({ path: { type: "PathPrefix", value: "/a#b" } }),
  "path-type": match({ path: { type: "Glob", value: "/*" } }),
  "header-pattern": match({ headers: [{ name: "x", type: "RegularExpression", value: "[" }] }),
  "header-name": match({ headers: [{ name: "x y", value: "1" }] }),
  "query-pattern": match({ queryParams: [{ name: "q", type: "RegularExpression", value: "+" }] }),
  "set-name": headerFilter("RequestHeaderModifier", "requestHeaderModifier", { name: "x:y", value: "1" }),
  "set-break": headerFilter("RequestHeaderModifier", "requestHeaderModifier", { name: "x", value: "a\r\nb: c" }),
  "set-zero": headerFilter("ResponseHeaderModifier", "responseHeaderModifier", { name: "x", value: "a\u0000b" }),
  "set-long": headerFilter("ResponseHeaderModifier", "responseHeaderModifier", {
    name: "x",
    value: "v".repeat(70_000),
  }),
  "rewrite-host": rewrite({ hostname: "a b\n" }),
  "rewrite-path": rewrite({ path: { type: "ReplaceFullPath", replaceFullPath: "/a\nb" } }),
  "redirect-host": { backendRefs: [], filters: [{ type: "RequestRedirect", requestRedirect: { hostname: "a\nb" } }] },
  "redirect-port": { backendRefs: [], filters: [{ type: "RequestRedirect", requestRedirect: { port: 99_999 } }] },
  "redirect-status": { backendRefs: [], filters: [{ type: "RequestRedirect", requestRedirect: { statusCode: 200 } }] },
  "mirror-nowhere": {
    filters: [{ type: "RequestMirror", requestMirror: { backendRef: { name: "nobody", port: 80 } } }],
  },
  "mirror-fraction": {
    filters: [
      {
        type: "RequestMirror",
        requestMirror: { backendRef: OK_REFS[0] ?? {}, fraction: { numerator: 5, denominator: 0 } },
      },
    ],
  },
  "filter-unknown": { filters: [{ type: "ExtensionRef", extensionRef: { group: "x", kind: "Y", name: "z" } }] },
  "timeout-words": { timeouts: { request: "soon" } },
  "backend-port": { backendRefs: [{ name: "bread", port: 0 }] },
  "retry-codes": { retry: { codes: [9999, -1, 503.5] } },
  "retry-attempts": { retry: { attempts: -3, backoff: "-1s" } },
  "weight-negative": { backendRefs: [{ name: "bread", port: 80, weight: -1 }] },
};

const route = (name: string, rule: JsonObject): JsonObject => ({
  apiVersion: API,
  kind: "HTTPRoute",
  metadata: { name, namespace: "bakery" },
  spec: { parentRefs: [{ name: "door" }], hostnames: [`${name}.example`], rules: [{ backendRefs: OK_REFS, ...rule }] },
});

const house: readonly JsonObject[] = [
  {
    apiVersion: API,
    kind: "Gateway",
    metadata: { name: "door", namespace: "bakery" },
    spec: { gatewayClassName: "house", listeners: [{ name: "http", port: 8080, protocol: "HTTP" }] },
  },
  {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "bread", namespace: "bakery" },
    spec: { ports: [{ port: 80 }] },
  },
];

const good = Array.from({ length: 100 }, (_, index) =>
  route(`good-${index}`, { retry: { codes: [503], backoff: "50ms" } }),
);
const bad = Array.from({ length: 20 }, (_, round) =>
  Object.entries(invalidRules).map(([name, rule]) => route(`bad-${name}-${round}`, rule)),
).flat();

interface Outcome {
  readonly resources: XdsResources;
  /** All findings and problems. */
  readonly messages: string;
}

function outcomeOf(objects: readonly JsonObject[]): Outcome {
  const evaluation = evaluate(buildSnapshot(objects), {
    definitions: builtInDefinitions(),
  });
  const config = compileDataplane(evaluation, { endpointAnnotations: "Used" });
  const compiler = createGatewayCompiler({
    bind: (_, port) => ({ host: "127.0.0.1", port }),
    delivery: "Static",
    slackMs: 1,
    systemAuthorities: "/none",
    matchRegex: createRegex(),
  });
  const [gateway] = config.gateways;
  if (gateway === undefined) throw new Error("there is one gateway");
  const resources = compiler.compile(gateway, config.endpoints, NO_KEYS);
  const messages = [
    ...findings(evaluation).map(({ object, message }) => `${object ?? ""} ${message}`),
    ...[...config.problems, ...resources.problems].map(({ object, message }) => `${formatRef(object)} ${message}`),
  ];
  return { resources, messages: messages.join("\n") };
}

function versionsOfGood({ resources }: Outcome): readonly string[] {
  const { Route } = createEncoder("Delta").encode(resources);
  return Array.from(Route.keys(), (name) => `${name} ${Route.get(name)?.version}`).filter((line) =>
    line.includes("/good-"),
  );
}

describe(`${bad.length} invalid routes among ${good.length} valid ones`, () => {
  const alone = outcomeOf([...house, ...good]);
  const among = outcomeOf([...house, ...good, ...bad]);
  const envoy = findEnvoy();

  test("the valid routes compile to the same bytes as without the invalid ones", () => {
    expect(versionsOfGood(alone)).toHaveLength(good.length);
    expect(versionsOfGood(among)).toEqual(versionsOfGood(alone));
  });

  test.each(Object.keys(invalidRules))("%s is reported by name", (name) => {
    const unreported = Array.from({ length: 20 }, (_, round) => `bad-${name}-${round}`).filter(
      (one) => !among.messages.includes(one),
    );
    expect(unreported).toEqual([]);
  });

  test.skipIf(envoy === undefined)("Envoy accepts the remaining configuration", () => {
    const json = bootstrapJson(compileStaticBootstrap("bakery/door", among.resources));
    expect(validateBootstrap(envoy ?? "", json)).toBe(undefined);
  });
});
