import { describe } from "vitest";
import type { JsonObject } from "../../src/index.ts";
import { gateway, gatewayClass, policy, routeTo, service } from "../support/cluster/gateway-objects.ts";
import { directCluster, directKindCases } from "./direct-kind-cases.ts";
import { namedCases } from "./named-kind-cases.ts";
import { statedCases, vendorCases } from "./vendor-cases.ts";

const group = "application-networking.k8s.aws";

describe("AWS Gateway API controller: one target, the oldest policy", () => {
  vendorCases(directCluster("application-networking.k8s.aws/gateway-api-controller"), [
    ...directKindCases({
      group,
      kind: "TargetGroupPolicy",
      ancestor: "",
      target: "Service/s",
      wrong: "HTTPRoute/r",
      spec: { protocol: "HTTPS" },
      other: { protocol: "HTTP" },
    }),
    ...directKindCases({
      group,
      kind: "VpcAssociationPolicy",
      ancestor: "",
      target: "Gateway/g",
      wrong: "HTTPRoute/r",
      spec: { associateWithVpc: true },
      other: { associateWithVpc: false },
    }),
    ...directKindCases({
      group,
      kind: "IAMAuthPolicy",
      ancestor: "",
      target: "HTTPRoute/r",
      wrong: "Service/s",
      spec: { policy: "{}" },
      other: { policy: "[]" },
    }),
    {
      what: "an IAMAuthPolicy on the Gateway and one on the route both take effect: they protect different things",
      objects: [
        policy("IAMAuthPolicy", "network", "Gateway/g", { policy: "n" }, { group }),
        policy("IAMAuthPolicy", "service", "HTTPRoute/r", { policy: "s" }, { group }),
      ],
      effective: { "Gateway/g": { policy: "n" }, "HTTPRoute/r": { policy: "s" } },
      outcomes: { network: "Enforced", service: "Enforced" },
    },
    {
      what: "an AccessLogPolicy on the Gateway and one on the route both write logs",
      objects: [
        policy("AccessLogPolicy", "network", "Gateway/g", { destinationArn: "n" }, { group }),
        policy("AccessLogPolicy", "service", "HTTPRoute/r", { destinationArn: "s" }, { group }),
      ],
      effective: { "Gateway/g": { destinationArn: "n" }, "HTTPRoute/r": { destinationArn: "s" } },
      outcomes: { network: "Enforced", service: "Enforced" },
    },
  ]);
});

describe("AWS Load Balancer Controller: what objects name", () => {
  const controller = "gateway.k8s.aws/alb";
  vendorCases(
    [],
    [...namedCases({ group: "gateway.k8s.aws", kind: "ListenerRuleConfiguration", controller, by: "Filter" })],
  );
});

