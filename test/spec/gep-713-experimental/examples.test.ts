/** GEP-713 experimental, "Examples" */
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/model/json.ts";
import { cluster } from "../../support/cluster/cluster.ts";
import { gateway, policy } from "../../support/cluster/gateway-objects.ts";

describe("Examples", () => {
  const tls = (name: string, spec: JsonObject, target: JsonObject) =>
    policy("TLSMinimumVersionPolicy", name, target, spec, { group: "networking.example.io", namespace: "appns" });
  const onGateway = { name: "internet", group: "gateway.networking.k8s.io", kind: "Gateway" };
  const onNamespace = { name: "appns", group: "", kind: "namespace" };
  const made = (...policies: readonly JsonObject[]) =>
    cluster([gateway("internet", { namespace: "appns" }), gateway("intranet", { namespace: "appns" }), ...policies], {
      definitions: ["tls-minimum-version-policy"],
    });
  const versions = (...policies: readonly JsonObject[]) =>
    ["internet", "intranet"].map((name) => made(...policies).spec(`Gateway/appns/${name}`)["minimumTLSVersion"]);

  test("Direct Policy Attachment: the minimum TLS version required on a Gateway", () => {
    expect(versions(tls("minimum12", { minimumTLSVersion: 1.2 }, onGateway))).toEqual([1.2, undefined]);
  });

  test("Inherited Policy Attachment: defaults across multiple Gateways", () => {
    const defaults = tls("minimum12", { defaults: { minimumTLSVersion: 1.2 } }, onNamespace);
    expect(versions(defaults)).toEqual([1.2, 1.2]);
    expect(versions(defaults, tls("own", { defaults: { minimumTLSVersion: 1.3 } }, onGateway))).toEqual([1.3, 1.2]);
    expect(made(defaults).conditions("appns/minimum12")).toEqual([
      "Namespace/appns: Accepted=True/Accepted Enforced=True/Enforced",
    ]);
  });

  test("Inherited Policy Attachment: overrides force it, whatever Gateway owners do", () => {
    const forced = tls("minimum12", { overrides: { minimumTLSVersion: 1.2 } }, onNamespace);
    const variants = ["defaults", "overrides"].map((block) =>
      tls(block, { [block]: { minimumTLSVersion: 1.0 } }, onGateway),
    );
    for (const attempt of variants) expect(versions(forced, attempt)).toEqual([1.2, 1.2]);
  });
});
