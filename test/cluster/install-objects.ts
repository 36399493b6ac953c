/** Objects of the cluster that the chart is installed in. */

const crd = (group: string, kind: string, version: string, spec: object): object => {
  const plural = kind.toLowerCase().replace(/y$/, "ie").concat("s");
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { kind, plural },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", properties: { spec } } },
        },
      ],
    },
  };
};

const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
const targets = { targetRef: { ...anything } };

/** Policy kinds of a vendor, and the kinds of the Prometheus operator and of cert-manager that the chart can render, with no schema to speak of. */
export const foreignCrds: readonly object[] = [
  ...["AuthPolicy", "LimitPolicy"].map((kind) =>
    crd("policies.example.com", kind, "v1", { ...anything, properties: targets }),
  ),
  ...["ServiceMonitor", "PrometheusRule"].map((kind) => crd("monitoring.coreos.com", kind, "v1", anything)),
  ...["Issuer", "Certificate"].map((kind) => crd("cert-manager.io", kind, "v1", anything)),
];

const GATEWAY_API = "gateway.networking.k8s.io";
const inBakery = (name: string) => ({ name, namespace: "bakery" });

/** A route with a policy, and a policy of each vendor's kind. */
export const clusterObjects: readonly object[] = [
  { apiVersion: "v1", kind: "Namespace", metadata: { name: "bakery" } },
  {
    apiVersion: `${GATEWAY_API}/v1`,
    kind: "GatewayClass",
    metadata: { name: "house" },
    spec: { controllerName: "prevail.dev/gateway" },
  },
  {
    apiVersion: `${GATEWAY_API}/v1`,
    kind: "Gateway",
    metadata: inBakery("prod"),
    spec: { gatewayClassName: "house", listeners: [{ name: "http", protocol: "HTTP", port: 80 }] },
  },
  {
    apiVersion: `${GATEWAY_API}/v1`,
    kind: "HTTPRoute",
    metadata: inBakery("baker"),
    spec: { parentRefs: [{ name: "prod" }], rules: [{ backendRefs: [{ name: "oven", port: 80 }] }] },
  },
  { apiVersion: "v1", kind: "Service", metadata: inBakery("oven"), spec: { ports: [{ port: 80 }] } },
  {
    apiVersion: "prevail.dev/v1alpha1",
    kind: "RetryPolicy",
    metadata: inBakery("retries"),
    spec: {
      targetRefs: [{ group: GATEWAY_API, kind: "HTTPRoute", name: "baker" }],
      defaults: { retry: { attempts: 2 } },
    },
  },
  ...["AuthPolicy", "LimitPolicy"].map((kind) => ({
    apiVersion: "policies.example.com/v1",
    kind,
    metadata: inBakery("own"),
    spec: { targetRef: { group: GATEWAY_API, kind: "HTTPRoute", name: "baker" } },
  })),
];
