import { describe } from "vitest";
import type { JsonObject } from "../../src/index.ts";
import { gateway, gatewayClass, policy, route, service } from "../support/cluster/gateway-objects.ts";
import { statedCases, vendorCases } from "./vendor-cases.ts";

const group = "cilium.io";
const CONTROLLER = "io.cilium/gateway-controller";
const kind = "CiliumGatewayClassConfig";
const config = (name: string, spec: JsonObject, namespace = "default"): JsonObject => ({
  apiVersion: `${group}/v2alpha1`,
  kind,
  metadata: { name, namespace },
  spec,
});
const naming = (className: string, name: string, namespace = "default", controllerName = CONTROLLER): JsonObject => ({
  apiVersion: "gateway.networking.k8s.io/v1",
  kind: "GatewayClass",
  metadata: { name: className },
  spec: { controllerName, parametersRef: { group, kind, name, namespace } },
});
const type = (one: string) => ({ service: { type: one } });

describe("Cilium: a GatewayClass names a CiliumGatewayClassConfig", () => {
  vendorCases(
    [gateway("g"), gateway("h")],
    [
      {
        what: "it takes effect on all Gateways of the class, which is its ancestor",
        objects: [naming("class", "p"), config("p", type("NodePort"))],
        kind,
        effective: { "Gateway/g": type("NodePort"), "Gateway/h": type("NodePort") },
        outcomes: { p: "Enforced" },
        conditions: {
          p: ["GatewayClass/class: Accepted=True/Accepted Enforced=True/Enforced"],
        },
      },
      {
        what: "Gateways of another class have none",
        objects: [
          naming("class", "p"),
          gatewayClass("plain", CONTROLLER),
          gateway("other", { class: "plain" }),
          config("p", type("NodePort")),
        ],
        effective: { "Gateway/other": {}, "Gateway/g": type("NodePort") },
        outcomes: { p: "Enforced" },
      },
      {
        what: "two classes name one",
        objects: [
          naming("class", "p"),
          naming("second", "p"),
          gateway("other", { class: "second" }),
          config("p", type("ClusterIP")),
        ],
        effective: { "Gateway/g": type("ClusterIP"), "Gateway/other": type("ClusterIP") },
        outcomes: { p: "Enforced" },
      },
      {
        what: "each class its own",
        objects: [
          naming("class", "p"),
          naming("second", "q"),
          gateway("other", { class: "second" }),
          config("p", type("ClusterIP")),
          config("q", type("LoadBalancer")),
        ],
        effective: { "Gateway/g": type("ClusterIP"), "Gateway/other": type("LoadBalancer") },
        outcomes: { p: "Enforced", q: "Enforced" },
      },
      {
        what: "it may be in any namespace: a GatewayClass needs no grant",
        objects: [naming("class", "p", "cilium"), config("p", type("NodePort"), "cilium")],
        effective: { "Gateway/g": type("NodePort") },
        outcomes: { "cilium/p": "Enforced" },
      },
      {
        what: "one of that name in another namespace is not meant",
        objects: [naming("class", "p", "cilium"), config("p", type("NodePort"))],
        effective: { "Gateway/g": {} },
        outcomes: { p: "NoPath" },
        findings: { class: ["NamedPolicyNotFound"] },
      },
      {
        what: "one that no class names takes no effect, and is no error",
        objects: [gatewayClass("class", CONTROLLER), config("p", type("NodePort"))],
        effective: { "Gateway/g": {} },
        outcomes: { p: "NoPath" },
        findings: { p: [] },
      },
      {
        what: "a GatewayClass of another controller does not name it",
        objects: [naming("class", "p", "default", "example.com/other"), config("p", type("NodePort"))],
        effective: { "Gateway/g": {} },
        outcomes: { p: "NoPath" },
      },
    ],
  );
});

describe("Cilium: BackendTLSPolicy of Gateway API", () => {
  const tls = (name: string, on: string, hostname: string, created = 0) =>
    policy(
      "BackendTLSPolicy",
      name,
      [on],
      { validation: { hostname, wellKnownCACertificates: "System" } },
      { group: "gateway.networking.k8s.io", created },
    );
  const edge = [
    gatewayClass("class", CONTROLLER),
    gateway("g"),
    route("r", "Gateway/g", { rules: [{ name: "only", backends: ["s"] }] }),
    service("s", { ports: { http: 80, admin: 81 } }),
  ];
  vendorCases(edge, [
    {
      what: "on one Service the oldest takes effect",
      objects: [tls("new", "Service/s", "b", 1), tls("old", "Service/s", "a")],
      effective: {
        "Service/s#http": { validation: { hostname: "a", wellKnownCACertificates: "System" } },
        "Service/s#admin": { validation: { hostname: "a", wellKnownCACertificates: "System" } },
      },
      outcomes: { old: "Enforced", new: "Conflicted by old" },
    },
    {
      what: "that of a port comes before that of the Service",
      objects: [tls("all", "Service/s", "a"), tls("port", "Service/s#admin", "b", 1)],
      outcomes: { all: "Enforced", port: "Enforced" },
      effective: { "Service/s#admin": { validation: { hostname: "b", wellKnownCACertificates: "System" } } },
    },
  ]);
});

statedCases("cilium");
