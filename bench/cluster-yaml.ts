/** YAML as people and generators write it: block style, comments, labels, and the fields that `kubectl get` adds. */
export function clusterYaml(routes: number): string {
  const parts = [gateway()];
  for (let index = 0; index < routes; index++) {
    parts.push(route(index), service(index), service(index, "-next"));
    if (index % 2 === 0) parts.push(policy(index));
  }
  return parts.join("---\n");
}

/** Many small documents, as in a repository of manifests. */
export function smallDocuments(count: number): string {
  return Array.from({ length: count }, (_, index) => (index % 3 === 0 ? policy(index) : service(index))).join("---\n");
}

const RULES = 8;

const gateway = (): string => `apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata:
  name: prod
  namespace: bench
spec:
  gatewayClassName: bench
  listeners:
  - name: http
    protocol: HTTP
    port: 80
---
apiVersion: prevail.dev/v1alpha1
kind: RetryPolicy
metadata:
  name: everybody
  namespace: bench
spec:
  targetRefs:
  - group: gateway.networking.k8s.io
    kind: Gateway
    name: prod
  defaults:
    retry:
      attempts: 1
`;

const metadata = (name: string, index: number): string => `metadata:
  name: ${name}
  namespace: bench
  creationTimestamp: "2025-03-${String(1 + (index % 28)).padStart(2, "0")}T10:15:30Z"
  uid: 7c0cbbd4-3e1f-4d0a-9c1e-${String(index).padStart(12, "0")}
  labels:
    app.kubernetes.io/name: ${name}
    app.kubernetes.io/part-of: bench
    app.kubernetes.io/managed-by: generator
  annotations:
    bench.example.com/owner: "team-${index % 40}@example.com"
    bench.example.com/description: |
      A service of team ${index % 40}.
      See the handbook: https://handbook.example.com/teams/${index % 40}
`;

const route = (index: number): string => `# Route ${index}
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
${metadata(`route-${index}`, index)}spec:
  parentRefs:
  - group: gateway.networking.k8s.io
    kind: Gateway
    name: prod
  hostnames:
  - route-${index}.example.com
  rules:
${Array.from({ length: RULES }, (_, rule) => routeRule(index, rule)).join("")}`;

const routeRule = (index: number, rule: number): string => `  - name: rule-${rule}
    matches:
    - path:
        type: PathPrefix
        value: /api/v${rule}/route-${index}
      method: ${rule % 2 === 0 ? "GET" : "POST"}
    filters:
    - type: RequestHeaderModifier
      requestHeaderModifier:
        set:
        - name: x-route
          value: "${index}-${rule}"
    backendRefs:
    - name: backend-${index}
      port: 8080
      weight: 9
    - name: backend-${index}-next
      port: 8080
      weight: 1
`;

const service = (index: number, suffix = ""): string => `apiVersion: v1
kind: Service
${metadata(`backend-${index}${suffix}`, index)}spec:
  type: ClusterIP
  selector:
    app: backend-${index}
  ports:
  - name: web
    port: 8080
    targetPort: 8080
    protocol: TCP
`;

const policy = (index: number): string => `apiVersion: prevail.dev/v1alpha1
kind: RetryPolicy
${metadata(`retries-${index}`, index)}spec:
  targetRefs:
  - group: gateway.networking.k8s.io
    kind: HTTPRoute
    name: route-${index}
  defaults:
    retry:
      attempts: 3
      backoff: 250ms
      codes: [502, 503, 504]
    timeouts:
      request: 10s
`;
