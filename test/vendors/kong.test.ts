import { dump } from "js-yaml";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/index.ts";
import { runCli } from "../support/cli/run-cli.ts";
import { gateway, gatewayClass, route, routeTo, service } from "../support/cluster/gateway-objects.ts";
import { statedCases, vendorCases } from "./vendor-cases.ts";

const upstream = (name: string, algorithm: string, namespace = "default"): JsonObject => ({
  apiVersion: "configuration.konghq.com/v1beta1",
  kind: "KongUpstreamPolicy",
  metadata: { name, namespace },
  spec: { algorithm },
});
const naming = (service_: string, policy: string) =>
  service(service_, { annotations: { "konghq.com/upstream-policy": policy } });
const edge = [
  gatewayClass("class", "konghq.com/kic-gateway-controller"),
  gateway("g"),
  routeTo("r", "Gateway/g", "s"),
  routeTo("q", "Gateway/g", "t"),
];

describe("Kong: an annotation of a Service names a KongUpstreamPolicy", () => {
  vendorCases(edge, [
    {
      what: "it takes effect on that Service",
      objects: [naming("s", "p"), service("t"), upstream("p", "round-robin")],
      effective: { "Service/s": { algorithm: "round-robin" }, "Service/t": {} },
      outcomes: { p: "Enforced" },
      conditions: { p: ["Service/s: Accepted=True/Accepted Programmed=True/Programmed"] },
    },
    {
      what: "one policy for two Services",
      objects: [naming("s", "p"), naming("t", "p"), upstream("p", "round-robin")],
      effective: { "Service/s": { algorithm: "round-robin" }, "Service/t": { algorithm: "round-robin" } },
      outcomes: { p: "Enforced" },
      conditions: {
        p: [
          "Service/s: Accepted=True/Accepted Programmed=True/Programmed",
          "Service/t: Accepted=True/Accepted Programmed=True/Programmed",
        ],
      },
    },
    {
      what: "each Service names its own",
      objects: [naming("s", "p"), naming("t", "q"), upstream("p", "round-robin"), upstream("q", "least-connections")],
      effective: { "Service/s": { algorithm: "round-robin" }, "Service/t": { algorithm: "least-connections" } },
      outcomes: { p: "Enforced", q: "Enforced" },
    },
    {
      what: "one that no Service names takes no effect, and is no error",
      objects: [service("s"), service("t"), upstream("p", "round-robin")],
      effective: { "Service/s": {} },
      outcomes: { p: "NoPath" },
      findings: { p: [] },
    },
    {
      what: "a name without a policy is a finding about the Service",
      objects: [naming("s", "absent"), service("t"), upstream("p", "round-robin")],
      effective: { "Service/s": {} },
      findings: { s: ["NamedPolicyNotFound"] },
      outcomes: { p: "NoPath" },
    },
    {
      what: "a policy in another namespace is not meant",
      objects: [naming("s", "p"), service("t"), upstream("p", "round-robin", "other")],
      effective: { "Service/s": {} },
      outcomes: { "other/p": "NoPath" },
    },
    {
      what: "it takes effect on the Service for all routes that use it",
      objects: [
        naming("s", "p"),
        service("t"),
        routeTo("third", "Gateway/g", "s"),
        upstream("p", "consistent-hashing"),
      ],
      effective: { "Service/s": { algorithm: "consistent-hashing" } },
      outcomes: { p: "Enforced" },
    },
    {
      what: "an empty annotation names nothing",
      objects: [naming("s", ""), service("t"), upstream("p", "round-robin")],
      effective: { "Service/s": {} },
      outcomes: { p: "NoPath" },
      findings: { s: [] },
    },
    {
      what: "an annotation of a route names no KongUpstreamPolicy",
      objects: [
        route("annotated", "Gateway/g", {
          annotations: { "konghq.com/upstream-policy": "p" },
          rules: [{ backends: ["s"] }],
        }),
        service("s"),
        service("t"),
        upstream("p", "round-robin"),
      ],
      effective: { "Service/s": {} },
      outcomes: { p: "NoPath" },
    },
    {
      what: "a field targetRef is a setting like any other",
      objects: [
        naming("s", "p"),
        service("t"),
        { ...upstream("p", "x"), spec: { targetRef: { kind: "Service", name: "t" } } },
      ],
      effective: { "Service/s": { targetRef: { kind: "Service", name: "t" } }, "Service/t": {} },
      outcomes: { p: "Enforced" },
    },
    {
      what: "the Service of a Gateway of another controller is out of reach",
      objects: [
        gatewayClass("other", "example.com/other"),
        gateway("far", { class: "other" }),
        routeTo("far", "Gateway/far", "u"),
        naming("u", "p"),
        service("s"),
        service("t"),
        upstream("p", "round-robin"),
      ],
      effective: { "Service/u": {} },
      outcomes: { p: "NoPath" },
      findings: { p: ["NoController"] },
    },
  ]);
});

