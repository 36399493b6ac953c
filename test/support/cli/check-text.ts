import { runCli } from "./run-cli.ts";

/** One item of `check -o json`. */
export interface CheckedFinding {
  readonly code: string;
  readonly severity: string;
  readonly at?: { readonly file: string; readonly line: number; readonly column: number };
  readonly object?: { readonly kind: string; readonly namespace?: string; readonly name: string };
  readonly field?: string;
  readonly message: string;
  readonly fix?: string;
  readonly related?: ReadonlyArray<{ readonly message: string; readonly at?: { readonly line: number } }>;
}

/** All findings of `check` in a text, infos too. */
export async function checkText(text: string, options = ""): Promise<readonly CheckedFinding[]> {
  const line = `check --severity info -o json -f a.yaml ${options}`.trim();
  const { stdout, stderr } = await runCli(line, { files: { "a.yaml": text } });
  if (stderr !== "") throw new Error(stderr);
  const { items } = JSON.parse(stdout) as { readonly items: readonly CheckedFinding[] };
  return items;
}

/** The findings with this code: severity, the text at the position up to the end of the line, and message. */
export async function findingsOf(code: string, text: string): Promise<readonly string[]> {
  const lines = text.split("\n");
  return (await checkText(text))
    .filter((finding) => finding.code === code)
    .map(({ at, severity, message }) => {
      const there = at === undefined ? "" : lines[at.line - 1]?.slice(at.column - 1);
      return `${severity} at «${there}»: ${message}`;
    });
}

/** A Gateway with one listener, a route with one rule and its Service, all in namespace `a`; and LimitPolicy, a policy kind. */
export const smallCluster = `apiVersion: v1
kind: Namespace
metadata: {name: a}
---
apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: {name: c}
spec: {controllerName: prevail.dev/gateway}
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: g, namespace: a}
spec:
  gatewayClassName: c
  listeners:
  - {name: http, protocol: HTTP, port: 80}
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: r, namespace: a}
spec:
  parentRefs: [{name: g}]
  rules:
  - name: one
    backendRefs: [{name: s, port: 80}]
---
apiVersion: v1
kind: Service
metadata: {name: s, namespace: a}
spec:
  ports: [{name: web, port: 80}]
---
apiVersion: prevail.dev/v1alpha1
kind: PolicyDefinition
metadata: {name: limits.example.com}
spec:
  policies: [{group: example.com, kind: LimitPolicy}]
  class: Inherited
  targeting:
    kinds: [{kind: Gateway, sections: [Listener]}, {kind: HTTPRoute, sections: [Rule]}]
  hierarchy: {effectiveTargets: [HTTPRouteRule]}
  merge:
    granularity: {default: Atomic, values: {atomic: Atomic, merge: Merge}}
    rules: [limits]
`;

/** A LimitPolicy (which merges by named rules) in namespace `a`, to append to a text. `spec` is indented by two spaces. */
export const limitPolicy = (name: string, kind: "Gateway" | "HTTPRoute", spec: string): string => `---
apiVersion: example.com/v1
kind: LimitPolicy
metadata: {name: ${name}, namespace: a}
spec:
  targetRef: {kind: ${kind}, name: ${kind === "Gateway" ? "g" : "r"}}
${spec.replaceAll(/^/gm, "  ")}
`;

/** A RetryPolicy in namespace `a`, to append to a text. */
export const retryPolicy = (name: string, target: string, spec: string): string => `---
apiVersion: prevail.dev/v1alpha1
kind: RetryPolicy
metadata: {name: ${name}, namespace: a}
spec:
  targetRefs: [${target}]
${spec.replaceAll(/^/gm, "  ")}
`;
