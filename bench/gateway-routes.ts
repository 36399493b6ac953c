/** One Gateway with many routes, each for a host and a path of its own. */
import type { JsonObject } from "../src/core/model/json.ts";

const GATEWAY_API = "gateway.networking.k8s.io";

export interface RouteShape {
  readonly routes: number;
  readonly backendPort: number;
  /** The prefix of names and hosts. */
  readonly prefix?: string;
  /** The attempts of a RetryPolicy on the first route. */
  readonly retry?: JsonObject;
}

/** All but the GatewayClass and the Gateway, which come first, belong to the prefix. */
export function gatewayObjects({ routes, backendPort, prefix = "route", retry }: RouteShape): readonly JsonObject[] {
  const metadata = { name: "bench", namespace: "bench" };
  return [
    {
      apiVersion: `${GATEWAY_API}/v1`,
      kind: "GatewayClass",
      metadata: { name: "bench" },
      spec: { controllerName: "prevail.dev/gateway" },
    },
    {
      apiVersion: `${GATEWAY_API}/v1`,
      kind: "Gateway",
      metadata,
      spec: { gatewayClassName: "bench", listeners: [{ name: "http", protocol: "HTTP", port: 80 }] },
    },
    ...Array.from({ length: routes }, (_, index) => routeObject(prefix, index)),
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: {
        name: prefix,
        namespace: "bench",
        annotations: { "prevail.dev/endpoints": `127.0.0.1:${backendPort}` },
      },
      spec: { ports: [{ port: 80 }] },
    },
    ...(retry === undefined ? [] : [retryPolicy(prefix, retry)]),
  ];
}

const retryPolicy = (prefix: string, retry: JsonObject): JsonObject => ({
  apiVersion: "prevail.dev/v1alpha1",
  kind: "RetryPolicy",
  metadata: { name: prefix, namespace: "bench" },
  spec: { targetRefs: [{ group: GATEWAY_API, kind: "HTTPRoute", name: `${prefix}-0` }], defaults: { retry } },
});

/** `version` is the part of the route that a change replaces. */
export function routeObject(prefix: string, index: number, version = 0): JsonObject {
  return {
    apiVersion: `${GATEWAY_API}/v1`,
    kind: "HTTPRoute",
    metadata: { name: `${prefix}-${index}`, namespace: "bench" },
    spec: {
      parentRefs: [{ name: "bench" }],
      hostnames: [`${prefix}-${index}.example`],
      rules: [
        {
          matches: [{ path: { type: "PathPrefix", value: `/path-${index}` } }],
          backendRefs: [{ name: prefix, port: 80 }],
          ...(version === 0 ? {} : { timeouts: { request: `${version}s` } }),
        },
      ],
    },
  };
}