describe("Kong: plugins that annotations and filters name", () => {
  const group = "configuration.konghq.com";
  const plugin = (name: string, type = name, namespace = "default"): JsonObject => ({
    apiVersion: `${group}/v1`,
    kind: "KongPlugin",
    metadata: { name, namespace },
    plugin: type,
    config: { minute: 5 },
  });
  const clusterPlugin = (name: string): JsonObject => ({
    apiVersion: `${group}/v1`,
    kind: "KongClusterPlugin",
    metadata: { name },
    plugin: name,
  });
  const settings = (type: string): JsonObject => ({ plugin: type, config: { minute: 5 } });
  const filter = (name: string): JsonObject => ({
    filters: [{ type: "ExtensionRef", extensionRef: { group, kind: "KongPlugin", name } }],
  });
  const named = (plugins: string, fields: JsonObject = {}) =>
    route("r", "Gateway/g", {
      annotations: { "konghq.com/plugins": plugins },
      rules: [{ name: "one", fields, backends: ["s"] }],
    });
  const shared = [gatewayClass("class", "konghq.com/kic-gateway-controller"), gateway("g")];
  const both = (plugins: string) => service("s", { annotations: { "konghq.com/plugins": plugins } });
  const AT = "HTTPRoute/r#one > Service/s";
  vendorCases(shared, [
    {
      what: "a route's annotation lists plugins, and all of them run",
      objects: [named("cors, limit"), service("s"), plugin("cors"), plugin("limit")],
      effective: {
        [AT]: { "KongPlugin/default/cors": settings("cors"), "KongPlugin/default/limit": settings("limit") },
      },
      outcomes: { cors: "Enforced", limit: "Enforced" },
    },
    {
      what: "plugins of a Service run for all routes to it, beside those of the route",
      objects: [named("cors"), both("limit"), plugin("cors"), plugin("limit")],
      effective: {
        [AT]: { "KongPlugin/default/cors": settings("cors"), "KongPlugin/default/limit": settings("limit") },
      },
      outcomes: { cors: "Enforced", limit: "Enforced" },
    },
    {
      what: "a filter of a rule names a plugin for that rule",
      objects: [named("", filter("limit")), service("s"), plugin("limit")],
      effective: { [AT]: { "KongPlugin/default/limit": settings("limit") } },
      outcomes: { limit: "Enforced" },
    },
    {
      what: "a name without a KongPlugin means a KongClusterPlugin",
      objects: [named("house"), service("s"), clusterPlugin("house")],
      effective: { [AT]: { "KongClusterPlugin/house": { plugin: "house" } } },
      outcomes: { house: "Enforced" },
    },
    {
      what: "a plugin of another namespace is not meant",
      objects: [named("limit"), service("s"), plugin("limit", "limit", "other")],
      effective: { [AT]: {} },
      outcomes: { "other/limit": "NoPath" },
      findings: { r: ["NamedPolicyNotFound"] },
    },
    {
      what: "a plugin that nothing names does not run",
      objects: [named(""), service("s"), plugin("limit")],
      effective: { [AT]: {} },
      outcomes: { limit: "NoPath" },
    },
  ]);

  test("explain has the line of a setting, which is beside metadata", async () => {
    const files = {
      "cluster.yaml": [...shared, named("limit"), service("s"), plugin("limit")].map((one) => dump(one)).join("---\n"),
    };
    const { stdout } = await runCli("explain httproute/r -f cluster.yaml", { files });
    const line = files["cluster.yaml"].split("\n").findIndex((text) => text.includes("minute: 5")) + 1;
    expect(stdout).toContain(`(cluster.yaml:${line})`);
  });
});

statedCases("kong");
