import { describe } from "vitest";
import { namedCases } from "./named-kind-cases.ts";
import { vendorCases } from "./vendor-cases.ts";

describe("Cilium: a GatewayClass names a CiliumGatewayClassConfig", () => {
  const [first] = namedCases({
    group: "cilium.io",
    kind: "CiliumGatewayClassConfig",
    controller: "io.cilium/gateway-controller",
    by: "Parameters",
  });
  vendorCases([], first === undefined ? [] : [first]);
});
