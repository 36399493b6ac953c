/** `check` says of parameters what the status of Gateways says. */
import { describe, expect, test } from "vitest";
import { findingsOf, smallCluster } from "../../../../test/support/cli/check-text.ts";
import { runCli } from "../../../../test/support/cli/run-cli.ts";

const own =
  "gatewayClassName: c\n  infrastructure: {parametersRef: {group: prevail.dev, kind: GatewayParameters, name: small}}";
const referring = smallCluster.replace("gatewayClassName: c", own);
const parameters = (spec: string): string => `---
apiVersion: prevail.dev/v1alpha1
kind: GatewayParameters
metadata: {name: small, namespace: a}
spec: ${spec}
`;

/** The message of Accepted of the Gateway, without the field of the reference. */
async function statusMessage(text: string): Promise<string> {
  const { stdout } = await runCli("status gateway/g -n a -o json -f a.yaml", { files: { "a.yaml": text } });
  const message = /"reason": "InvalidParameters",\s*"message": "([^"]*)"/.exec(stdout)?.[1];
  if (message === undefined) throw new Error(stdout);
  return message.replace("spec.infrastructure.parametersRef: ", "");
}

describe("InvalidParameters", () => {
  test.each([
    ["{replicas: -1}", "spec.replicas is not a whole number", "-1}"],
    ["{drainTimeout: 2h}", "spec.drainTimeout is not a duration of at most 1h, such as 30s", "2h}"],
    [
      "{resources: {limits: {cpu: a}}}",
      "spec.resources.limits.cpu is 'a', which is not a quantity such as 500m or 2Gi",
      "a}}}",
    ],
    [
      "{service: {type: ExternalName}}",
      "spec.service.type is 'ExternalName'; supported: LoadBalancer, NodePort, ClusterIP",
      "ExternalName}}",
    ],
    ["{patches: []}", "spec.patches is not an object", "[]}"],
  ])("a field with an error, at the parameters and at the Gateway: %s", async (spec, message, position) => {
    const text = referring + parameters(spec);
    const atGateway = `GatewayParameters a/small: ${message}`;
    expect(await findingsOf("InvalidParameters", text)).toEqual([
      expect.stringMatching(/^error at «.*parametersRef|^error at «{group/),
      `error at «${position}»: ${message}`,
    ]);
    expect((await findingsOf("InvalidParameters", text))[0]).toContain(atGateway);
    expect(await statusMessage(text)).toBe(atGateway);
  });

  test("fields for a GatewayClass only are an error where a Gateway refers to them, and none at the parameters", async () => {
    const text = referring + parameters("{image: evil}");
    const [first = "", ...others] = await findingsOf("InvalidParameters", text);
    expect(first).toContain("GatewayParameters a/small: spec.image can be set for a GatewayClass only");
    expect(first).toContain(await statusMessage(text));
    expect(others).toEqual([]);
  });

  test("parameters of a kind that the controller does not support", async () => {
    const text = referring.replace("kind: GatewayParameters", "kind: Other");
    const [first = ""] = await findingsOf("InvalidParameters", text);
    expect(first).toContain(`: ${await statusMessage(text)}`);
    expect(first).toContain("Other is not a supported kind; supported: GatewayParameters");
    // What kinds another controller supports is not known.
    const foreign = text.replace("prevail.dev/gateway", "example.com/gateway");
    expect(await findingsOf("InvalidParameters", foreign)).toEqual([]);
  });

  test("a Gateway of any controller that refers to GatewayParameters with an error, and a GatewayClass", async () => {
    const foreign = referring.replace("prevail.dev/gateway", "example.com/gateway") + parameters("{replicas: a}");
    expect(await findingsOf("InvalidParameters", foreign)).toHaveLength(2);
    const ofClass = smallCluster.replace(
      "{controllerName: prevail.dev/gateway}",
      "{controllerName: prevail.dev/gateway, parametersRef: {group: prevail.dev, kind: GatewayParameters, name: small, namespace: a}}",
    );
    expect(await findingsOf("InvalidParameters", ofClass + parameters("{replicas: a}"))).toHaveLength(2);
    expect(await findingsOf("InvalidParameters", ofClass + parameters("{replicas: 2, image: a}"))).toEqual([]);
  });

  test("a ListenerSet of such a Gateway, and explain of the Gateway", async () => {
    const set = `---
apiVersion: gateway.networking.k8s.io/v1
kind: ListenerSet
metadata: {name: s, namespace: a}
spec: {parentRef: {name: g}, listeners: [{name: l, port: 81, protocol: HTTP}]}
`;
    const allowing = referring.replace("  listeners:", "  allowedListeners: {namespaces: {from: Same}}\n  listeners:");
    const text = allowing + set + parameters("{replicas: a}");
    const [first = ""] = await findingsOf("ParentNotAccepted", text);
    expect(first).toContain(
      "Gateway a/g is not accepted (InvalidParameters): GatewayParameters a/small: spec.replicas",
    );
    const { stdout } = await runCli("explain gateway/g -n a -f a.yaml", { files: { "a.yaml": text } });
    expect(stdout).toContain("spec.replicas is not a whole number");
  });

  test("not where parameters may be elsewhere", async () => {
    expect(await findingsOf("InvalidParameters", referring)).toEqual([]);
  });
});

test("UnknownSetting: fields that GatewayParameters do not have", async () => {
  const text = smallCluster + parameters("{replica: 2, service: {typ: NodePort}, patches: {pod: {}}}");
  expect(await findingsOf("UnknownSetting", text)).toEqual([
    "warning at «2, service: {typ: NodePort}, patches: {pod: {}}}»: spec.replica is not a field of GatewayParameters and has no effect; did you mean 'replicas'?",
    "warning at «NodePort}, patches: {pod: {}}}»: spec.service.typ is not a field of GatewayParameters and has no effect; did you mean 'type'?",
    "warning at «{}}}»: spec.patches.pod is not a field of GatewayParameters and has no effect; known fields: deployment, service",
  ]);
});
