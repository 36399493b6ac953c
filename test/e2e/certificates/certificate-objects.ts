/** A Gateway `g` in namespace `s`, its listeners, and certificates. */
import type { JsonObject } from "../../../src/core/model/json.ts";
import type { KeyMaterial } from "../../../src/sources/key-material.ts";
import { NODE_7, NODE_8, NODE_AUTHORITY } from "../../support/gateway/node-certificates.ts";
import { CA_CERTIFICATE, SHOP_CERTIFICATE, SHOP_KEY } from "../../support/gateway/test-certificates.ts";
import { gateway } from "../streams/stream-objects.ts";

/** The authority of the clients is another one than that of the servers. */
const AUTHORITIES: Readonly<Record<string, string>> = {
  "s/clients": NODE_AUTHORITY,
  "other/clients": NODE_AUTHORITY,
  "s/servers": CA_CERTIFICATE,
};

export const KEYS: KeyMaterial = {
  certificates: new Map([
    ["s/shop", { chain: SHOP_CERTIFICATE, privateKey: SHOP_KEY }],
    ["s/gateway", { chain: NODE_7.certificate, privateKey: NODE_7.key }],
    ["other/gateway", { chain: NODE_7.certificate, privateKey: NODE_7.key }],
    ["s/gateway-2", { chain: NODE_8.certificate, privateKey: NODE_8.key }],
  ]),
  authorities: new Map(Object.entries(AUTHORITIES)),
};

export const https = (name: string, port: number, hostname?: string): JsonObject => ({
  name,
  port,
  protocol: "HTTPS",
  ...(hostname === undefined ? {} : { hostname }),
  tls: { certificateRefs: [{ name: "shop" }] },
});

/** The Gateway with its class, and the ConfigMaps. `tls` is `spec.tls` of the Gateway. */
export function gatewayObjects(tls: JsonObject, listeners: readonly JsonObject[]): readonly JsonObject[] {
  const configMaps = Object.entries(AUTHORITIES).map(([id, text]): JsonObject => {
    const [namespace = "", name = ""] = id.split("/");
    return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace }, data: { "ca.crt": text } };
  });
  const objects = gateway(listeners).map((object) =>
    object["kind"] === "Gateway" ? { ...object, spec: { ...(object["spec"] as JsonObject), tls } } : object,
  );
  return [...objects, ...configMaps];
}
