import { describe, expect, test } from "vitest";
import { expectTranscript } from "../../../test/support/cli/cli-transcript.ts";
import { runCli } from "../../../test/support/cli/run-cli.ts";
import { schemaViolations } from "../../../test/support/cli/validate-schema.ts";

describe("the bakery", () => {
  for (const columns of [60, 120])
    test(`the status of everything, ${columns} columns`, () =>
      expectTranscript(`status-${columns}`, "status -f examples/bakery", { columns }));
  for (const [name, line] of [
    ["status-policy", "status retrypolicy/friday-fix -f examples/bakery"],
    ["status-conflicted", "status backendtlspolicy/oven-tls-2026 -f examples/bakery"],
    ["status-policy-yaml", "status authpolicy/front-door retrypolicy/no-double-orders -o yaml -f examples/bakery"],
    ["status-route-yaml", "status httproute/baker -o yaml -f examples/bakery"],
    ["status-listener", "status gtw/prod#https -f examples/bakery"],
    ["status-unaffected", "status httproute/stocktaking -f examples/bakery"],
    ["status-other-controller", "status -n shop --controller-name example.com/gateway -f examples/bakery"],
    ["status-bad-controller", "status --controller-name gateway -f examples/bakery"],
    ["status-redacted", "status retrypolicy/baker-retries httproute/baker -n bakery --redact -f examples/bakery"],
    ["status-nowhere", "status -n nowhere -f examples/bakery"],
    ["get-policies-yaml", "get policies friday-fix -o yaml --controller-name example.com/gateway -f examples/bakery"],
  ] as const)
    test(line, () => expectTranscript(name, line));

  test("redacted, no name of a policy of another namespace appears", async () => {
    for (const line of ["status", "status -o json", "get policies -o json"]) {
      const { stdout } = await runCli(`${line} -n bakery --redact -f examples/bakery`);
      expect(stdout).toContain("baker-retries");
      for (const secret of ["friday-fix", "house-rules"]) expect(stdout).not.toContain(secret);
    }
  });
});

describe("what -o json prints is what docs/schemas/status-list.json says", () => {
  for (const rest of ["", "httproute/baker", "-n bakery --redact", "referencegrant/shop-to-baker"])
    test(`status ${rest}`, async () => {
      const { stdout } = await runCli(`status ${rest} -o json -f examples/bakery`);
      expect(schemaViolations("status-list.json", JSON.parse(stdout))).toEqual([]);
    });
});

test("a route has an entry for each parent, with the generation of the route", async () => {
  const files = {
    "a.yaml": `
apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: {name: x}
spec: {controllerName: prevail.dev/gateway}
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: g, namespace: ns, generation: 4}
spec: {gatewayClassName: x, listeners: [{name: l, protocol: HTTP, port: 80}]}
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: r, namespace: ns, generation: 7}
spec: {parentRefs: [{name: g}], rules: [{backendRefs: [{name: s, port: 80}]}]}
---
apiVersion: v1
kind: Service
metadata: {name: s, namespace: ns}
spec: {ports: [{name: web, port: 80}]}
---
apiVersion: prevail.dev/v1alpha1
kind: RetryPolicy
metadata: {name: p, namespace: ns, generation: 2}
spec: {targetRefs: [{kind: HTTPRoute, name: r}], retry: {attempts: 3}}
`,
  };
  const { stdout } = await runCli("status httproute/r -o json -f a.yaml", { files });
  expect(JSON.parse(stdout).items).toEqual([
    {
      apiVersion: "gateway.networking.k8s.io/v1",
      kind: "HTTPRoute",
      metadata: { namespace: "ns", name: "r" },
      status: {
        parents: [
          {
            parentRef: { group: "gateway.networking.k8s.io", kind: "Gateway", name: "g" },
            controllerName: "prevail.dev/gateway",
            conditions: [
              {
                type: "Accepted",
                status: "True",
                reason: "Accepted",
                message: "a listener accepts the route",
                observedGeneration: 7,
              },
              {
                type: "ResolvedRefs",
                status: "True",
                reason: "ResolvedRefs",
                message: "all references resolve",
                observedGeneration: 7,
              },
              {
                type: "prevail.dev/RetryPolicyAffected",
                status: "True",
                reason: "Affected",
                message: "affected by RetryPolicy ns/p",
                observedGeneration: 7,
              },
            ],
          },
        ],
      },
    },
  ]);
});

test("a policy without a valid reference is not accepted, and every command says so", async () => {
  const files = {
    "a.yaml": `
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: g, namespace: ns}
spec: {gatewayClassName: x, listeners: [{name: l, protocol: HTTP, port: 80}]}
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: r, namespace: ns}
spec: {parentRefs: [{name: g}], rules: [{backendRefs: [{name: s, port: 80}]}]}
---
apiVersion: v1
kind: Service
metadata: {name: s, namespace: ns}
spec: {ports: [{name: web, port: 80}]}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: ca, namespace: ns}}
---
apiVersion: gateway.networking.k8s.io/v1
kind: BackendTLSPolicy
metadata: {name: tls, namespace: ns}
spec:
  targetRefs: [{group: "", kind: Service, name: s}]
  validation: {hostname: s.example, caCertificateRefs: [{group: "", kind: ConfigMap, name: ca}]}
`,
  };
  for (const line of [
    "status backendtlspolicy/tls",
    "explain svc/s",
    "reach backendtlspolicy/tls",
    "check",
    "trace GET http://x/",
  ]) {
    const { stdout } = await runCli(`${line} -f a.yaml`, { files });
    expect(stdout.replaceAll(/\s+/g, " "), line).toContain("ConfigMap ns/ca has no key 'ca.crt'");
    expect(stdout, line).toMatch(/not accepted|NoValidCACertificate/i);
  }
});

test("an object of a kind without conditions has annotations", async () => {
  const files = {
    "a.yaml": `
apiVersion: prevail.dev/v1alpha1
kind: PolicyDefinition
metadata: {name: colours.example.com}
spec:
  policies: [{group: example.com, kind: Colour}]
  class: Direct
  targeting: {kinds: [{group: example.com, kind: Wall}]}
  hierarchy: {kinds: [{group: example.com, kind: Wall, plural: walls}]}
---
{apiVersion: example.com/v1, kind: Wall, metadata: {name: north, namespace: ns}}
---
{apiVersion: example.com/v1, kind: Colour, metadata: {name: c, namespace: ns}, spec: {targetRef: {group: example.com, kind: Wall, name: north}, a: 1}}
`,
  };
  const { stdout } = await runCli("status wall/north -o json -f a.yaml", { files });
  expect(JSON.parse(stdout).items).toEqual([
    {
      apiVersion: "example.com/v1",
      kind: "Wall",
      metadata: { namespace: "ns", name: "north", annotations: { "prevail.dev/ColourAffected": "true" } },
    },
  ]);
  expect((await runCli("status wall/north -f a.yaml", { files })).stdout).toContain("as annotations");
});
