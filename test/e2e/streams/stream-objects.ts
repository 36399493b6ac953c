/** Objects of the stream tests: one namespace `s`, Services whose endpoints are ports of the loopback. */
import type { JsonObject } from "../../../src/core/model/json.ts";

const API = "gateway.networking.k8s.io";

export const gateway = (listeners: readonly JsonObject[]): readonly JsonObject[] => [
  {
    apiVersion: `${API}/v1`,
    kind: "GatewayClass",
    metadata: { name: "house" },
    spec: { controllerName: "prevail.dev/gateway" },
  },
  {
    apiVersion: `${API}/v1`,
    kind: "Gateway",
    metadata: { name: "g", namespace: "s" },
    spec: { gatewayClassName: "house", listeners: [...listeners] },
  },
];

export interface RouteOptions {
  readonly kind?: "TCPRoute" | "TLSRoute" | "UDPRoute" | "HTTPRoute";
  readonly listener: string;
  readonly hostnames?: readonly string[];
  /** `name`, or `namespace/name`, with a weight. Default: the Service of the same name. */
  readonly to?: Readonly<Record<string, number>>;
  readonly created?: string;
}

export function route(name: string, { kind = "TCPRoute", listener, hostnames, to, created }: RouteOptions): JsonObject {
  const backendRefs = Object.entries(to ?? { [name]: 1 }).map(([service, weight]) => {
    const [first = "", second] = service.split("/");
    return second === undefined
      ? { name: first, port: 80, weight }
      : { name: second, namespace: first, port: 80, weight };
  });
  return {
    apiVersion: `${API}/v1`,
    kind,
    metadata: { name, namespace: "s", ...(created === undefined ? {} : { creationTimestamp: created }) },
    spec: {
      parentRefs: [{ name: "g", sectionName: listener }],
      ...(hostnames === undefined ? {} : { hostnames: [...hostnames] }),
      rules: [{ backendRefs }],
    },
  };
}

export const service = (
  name: string,
  ports: readonly number[],
  { namespace = "s", protocol = "TCP" }: { readonly namespace?: string; readonly protocol?: "TCP" | "UDP" } = {},
): JsonObject => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: {
    name,
    namespace,
    annotations: { "prevail.dev/endpoints": ports.map((port) => `127.0.0.1:${port}`).join(",") },
  },
  spec: { ports: [{ name: "main", port: 80, protocol }] },
});

export const grant = (namespace: string, kind: string): JsonObject => ({
  apiVersion: `${API}/v1beta1`,
  kind: "ReferenceGrant",
  metadata: { name: "grant", namespace },
  spec: { from: [{ group: API, kind, namespace: "s" }], to: [{ group: "", kind: "Service" }] },
});

/** The gateway connects to the Service with TLS, as `api.example`. */
export const backendTls = (name: string): readonly JsonObject[] => [
  {
    apiVersion: `${API}/v1`,
    kind: "BackendTLSPolicy",
    metadata: { name, namespace: "s" },
    spec: {
      targetRefs: [{ group: "", kind: "Service", name }],
      validation: { hostname: "api.example", caCertificateRefs: [{ group: "", kind: "ConfigMap", name: "ca" }] },
    },
  },
];
