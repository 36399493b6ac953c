/**
 * Gateway API, "FrontendTLSConfig"
 * Gateway API, "FrontendTLSValidation"
 * Gateway API, "GatewayBackendTLS"
 */
import { describe, expect, test } from "vitest";
import { gateway, listener, referenceGrant } from "../../../../test/support/cluster/gateway-objects.ts";
import { CA_CERTIFICATE } from "../../../../test/support/gateway/test-certificates.ts";
import { apply, buildSnapshot, evaluate } from "../../../index.ts";
import { compileDataplane, updateDataplane } from "../../compile.ts";
import type { JsonObject } from "../../model/json.ts";
import { formatRef } from "../../model/refs.ts";
import type { DataplaneConfig, ListenerConfig } from "../gateway-config.ts";

const compile = (objects: readonly unknown[]): DataplaneConfig =>
  compileDataplane(evaluate(buildSnapshot(objects)), { endpointAnnotations: "Ignored" });

const problemsOf = ({ problems }: DataplaneConfig): readonly string[] =>
  problems.map(({ object, field, message }) => `${formatRef(object)} ${field}: ${message}`);

const listenersOf = ({ gateways }: DataplaneConfig): readonly ListenerConfig[] =>
  gateways.flatMap(({ ports }) => ports.flatMap(({ listeners }) => listeners));

describe("client certificates", () => {
  const https = (port: number): JsonObject => ({
    ...listener(`https-${port}`, { protocol: "HTTPS", port }),
    tls: { certificateRefs: [{ name: "c" }] },
  });
  const withTls = (tls: JsonObject, ...listeners: readonly JsonObject[]): JsonObject => {
    const made = gateway("g", { listeners: [...listeners] });
    return { ...made, spec: { ...(made["spec"] as JsonObject), tls } };
  };
  const validation = (ref: JsonObject, mode?: string): JsonObject => ({
    validation: { caCertificateRefs: [ref], ...(mode === undefined ? {} : { mode }) },
  });
  const configMap = { group: "", kind: "ConfigMap", name: "ca" };
  const clientsOf = (config: DataplaneConfig): readonly string[] =>
    listenersOf(config).map(({ name, clients }) =>
      clients === undefined
        ? name
        : `${name} ${clients.mode} ${clients.authorities.map((ref) => formatRef(ref)).join(", ")}`,
    );

  test("by port, else by default; only of HTTPS listeners", () => {
    const frontend = {
      default: validation(configMap),
      perPort: [
        { port: 444, tls: validation({ ...configMap, name: "other" }, "AllowInsecureFallback") },
        { port: 445, tls: {} },
      ],
    };
    const config = compile([withTls({ frontend }, https(443), https(444), https(445), listener("http", { port: 80 }))]);
    expect(clientsOf(config)).toEqual([
      "http",
      "https-443 AllowValidOnly ConfigMap default/ca",
      "https-444 AllowInsecureFallback ConfigMap default/other",
      "https-445",
    ]);
    expect(problemsOf(config)).toEqual([]);
  });

  test("a listener without a valid reference is not served", () => {
    const frontend = { default: validation({ ...configMap, namespace: "x" }) };
    const config = compile([withTls({ frontend }, https(443), listener("http", { port: 80 }))]);
    expect(clientsOf(config)).toEqual(["http"]);
    expect(problemsOf(config)).toEqual([
      expect.stringMatching(/^Gateway default\/g spec\.listeners\[0\]\.tls: clients cannot be validated.*not served$/),
      expect.stringMatching(
        /caCertificateRefs\[0\]: ConfigMap x\/ca .*no ReferenceGrant.*the CA certificate is ignored$/,
      ),
    ]);
  });

  test("the Gateway's own, for backends", () => {
    const own = (tls: JsonObject): unknown => compile([withTls(tls, listener("l"))]).gateways[0]?.clientCertificate;
    expect(own({ backend: { clientCertificateRef: { name: "c" } } })).toMatchObject({
      namespace: "default",
      name: "c",
    });
    expect(own({ backend: { clientCertificateRef: { name: "c", namespace: "x" } } })).toBeUndefined();
    expect(own({ backend: {} })).toBeUndefined();
  });

  test("ConfigMaps and ReferenceGrants that change", () => {
    const authority = (text: string): JsonObject => ({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "ca", namespace: "x" },
      data: { "ca.crt": text },
    });
    const grant = referenceGrant("g", "x", {
      from: { kind: "Gateway", namespace: "default" },
      to: { group: "", kind: "ConfigMap" },
    });
    const frontend = { default: validation({ ...configMap, namespace: "x" }) };
    const gatewayObject = withTls({ frontend }, https(443));
    let evaluation = evaluate(buildSnapshot([gatewayObject, authority(CA_CERTIFICATE)]));
    let dataplane = compileDataplane(evaluation, { endpointAnnotations: "Ignored" });
    const seen = [clientsOf(dataplane)];
    for (const upsert of [grant, authority("malformed"), authority(CA_CERTIFICATE)]) {
      const applied = apply(evaluation, [{ upsert }]);
      ({ evaluation } = applied);
      ({ dataplane } = updateDataplane(dataplane, applied));
      seen.push(clientsOf(dataplane));
    }
    expect(seen).toEqual([
      [],
      ["https-443 AllowValidOnly ConfigMap x/ca"],
      [],
      ["https-443 AllowValidOnly ConfigMap x/ca"],
    ]);
  });
});
