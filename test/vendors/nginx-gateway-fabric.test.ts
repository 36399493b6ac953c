import { describe } from "vitest";
import type { JsonObject } from "../../src/index.ts";
import { gateway, gatewayClass, listener, policy, route, service } from "../support/cluster/gateway-objects.ts";
import { directKindCases } from "./direct-kind-cases.ts";
import { namedCases } from "./named-kind-cases.ts";
import { statedCases, vendorCases } from "./vendor-cases.ts";

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
      effective: { "HTTPRoute/r": { keepAlive: { timeout: { server: "5s" } } } },
      outcomes: { b: "Conflicted by a" },
    },
    {
      what: "a policy on the Gateway and one on the route never conflict",
      objects: [
        client("g1", "Gateway/g", { body: { maxSize: "1m" } }),
        client("r1", R, { body: { maxSize: "1m" } }, 1),
      ],
      effective: { "HTTPRoute/other": { body: { maxSize: "1m" } }, "HTTPRoute/r": { body: { maxSize: "1m" } } },
      outcomes: { g1: "Enforced", r1: "Enforced" },
    },
    {
      what: "ProxySettingsPolicy: settings of Gateway and route are merged",
      objects: [
        proxy("g1", ["Gateway/g"], { timeout: { connect: "1s", read: "2s" } }),
        proxy("r1", ["HTTPRoute/r"], { timeout: { read: "9s" } }, 1),
      ],
      effective: { [R]: { timeout: { connect: "1s", read: "9s" } } },
      outcomes: { g1: "PartiallyEnforced by r1", r1: "Enforced" },
    },
    {
      what: "ProxySettingsPolicy: number and size of buffers are one field",
      objects: [
        proxy("g1", ["Gateway/g"], { buffering: { buffers: { number: 8, size: "4k" } } }),
        proxy("r1", ["HTTPRoute/r"], { buffering: { buffers: { number: 4 } } }, 1),
      ],
      effective: { [R]: { buffering: { buffers: { number: 4 } } } },
      outcomes: { g1: "PartiallyEnforced by r1", r1: "Enforced" },
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
      effective: {
        "Gateway/g": {
          "default/a": { snippets: [{ context: "http", value: "a" }] },
          "default/b": { snippets: [{ context: "http", value: "b" }] },
        },
      },
      outcomes: { a: "Enforced", b: "Enforced" },
    },
    {
      what: "a rule is no target",
      objects: [client("p", "HTTPRoute/r#only", { body: { maxSize: "1m" } })],
      effective: { "HTTPRoute/r": {} },
      outcomes: { p: "TargetNotFound" },
    },
  ]);
});

describe("NGINX Gateway Fabric: rate limits, firewalls and processors", () => {
  const rates = made("RateLimitPolicy");
  const firewall = made("WAFPolicy");
  const processor = made("PayloadProcessor");
  const rules = (rate: string) => ({ rateLimit: { local: { rules: [{ key: "$binary_remote_addr", rate }] } } });
  const source = (url: string) => ({ type: "HTTP", policySource: { httpSource: { url } } });
  const logs = (type: string) => ({ securityLogs: [{ destination: { type } }] });
  const calls = (name: string) => ({
    processors: [{ type: "ExtProcess", extProcess: { backendRef: { name, port: 80 } } }],
  });
  vendorCases(shared, [
    {
      what: "RateLimitPolicy: a route's rules replace its Gateway's, and its other settings come from the Gateway",
      objects: [
        rates("g1", ["Gateway/g"], { rateLimit: { ...rules("1r/s").rateLimit, rejectCode: 429 } }),
        rates("r1", ["HTTPRoute/r"], rules("9r/s"), 1),
      ],
      effective: {
        [R]: { rateLimit: { ...rules("9r/s").rateLimit, rejectCode: 429 } },
        [OTHER]: { rateLimit: { ...rules("1r/s").rateLimit, rejectCode: 429 } },
      },
      outcomes: { g1: "PartiallyEnforced by r1", r1: "Enforced" },
      conditions: { r1: ["Gateway/g: Accepted=True/Accepted Enforced=True/Enforced"] },
    },
    {
      what: "RateLimitPolicy: a Service is no target",
      objects: [rates("p", ["Service/s"], rules("1r/s"))],
      outcomes: { p: "TargetNotFound" },
    },
    {
      what: "WAFPolicy: a route's firewall replaces its Gateway's, and the Gateway's logs stay",
      objects: [
        firewall("g1", ["Gateway/g"], { ...source("http://a"), ...logs("stderr") }),
        firewall("r1", ["HTTPRoute/r"], source("http://b"), 1),
      ],
      effective: {
        [R]: { ...source("http://b"), ...logs("stderr") },
        [OTHER]: { ...source("http://a"), ...logs("stderr") },
      },
      outcomes: { g1: "PartiallyEnforced by r1", r1: "Enforced" },
    },
    {
      what: "WAFPolicy: the source of a bundle is one value",
      objects: [
        firewall("g1", ["Gateway/g"], { type: "HTTP", policySource: { httpSource: { url: "a" }, timeout: "1s" } }),
        firewall("r1", ["HTTPRoute/r"], source("b"), 1),
      ],
      effective: { [R]: source("b") },
      outcomes: { g1: "PartiallyEnforced by r1", r1: "Enforced" },
    },
    {
      what: "PayloadProcessor: a route's replaces its Gateway's",
      objects: [processor("g1", "Gateway/g", calls("a")), processor("r1", "HTTPRoute/r", calls("b"), 1)],
      effective: { [R]: calls("b"), [OTHER]: calls("a") },
      outcomes: { g1: "PartiallyEnforced by r1", r1: "Enforced" },
    },
    {
      what: "PayloadProcessor: of two on one route the oldest takes effect, whatever they set",
      objects: [processor("new", "HTTPRoute/r", calls("b"), 1), processor("old", "HTTPRoute/r", calls("a"))],
      effective: { [R]: calls("a") },
      outcomes: { old: "Enforced", new: "Conflicted by old" },
      conditions: { new: ["HTTPRoute/r: Accepted=False/Conflicted"] },
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

describe("NGINX Gateway Fabric: an ExternalLoadBalancer in front of a Gateway", () => {
  vendorCases(
    shared,
    directKindCases({
      group,
      kind: "ExternalLoadBalancer",
      target: "Gateway/g",
      wrong: "HTTPRoute/r",
      spec: { gatewayLink: { virtualServerAddress: "192.0.2.1" } },
      other: { gatewayLink: { ipamLabel: "prod" } },
    }),
  );
});

statedCases("nginx-gateway-fabric");
