/** Values that may be secrets, in the kinds of implementations: answers with `--redact` never have them, also in the namespace of the user. */
import { describe, expect, test } from "vitest";
import { allVendorDefinitions } from "../../src/definitions/vendor-definitions.ts";
import { runCli } from "../support/cli/run-cli.ts";

const SECRET = "c0rrect-h0rse";

const ground = (controller: string, route: string): string => `
apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: {name: c}
spec: {controllerName: ${controller}}
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: g, namespace: shop}
spec: {gatewayClassName: c, listeners: [{name: http, port: 80, protocol: HTTP}]}
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: r, namespace: shop${route.includes("annotations") ? `, ${route}` : ""}}
spec: {parentRefs: [{name: g}], rules: [{name: a, backendRefs: [{name: s, port: 80}]${route.includes("filters") ? `, ${route}` : ""}}]}
---
apiVersion: v1
kind: Service
metadata: {name: s, namespace: shop}
spec: {ports: [{port: 80}]}
`;
const policy = (apiVersion: string, kind: string, rest: string): string => `---
apiVersion: ${apiVersion}
kind: ${kind}
metadata: {name: p, namespace: shop}
${rest}
`;
const on = (kind: string, name: string): string =>
  `targetRefs: [{group: ${kind === "Service" ? '""' : "gateway.networking.k8s.io"}, kind: ${kind}, name: ${name}}]`;
const filter = (group: string, kind: string): string =>
  `filters: [{type: ExtensionRef, extensionRef: {group: ${group}, kind: ${kind}, name: p}}]`;

interface SecretCase {
  readonly kind: string;
  readonly target: string;
  readonly text: string;
}

const cases: readonly SecretCase[] = [
  {
    kind: "agentgatewaypolicy",
    target: "svc/s",
    text:
      ground("agentgateway.dev/agentgateway", "") +
      policy(
        "agentgateway.dev/v1alpha1",
        "AgentgatewayPolicy",
        `spec: {${on("Service", "s")}, backend: {auth: {key: ${SECRET}}}}`,
      ),
  },
  {
    kind: "trafficpolicy",
    target: "httproute/r",
    text:
      ground("kgateway.dev/kgateway", "") +
      policy(
        "gateway.kgateway.dev/v1alpha1",
        "TrafficPolicy",
        `spec: {${on("HTTPRoute", "r")}, basicAuth: {users: ["ana:${SECRET}"]}}`,
      ),
  },
  {
    kind: "kongplugin",
    target: "httproute/r",
    text:
      ground("konghq.com/kic-gateway-controller", "annotations: {konghq.com/plugins: p}") +
      policy(
        "configuration.konghq.com/v1",
        "KongPlugin",
        `plugin: request-transformer\nconfig: {add: {headers: ["authorization:${SECRET}"]}}`,
      ),
  },
  {
    kind: "pluginconfig",
    target: "httproute/r",
    text:
      ground("apisix.apache.org/apisix-ingress-controller", filter("apisix.apache.org", "PluginConfig")) +
      policy(
        "apisix.apache.org/v1alpha1",
        "PluginConfig",
        `spec: {plugins: [{name: key-auth, config: {key: ${SECRET}}}]}`,
      ),
  },
  {
    kind: "envoyextensionpolicy",
    target: "httproute/r",
    text:
      ground("gateway.envoyproxy.io/gatewayclass-controller", "") +
      policy(
        "gateway.envoyproxy.io/v1alpha1",
        "EnvoyExtensionPolicy",
        `spec: {${on("HTTPRoute", "r")}, wasm: [{name: w, config: {token: ${SECRET}}}]}`,
      ),
  },
  {
    kind: "wasmplugin",
    target: "gtw/g",
    text:
      ground("istio.io/gateway-controller", "") +
      policy(
        "extensions.istio.io/v1alpha1",
        "WasmPlugin",
        `spec: {${on("Gateway", "g")}, url: "oci://w", pluginConfig: {token: ${SECRET}}}`,
      ),
  },
  {
    kind: "snippetsfilter",
    target: "httproute/r",
    text:
      ground("gateway.nginx.org/nginx-gateway-controller", filter("gateway.nginx.org", "SnippetsFilter")) +
      policy(
        "gateway.nginx.org/v1alpha1",
        "SnippetsFilter",
        `spec: {snippets: [{context: http.server, value: "set $key ${SECRET};"}]}`,
      ),
  },
  {
    kind: "middleware",
    target: "httproute/r",
    text:
      ground("traefik.io/gateway-controller", filter("traefik.io", "Middleware")) +
      policy(
        "traefik.io/v1alpha1",
        "Middleware",
        `spec: {headers: {customRequestHeaders: {Authorization: ${SECRET}}}}`,
      ),
  },
];

