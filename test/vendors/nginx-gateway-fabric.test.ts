import { describe } from "vitest";
import type { JsonObject } from "../../src/index.ts";
import { gateway, gatewayClass, listener, policy, route, service } from "../support/cluster/gateway-objects.ts";
import { namedCases } from "./named-kind-cases.ts";
import { vendorCases } from "./vendor-cases.ts";

const group = "gateway.nginx.org";
const CONTROLLER = "gateway.nginx.org/nginx-gateway-controller";
const shared = [
  gatewayClass("class", CONTROLLER),
  gateway("g", { listeners: [listener("http")] }),
  route("r", "Gateway/g", { rules: [{ name: "only", backends: ["s"] }] }),
  route("other", "Gateway/g", { rules: [{ backends: ["s"] }] }),
  service("s"),
];
const made =
  (kind: string) =>
  (name: string, on: string | readonly string[], spec: JsonObject, created = 0) =>
    policy(kind, name, on, spec, { group, created });
const client = made("ClientSettingsPolicy");
const proxy = made("ProxySettingsPolicy");
const upstream = made("UpstreamSettingsPolicy");
const R = "HTTPRoute/r";
const OTHER = "HTTPRoute/other";

describe("NGINX Gateway Fabric: a route's settings over its Gateway's, one by one", () => {
  vendorCases(shared, [
    {
      what: "a Gateway's settings take effect on its routes",
      objects: [client("g1", "Gateway/g", { body: { maxSize: "1m" } })],
      effective: { [R]: { body: { maxSize: "1m" } }, [OTHER]: { body: { maxSize: "1m" } } },
      outcomes: { g1: "Enforced" },
    },
    {
      what: "a route replaces single settings of its Gateway",
      objects: [
        client("g1", "Gateway/g", { body: { maxSize: "1m", timeout: "5s" } }),
        client("r1", "HTTPRoute/r", { body: { maxSize: "2m" } }, 1),
      ],
      effective: {
        [R]: { body: { maxSize: "2m", timeout: "5s" } },
        [OTHER]: { body: { maxSize: "1m", timeout: "5s" } },
      },
      outcomes: { g1: "PartiallyEnforced by r1", r1: "Enforced" },
    },
    {
      what: "two policies on one route that set different fields add up",
      objects: [
        client("a", "HTTPRoute/r", { body: { maxSize: "1m" } }),
        client("b", "HTTPRoute/r", { body: { timeout: "5s" } }, 1),
      ],
      effective: { [R]: { body: { maxSize: "1m", timeout: "5s" } } },
      outcomes: { a: "Enforced", b: "Enforced" },
    },
    {
      what: "two policies on one route that set the same field: the newer is Conflicted as a whole",
      objects: [
        client("a", "HTTPRoute/r", { body: { maxSize: "1m" } }),
        client("b", "HTTPRoute/r", { body: { maxSize: "2m", timeout: "5s" } }, 1),
      ],
      effective: { [R]: { body: { maxSize: "1m" } } },
      outcomes: { a: "Enforced", b: "Conflicted by a" },
    },
    {
      what: "of three policies the third is accepted if it meets only the one that is Conflicted",
      objects: [
        client("a", "HTTPRoute/r", { body: { maxSize: "1m" } }),
        client("b", "HTTPRoute/r", { body: { maxSize: "2m", timeout: "5s" } }, 1),
        client("c", "HTTPRoute/r", { body: { timeout: "9s" } }, 2),
      ],
      effective: { [R]: { body: { maxSize: "1m", timeout: "9s" } } },
      outcomes: { b: "Conflicted by a", c: "Enforced" },
    },
    {
      what: "a keep-alive timeout is one field: server and header together",
      objects: [
        client("a", "HTTPRoute/r", { keepAlive: { timeout: { server: "5s" } } }),
        client("b", "HTTPRoute/r", { keepAlive: { timeout: { header: "5s" } } }, 1),
      ],
      outcomes: { b: "Conflicted by a" },
    },
    {
      what: "a policy on the Gateway and one on the route never conflict",
      objects: [
        client("g1", "Gateway/g", { body: { maxSize: "1m" } }),
        client("r1", R, { body: { maxSize: "1m" } }, 1),
      ],
      outcomes: { g1: "Enforced", r1: "Enforced" },
    },
    {
      what: "ProxySettingsPolicy: settings of Gateway and route are merged",
      objects: [
        proxy("g1", ["Gateway/g"], { timeout: { connect: "1s", read: "2s" } }),
        proxy("r1", ["HTTPRoute/r"], { timeout: { read: "9s" } }, 1),
      ],
      effective: { [R]: { timeout: { connect: "1s", read: "9s" } } },
    },
    {
      what: "ProxySettingsPolicy: number and size of buffers are one field",
      objects: [
        proxy("g1", ["Gateway/g"], { buffering: { buffers: { number: 8, size: "4k" } } }),
        proxy("r1", ["HTTPRoute/r"], { buffering: { buffers: { number: 4 } } }, 1),
      ],
      effective: { [R]: { buffering: { buffers: { number: 4 } } } },
    },
    {
      what: "UpstreamSettingsPolicies on one Service add up",
      objects: [
        upstream("a", ["Service/s"], { zoneSize: "1m" }),
        upstream("b", ["Service/s"], { keepAlive: { connections: 9 } }, 1),
      ],
      effective: { "HTTPRoute/r > Service/s": { zoneSize: "1m", keepAlive: { connections: 9 } } },
      outcomes: { a: "Enforced", b: "Enforced" },
    },
    {
      what: "UpstreamSettingsPolicies that set the same field: the newer is Conflicted",
      objects: [
        upstream("a", ["Service/s"], { zoneSize: "1m" }),
        upstream("b", ["Service/s"], { zoneSize: "2m", keepAlive: {} }, 1),
      ],
      effective: { "HTTPRoute/r > Service/s": { zoneSize: "1m" } },
      outcomes: { b: "Conflicted by a" },
    },
    {
      what: "SnippetsPolicies on one Gateway all take effect",
      objects: [
        made("SnippetsPolicy")("b", ["Gateway/g"], { snippets: [{ context: "http", value: "b" }] }),
        made("SnippetsPolicy")("a", ["Gateway/g"], { snippets: [{ context: "http", value: "a" }] }, 1),
      ],
      outcomes: { a: "Enforced", b: "Enforced" },
    },
    {
      what: "a rule is no target",
      objects: [client("p", "HTTPRoute/r#only", { body: { maxSize: "1m" } })],
      outcomes: { p: "TargetNotFound" },
    },
  ]);
});

describe("NGINX Gateway Fabric: what objects name", () => {
  vendorCases(
    [],
    [
      ...namedCases({ group, kind: "SnippetsFilter", controller: CONTROLLER, by: "Filter" }),
      ...namedCases({ group, kind: "AuthenticationFilter", controller: CONTROLLER, by: "Filter" }),
      ...namedCases({ group, kind: "NginxProxy", controller: CONTROLLER, by: "Parameters" }),
    ],
  );
});
