import { expect, test } from "vitest";
import { runCli } from "../support/cli/run-cli.ts";

const files = {
  "cluster.yaml": `
apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: {name: eg}
spec: {controllerName: gateway.envoyproxy.io/gatewayclass-controller}
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: g, namespace: default}
spec: {gatewayClassName: eg, listeners: [{name: http, port: 80, protocol: HTTP}]}
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: r, namespace: default}
spec: {parentRefs: [{name: g}]}
---
apiVersion: gateway.envoyproxy.io/v1alpha1
kind: SecurityPolicy
metadata: {name: house, namespace: default}
spec: {targetRefs: [{group: gateway.networking.k8s.io, kind: Gateway, name: g}], cors: {allowCredentials: true}}
`,
  "own.yaml": `
apiVersion: prevail.dev/v1alpha1
kind: PolicyDefinition
metadata: {name: mine}
spec:
  policies: [{group: gateway.envoyproxy.io, kind: SecurityPolicy}]
  class: Direct
  targeting: {kinds: [Gateway]}
`,
  "broken.yaml": `
apiVersion: prevail.dev/v1alpha1
kind: PolicyDefinition
metadata: {name: mine}
spec: {class: Direct, targetting: {}}
`,
};
const explain = (more: string) => runCli(`explain httproute/r -f cluster.yaml --complete ${more}`, { files });

test("without the option the definitions of implementations are used", async () => {
  const { stdout } = await explain("");
  expect(stdout).toContain("allowCredentials");
});

test("--definitions none: the kind is not known, and a caveat says so", async () => {
  const { stdout } = await explain("--definitions none");
  expect(stdout).not.toContain("allowCredentials");
  expect(stdout).toContain("1 SecurityPolicy is ignored");
});

test("--definitions FILE: the definition of the file is used instead", async () => {
  const { stdout, code } = await explain("--definitions own.yaml");
  expect(stdout).not.toContain("allowCredentials");
  expect(code).toBe(0);
});

test.each([
  ["broken.yaml", "error: --definitions: broken.yaml:"],
  ["cluster.yaml", "error: --definitions: there is no PolicyDefinition in cluster.yaml"],
  ["absent.yaml", "error: --definitions: "],
])("--definitions %s is an error", async (file, message) => {
  const { stderr, stdout, code } = await explain(`--definitions ${file}`);
  expect(stderr).toContain(message);
  expect(stdout).toBe("");
  expect(code).not.toBe(0);
});