describe.each(cases)("$kind", ({ kind, target, text }) => {
  const files = { "a.yaml": text };
  const run = async (line: string): Promise<string> => {
    const { stdout, stderr } = await runCli(`${line} -n shop -f a.yaml --complete`, { files, columns: 300 });
    return `${stdout}${stderr}`;
  };

  test("the value is in the answer without --redact", async () => {
    expect(await run(`explain ${target}`)).toContain(SECRET);
  });

  test.each([
    `explain ${target}`,
    `explain ${target} -o json`,
    `explain ${target} -o yaml`,
    `explain ${target} --all-paths -o wide`,
    `reach ${kind}/p`,
    `reach ${kind}/p -o wide`,
    `reach ${kind}/p -o json`,
    "get effective",
    "get effective -o json",
    "get policies -o wide",
    `plan --delete ${kind}/p`,
    `plan --delete ${kind}/p -o json`,
    "trace GET http://example.com/",
    "trace GET http://example.com/ -o json",
    "check --severity info",
    "check --severity info -o json",
    "status",
    "graph",
  ])("%s --redact has no sensitive value", async (line) => {
    const text_ = await run(`${line} --redact`);
    expect(text_).not.toContain(SECRET);
    expect(text_).not.toMatch(/unknown (option|command)|no such option/i);
  });
});

test("a message about an invalid value does not quote it", async () => {
  const definition = `
apiVersion: prevail.dev/v1alpha1
kind: PolicyDefinition
metadata: {name: keypolicies.example.com}
spec: {policies: [{group: example.com, kind: KeyPolicy}], class: Direct, targeting: {kinds: [Service]}, sensitive: [auth.key]}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: keypolicies.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: KeyPolicy, plural: keypolicies}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties: {spec: {type: object, properties: {targetRef: {type: object, x-kubernetes-preserve-unknown-fields: true}, auth: {type: object, properties: {key: {type: string, enum: [a, b]}}}}}}
`;
  const key = policy(
    "example.com/v1",
    "KeyPolicy",
    `spec: {targetRef: {group: "", kind: Service, name: s}, auth: {key: ${SECRET}}}`,
  );
  const files = { "a.yaml": `${ground("example.com/c", "")}---${definition}${key}` };
  const lines = ["check", "status", "explain svc/s", "reach keypolicy/p", "get policies", "plan --delete keypolicy/p"];
  for (const line of lines.flatMap((one) => [one, `${one} -o json`, `${one} --redact`])) {
    const { stdout, stderr } = await runCli(`${line} -n shop -f a.yaml`, { files, columns: 300 });
    expect(`${stdout}${stderr}`).not.toContain(SECRET);
    expect(`${stdout}${stderr}`).toMatch(/not shown|invalid/i);
  }
  const { stdout } = await runCli("check -n shop --redact -f a.yaml", { files });
  expect(stdout.replaceAll(/\s+/g, " ")).toContain("The value of spec.auth.key is not shown.");
});

test("kinds whose settings may be anything say which may be secrets", () => {
  const marked = [...allVendorDefinitions().values()].flat().filter(({ sensitive = [] }) => sensitive.length > 0);
  expect(marked.map(({ policies: [{ kind }] }) => kind).sort()).toEqual([
    "AgentgatewayParameters",
    "AgentgatewayPolicy",
    "AuthPolicy",
    "EnvoyExtensionPolicy",
    "EnvoyFilter",
    "EnvoyPatchPolicy",
    "EnvoyProxy",
    "GatewayParameters",
    "GatewayProxy",
    "HttpListenerOption",
    "KongPlugin",
    "L4RoutePolicy",
    "Middleware",
    "PluginConfig",
    "ProxyConfig",
    "RouteOption",
    "SnippetsFilter",
    "SnippetsPolicy",
    "TrafficExtension",
    "TrafficPolicy",
    "VirtualHostOption",
    "WasmPlugin",
  ]);
});
