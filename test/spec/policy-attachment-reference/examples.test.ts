/** Policy attachment reference, "Examples" */
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/model/json.ts";
import { cluster } from "../../support/cluster/cluster.ts";
import { gateway, listener, policy } from "../../support/cluster/gateway-objects.ts";

describe("Examples", () => {
  const internet = gateway("internet", {
    namespace: "appns",
    listeners: [listener("https", { protocol: "HTTPS", port: 443 })],
  });
  const intranet = gateway("intranet", { namespace: "appns" });
  const elsewhere = gateway("elsewhere", { namespace: "other" });
  const tls = (name: string, spec: JsonObject, target: JsonObject) =>
    policy("TLSMinimumVersionPolicy", name, target, spec, {
      group: "networking.example.io",
      namespace: "appns",
      created: 0,
    });
  const onInternet = { name: "internet", group: "gateway.networking.k8s.io", kind: "Gateway" };
  // The page writes `kind: namespace`, in lower case.
  const onNamespace = { name: "appns", group: "", kind: "namespace" };
  const made = (...policies: readonly JsonObject[]) =>
    cluster([internet, intranet, elsewhere, ...policies], { definitions: ["tls-minimum-version-policy"] });

  test("Direct Policy Attachment: the minimum TLS version required on a Gateway", () => {
    const direct = made(tls("minimum12", { minimumTLSVersion: 1.2 }, onInternet));
    expect(direct.spec("Gateway/appns/internet")).toEqual({ minimumTLSVersion: 1.2 });
    expect(direct.spec("Gateway/appns/intranet")).toEqual({});
    expect(direct.outcome("appns/minimum12")).toBe("Enforced");
    expect(direct.affectedBy("Gateway/appns/internet")).toEqual(["appns/minimum12"]);
  });

  test("Inherited Policy Attachment: default the setting across multiple Gateways", () => {
    const inheritedMade = made(tls("minimum12", { defaults: { minimumTLSVersion: 1.2 } }, onNamespace));
    expect(inheritedMade.spec("Namespace/appns > Gateway/appns/internet")).toEqual({ minimumTLSVersion: 1.2 });
    expect(inheritedMade.spec("Namespace/appns > Gateway/appns/intranet")).toEqual({ minimumTLSVersion: 1.2 });
    expect(inheritedMade.spec("Gateway/other/elsewhere")).toEqual({});
    expect(inheritedMade.tally("appns/minimum12")).toEqual({ paths: 2, full: 2, partial: 0, none: 0, met: 0 });
  });

  test("a default can be changed by Gateway owners", () => {
    const changed = made(
      tls("minimum12", { defaults: { minimumTLSVersion: 1.2 } }, onNamespace),
      tls("own", { defaults: { minimumTLSVersion: 1.3 } }, onInternet),
    );
    expect(changed.spec("Gateway/appns/internet")).toEqual({ minimumTLSVersion: 1.3 });
    expect(changed.spec("Gateway/appns/intranet")).toEqual({ minimumTLSVersion: 1.2 });
    expect(changed.outcome("appns/minimum12")).toBe("PartiallyEnforced by appns/own");
  });

  test("all Gateways must use a minimum TLS version of 1.2, and this cannot be changed by Gateway owners", () => {
    const forced = made(
      tls("minimum12", { overrides: { minimumTLSVersion: 1.2 } }, onNamespace),
      tls("mine", { overrides: { minimumTLSVersion: 1.0 } }, onInternet),
      tls("wish", { defaults: { minimumTLSVersion: 1.1 } }, { ...onInternet, name: "intranet" }),
    );
    expect(forced.spec("Gateway/appns/internet")).toEqual({ minimumTLSVersion: 1.2 });
    expect(forced.spec("Gateway/appns/intranet")).toEqual({ minimumTLSVersion: 1.2 });
    expect(forced.outcome("appns/minimum12")).toBe("Enforced");
    expect(forced.outcome("appns/mine")).toBe("Overridden by appns/minimum12");
    expect(forced.outcome("appns/wish")).toBe("Overridden by appns/minimum12");
  });
});