describe("AWS Load Balancer Controller: the load balancer of a GatewayClass and of a Gateway", () => {
  const lbc = "gateway.k8s.aws";
  const kind = "LoadBalancerConfiguration";
  const configuration = (name: string, spec: JsonObject): JsonObject => ({
    apiVersion: `${lbc}/v1beta1`,
    kind,
    metadata: { name, namespace: "default" },
    spec,
  });
  const named = (name: string) => ({ group: lbc, kind, name });
  const shared: readonly JsonObject[] = [
    {
      apiVersion: "gateway.networking.k8s.io/v1",
      kind: "GatewayClass",
      metadata: { name: "class" },
      spec: { controllerName: "gateway.k8s.aws/alb", parametersRef: { ...named("house"), namespace: "default" } },
    },
    {
      ...gateway("g"),
      spec: {
        gatewayClassName: "class",
        listeners: [{ name: "http", port: 80, protocol: "HTTP" }],
        infrastructure: { parametersRef: named("own") },
      },
    },
    gateway("plain"),
  ];
  const [internal, open] = [{ scheme: "internal" }, { scheme: "internet-facing", ipAddressType: "dualstack" }];
  vendorCases(shared, [
    {
      what: "that of the class takes effect on its Gateways",
      objects: [configuration("house", internal)],
      effective: { "Gateway/plain": internal },
      outcomes: { house: "Enforced" },
    },
    {
      what: "without mergingMode the class takes precedence, and the Gateway adds what the class does not set",
      objects: [configuration("house", internal), configuration("own", open)],
      effective: { "Gateway/g": { scheme: "internal", ipAddressType: "dualstack" } },
      outcomes: { house: "Enforced", own: "PartiallyEnforced by house" },
    },
    {
      what: "prefer-gateway of the class: the Gateway takes precedence",
      objects: [configuration("house", { ...internal, mergingMode: "prefer-gateway" }), configuration("own", open)],
      effective: { "Gateway/g": open, "Gateway/plain": internal },
      outcomes: { house: "PartiallyEnforced by own", own: "Enforced" },
    },
    {
      what: "the mergingMode of a Gateway's own configuration decides nothing",
      objects: [configuration("house", internal), configuration("own", { ...open, mergingMode: "prefer-gateway" })],
      effective: { "Gateway/g": { scheme: "internal", ipAddressType: "dualstack" } },
      outcomes: { own: "PartiallyEnforced by house" },
    },
    {
      what: "listeners are merged by protocol and port, each whole",
      objects: [
        configuration("house", { listenerConfigurations: [{ protocolPort: "HTTPS:443", sslPolicy: "a" }] }),
        configuration("own", {
          listenerConfigurations: [
            { protocolPort: "HTTPS:443", defaultCertificate: "b" },
            { protocolPort: "HTTP:80", sslPolicy: "c" },
          ],
        }),
      ],
      effective: {
        "Gateway/g": {
          listenerConfigurations: {
            "HTTPS:443": { protocolPort: "HTTPS:443", sslPolicy: "a" },
            "HTTP:80": { protocolPort: "HTTP:80", sslPolicy: "c" },
          },
        },
      },
      outcomes: { house: "Enforced", own: "PartiallyEnforced by house" },
    },
    {
      what: "tags are merged by key",
      objects: [configuration("house", { tags: { a: "1" } }), configuration("own", { tags: { a: "2", b: "2" } })],
      effective: { "Gateway/g": { tags: { a: "1", b: "2" } } },
      outcomes: { own: "PartiallyEnforced by house" },
    },
  ]);
});

describe("AWS Load Balancer Controller: the target group of a Service", () => {
  const target = (name: string, spec: JsonObject): JsonObject => ({
    apiVersion: "gateway.k8s.aws/v1beta1",
    kind: "TargetGroupConfiguration",
    metadata: { name, namespace: "default" },
    spec,
  });
  const https = { defaultConfiguration: { protocol: "HTTPS" } };
  const shared = [
    gatewayClass("class", "gateway.k8s.aws/alb"),
    gateway("g"),
    routeTo("r", "Gateway/g", "s"),
    service("s"),
  ];
  vendorCases(shared, [
    {
      what: "a target without a kind is a Service",
      objects: [target("p", { targetReference: { name: "s" }, ...https })],
      effective: { "Service/s": https },
      outcomes: { p: "Enforced" },
    },
    {
      what: "a target of the kind Gateway",
      objects: [target("p", { targetReference: { kind: "Gateway", name: "g" }, ...https })],
      effective: { "Gateway/g": https, "Service/s": {} },
      outcomes: { p: "Enforced" },
    },
    {
      what: "without a target it is a default that others name, and no mistake",
      objects: [target("p", https)],
      effective: { "Service/s": {} },
      outcomes: { p: "NoPath" },
      findings: { p: [] },
    },
    {
      what: "of two on one Service either may be used",
      objects: [
        target("p", { targetReference: { name: "s" }, ...https }),
        target("q", { targetReference: { name: "s" }, defaultConfiguration: { protocol: "HTTP" } }),
      ],
      effective: { "Service/s": {} },
      outcomes: { p: "Undefined by q", q: "Undefined by p" },
    },
  ]);
});

statedCases("aws");
