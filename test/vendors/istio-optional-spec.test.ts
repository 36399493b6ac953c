/** Istio's policies without a `spec`. */
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/index.ts";
import { gateway, gatewayClass, service } from "../support/cluster/gateway-objects.ts";
import { statedCases, vendorCases, vendorCluster } from "./vendor-cases.ts";

const VERSIONS = {
  AuthorizationPolicy: "security.istio.io/v1",
  RequestAuthentication: "security.istio.io/v1",
  PeerAuthentication: "security.istio.io/v1",
  Telemetry: "telemetry.istio.io/v1",
  EnvoyFilter: "networking.istio.io/v1alpha3",
  ProxyConfig: "networking.istio.io/v1beta1",
  WasmPlugin: "extensions.istio.io/v1alpha1",
  TrafficExtension: "extensions.istio.io/v1alpha1",
};

const made = (kind: keyof typeof VERSIONS, namespace = "shop", name = "p", rest: JsonObject = {}): JsonObject => ({
  apiVersion: VERSIONS[kind],
  kind,
  metadata: { name, namespace },
  ...rest,
});

const shared = [
  gatewayClass("class", "istio.io/gateway-controller"),
  gateway("g", { namespace: "shop" }),
  gateway("g", { namespace: "bakery" }),
  service("till", { namespace: "shop" }),
  service("oven", { namespace: "bakery" }),
];
const G = "Gateway/shop/g";
const OTHER = "Gateway/bakery/g";
const TILL = "Service/shop/till";
const OVEN = "Service/bakery/oven";

describe("Istio: a spec that the CRD does not require", () => {
  const deny = { action: "DENY", rules: [{ to: [{ operation: { paths: ["/admin"] } }] }] };
  const strict = { mtls: { mode: "STRICT" } };
  vendorCases(shared, [
    {
      what: "an AuthorizationPolicy without a spec is ALLOW without rules: it allows nothing in its namespace",
      objects: [made("AuthorizationPolicy"), made("AuthorizationPolicy", "shop", "n", { spec: deny })],
      effective: { [G]: { "shop/p": {}, "shop/n": deny }, [OTHER]: {} },
      order: { [G]: ["n", "p"] },
      outcomes: { "shop/p": "Enforced" },
      conditions: { "shop/p": ["Accepted=True/Accepted Enforced=True/Enforced"] },
    },
    {
      what: "a RequestAuthentication without a spec accepts no token",
      objects: [made("RequestAuthentication")],
      effective: { [TILL]: { "shop/p": {} }, [OVEN]: {} },
      outcomes: { "shop/p": "Enforced" },
    },
    {
      what: "a PeerAuthentication without a spec is attached, and sets nothing",
      objects: [made("PeerAuthentication"), made("PeerAuthentication", "istio-system", "m", { spec: strict })],
      effective: { [TILL]: strict },
      outcomes: { "istio-system/m": "Enforced", "shop/p": "Enforced" },
    },
  ]);

  test.each([
    ["Telemetry", "Enforced"],
    ["EnvoyFilter", "Enforced"],
    ["ProxyConfig", "Enforced"],
    ["WasmPlugin", "Invalid"],
    ["TrafficExtension", "Invalid"],
  ] as const)("%s without a spec is %s", (kind, outcome) => {
    expect(vendorCluster([...shared, made(kind)]).outcome("shop/p")).toBe(outcome);
  });
});

statedCases("istio");
