/** Clusters with many routes, as YAML: for drawings and lists that must stay readable. */

const GROUP = "gateway.networking.k8s.io";

const toYaml = (objects: readonly object[]): string => objects.map((object) => JSON.stringify(object)).join("\n---\n");

const gatewayClass = {
  apiVersion: `${GROUP}/v1`,
  kind: "GatewayClass",
  metadata: { name: "house" },
  spec: { controllerName: "prevail.dev/gateway" },
};

const gatewayNamed = (namespace: string, name: string, listeners: readonly string[]): object => ({
  apiVersion: `${GROUP}/v1`,
  kind: "Gateway",
  metadata: { name, namespace },
  spec: {
    gatewayClassName: "house",
    listeners: listeners.map((own, at) => ({
      name: own,
      port: 80 + at,
      protocol: "HTTP",
      allowedRoutes: { namespaces: { from: "All" } },
    })),
  },
});

const serviceNamed = (namespace: string, name: string): object => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name, namespace },
  spec: { ports: [{ name: "web", port: 80 }] },
});

const retryPolicy = (namespace: string, name: string, target: object): object => ({
  apiVersion: "prevail.dev/v1alpha1",
  kind: "RetryPolicy",
  metadata: { name, namespace },
  spec: { targetRefs: [target], defaults: { retry: { attempts: 1 } } },
});

/** One Gateway in `infra`; routes in `routesIn`, each with two rules and two Services of its own, every second one with a policy. */
export function manyRoutes(count: number, routesIn = "town"): string {
  const route = (at: number): readonly object[] => {
    const name = `route-${at}`;
    const backends = [`backend-${at}`, `backend-${at}-next`];
    return [
      {
        apiVersion: `${GROUP}/v1`,
        kind: "HTTPRoute",
        metadata: { name, namespace: routesIn },
        spec: {
          parentRefs: [{ name: "prod", namespace: "infra" }],
          hostnames: [`${name}.example.com`],
          rules: ["read", "write"].map((rule) => ({
            name: rule,
            matches: [{ path: { type: "PathPrefix", value: `/${rule}` } }],
            backendRefs: backends.map((backend) => ({ name: backend, port: 80 })),
          })),
        },
      },
      ...backends.map((backend) => serviceNamed(routesIn, backend)),
      ...(at % 2 === 0 ? [retryPolicy(routesIn, `retries-${at}`, { group: GROUP, kind: "HTTPRoute", name })] : []),
    ];
  };
  return toYaml([
    gatewayClass,
    gatewayNamed("infra", "prod", ["http"]),
    retryPolicy("infra", "everybody", { group: GROUP, kind: "Gateway", name: "prod" }),
    ...Array.from({ length: count }, (_, at) => route(at)).flat(),
  ]);
}

/** Teams in namespaces of their own behind two Gateways of another namespace; some routes, some rules and all namespaces have policies. */
export function manyTeams(count: number, routes: number): string {
  const team = (namespace: string): readonly object[] =>
    Array.from({ length: routes }, (_, at) => [
      {
        apiVersion: `${GROUP}/v1`,
        kind: "HTTPRoute",
        metadata: { name: `r${at}`, namespace },
        spec: {
          parentRefs: [
            { name: at % 3 === 0 ? "public" : "internal", namespace: "infra", ...(at % 2 ? { sectionName: "b" } : {}) },
          ],
          rules: [{ name: "own", backendRefs: [{ name: `s${at % 7}`, port: 80 }] }],
        },
      },
      serviceNamed(namespace, `s${at}`),
      ...(at % 5 === 0
        ? [
            retryPolicy(namespace, `p${at}`, {
              group: GROUP,
              kind: "HTTPRoute",
              name: `r${at}`,
              ...(at % 2 ? { sectionName: "own" } : {}),
            }),
          ]
        : []),
    ]).flat();
  const names = Array.from({ length: count }, (_, at) => `team-${at}`);
  return toYaml([
    gatewayClass,
    gatewayNamed("infra", "public", ["a", "b"]),
    gatewayNamed("infra", "internal", ["a", "b"]),
    ...names.flatMap((name) => [...team(name), retryPolicy(name, "all", { group: "", kind: "Namespace", name })]),
  ]);
}
