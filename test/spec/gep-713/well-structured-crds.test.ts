/** GEP-713, "Meta resources are well-structured CRDs" */
import { describe, expect, test } from "vitest";
import { cluster } from "../../support/cluster/cluster.ts";
import { colorPolicy } from "./color-policies.ts";

describe("Meta resources are well-structured CRDs", () => {
  test("targets are the context, the spec proper is the intent; the GEP's own group carries a version", () => {
    const made = cluster(
      `
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: my-gateway, namespace: default}
spec: {gatewayClassName: class, listeners: [{name: http, port: 80, protocol: HTTP}]}
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: r, namespace: default}
spec: {parentRefs: [{name: my-gateway}], rules: [{backendRefs: [{name: b, port: 80}]}]}
---
apiVersion: v1
kind: Service
metadata: {name: b, namespace: default}
spec: {ports: [{port: 80}]}
---
apiVersion: policies.controller.io/v1
kind: ColorPolicy
metadata: {name: my-color-policy, namespace: default}
spec:
  targetRefs:
  - group: gateway.networking.k8s.io/v1
    kind: Gateway
    name: my-gateway
  rules:
    color: blue
`,
      { definitions: [colorPolicy()] },
    );
    expect(made.spec("Gateway/my-gateway > HTTPRoute/r > Service/b")).toEqual({ rules: { color: "blue" } });
    expect(made.outcome("my-color-policy")).toBe("Enforced");
  });
});
