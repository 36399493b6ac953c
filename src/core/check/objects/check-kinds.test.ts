import { describe, expect, test } from "vitest";
import { checkText, findingsOf, limitPolicy, smallCluster } from "../../../../test/support/cli/check-text.ts";

const object = (apiVersion: string, kind: string): string =>
  `${smallCluster}---\napiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {name: x, namespace: a}\nspec: {}\n`;

describe("a kind that there is not", () => {
  for (const [apiVersion, kind, position, message] of [
    [
      "gateway.networking.k8s.io/v1",
      "HttpRoute",
      "HttpRoute",
      "unknown kind 'HttpRoute' in gateway.networking.k8s.io; did you mean 'HTTPRoute'?",
    ],
    [
      "gateway.networking.k8s.io/v1",
      "HTTPRoutes",
      "HTTPRoutes",
      "unknown kind 'HTTPRoutes' in gateway.networking.k8s.io; did you mean 'HTTPRoute'?",
    ],
    [
      "gateway.networking.x-k8s.io/v1alpha1",
      "ListenerSet",
      "ListenerSet",
      "unknown kind 'ListenerSet' in gateway.networking.x-k8s.io; did you mean 'XListenerSet'?",
    ],
    [
      "prevail.dev/v1alpha1",
      "PolicyDefinitions",
      "PolicyDefinitions",
      "unknown kind 'PolicyDefinitions' in prevail.dev; did you mean 'PolicyDefinition'?",
    ],
    ["prevail.dev/v1alpha1", "Oven", "Oven", "unknown kind 'Oven' in prevail.dev"],
    [
      "networking.k8s.io/v1",
      "HTTPRoute",
      "networking.k8s.io/v1",
      "unknown kind 'HTTPRoute' in networking.k8s.io; did you mean 'HTTPRoute' of gateway.networking.k8s.io?",
    ],
    [
      "v1",
      "Gateway",
      "v1",
      "unknown kind 'Gateway' in the core group; did you mean 'Gateway' of gateway.networking.k8s.io?",
    ],
    ["apps/v1", "Service", "apps/v1", "unknown kind 'Service' in apps; did you mean 'Service' of the core group?"],
    [
      "gateway.netwroking.k8s.oi/v1",
      "httproute",
      "gateway.netwroking.k8s.oi/v1",
      "unknown kind 'httproute' in gateway.netwroking.k8s.oi; did you mean 'HTTPRoute' of gateway.networking.k8s.io?",
    ],
    [
      "prevail.io/v1",
      "CoverageRule",
      "prevail.io/v1",
      "unknown kind 'CoverageRule' in prevail.io; did you mean 'CoverageRule' of prevail.dev?",
    ],
  ] as const) {
    test(`${kind} of ${apiVersion}`, async () => {
      // The input has objects of these names and of Gateway API's or the core group.
      const shown = new Map([
        ["HTTPRoute of networking.k8s.io/v1", "HTTPRoute.networking.k8s.io"],
        ["Service of apps/v1", "Service.apps"],
      ]);
      expect(await findingsOf("UnknownKind", object(apiVersion, kind))).toEqual([
        `warning at «${position}»: ${shown.get(`${kind} of ${apiVersion}`) ?? kind} a/x is ignored: ${message}`,
      ]);
    });
  }
});

describe("no finding", () => {
  for (const [name, apiVersion, kind] of [
    ["kinds of Gateway API that are not used", "gateway.networking.x-k8s.io/v1alpha1", "XMesh"],
    ["kinds of Gateway API that were", "gateway.networking.k8s.io/v1alpha2", "ReferencePolicy"],
    ["another vendor's kind of the same name", "networking.istio.io/v1", "Gateway"],
    ["another one", "policy.linkerd.io/v1beta3", "HTTPRoute"],
    ["and another", "serving.knative.dev/v1", "Service"],
    ["kinds of Kubernetes", "networking.k8s.io/v1", "Ingress"],
    ["kinds of the core group", "v1", "ServiceAccount"],
    ["kinds of a group that is not ours, however near", "policies.example.com/v1", "LimitPolicies"],
  ] as const) {
    test(`${name}: ${kind} of ${apiVersion}`, async () => {
      expect(await findingsOf("UnknownKind", object(apiVersion, kind))).toEqual([]);
    });
  }

  test("a kind that a CRD describes", async () => {
    const crd = `---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ovens.prevail.dev}
spec: {group: prevail.dev, scope: Namespaced, names: {kind: Oven, plural: ovens}, versions: []}
`;
    expect(await findingsOf("UnknownKind", `${object("prevail.dev/v1alpha1", "Oven")}${crd}`)).toEqual([]);
  });
});

describe("what the world knows about fixing", () => {
  const fixes = async (code: string, text: string) =>
    (await checkText(text)).filter((finding) => finding.code === code).map(({ fix }) => fix);

  test("a policy of a kind that is nearly known", async () => {
    const misspelt = limitPolicy("p", "Gateway", "limits: {}").replace("LimitPolicy", "LimtPolicy");
    expect(await fixes("UnknownPolicyKind", `${smallCluster}${misspelt}`)).toEqual([
      "Write 'LimitPolicy' if that is meant.",
    ]);
    expect(await fixes("UnknownKind", `${smallCluster}${misspelt}`)).toEqual([]);
  });

  test.each([
    ["a vendor's kind", "OvenTemperature", "example.com", "info"],
    ["a kind that is nearly known", "LimtPolicy", "example.com", "warning"],
    ["a kind of a group whose kinds are known", "OvenTemperature", "prevail.dev", "warning"],
    ["a kind of Gateway API that is not read", "BackendPolicy", "gateway.networking.k8s.io", "info"],
  ])("severity: %s", async (_, kind, group, severity) => {
    const policy = limitPolicy("p", "Gateway", "limits: {}").replace("LimitPolicy", kind);
    const found = await checkText(`${smallCluster}${policy.replace("example.com/", `${group}/`)}`);
    const own = found.filter(({ code }) => code === "UnknownPolicyKind");
    expect(own.map((finding) => finding.severity)).toEqual([severity]);
  });

  test("a policy of a kind that is nothing like it", async () => {
    const foreign = limitPolicy("p", "Gateway", "limits: {}").replace("LimitPolicy", "OvenTemperature");
    expect(await fixes("UnknownPolicyKind", `${smallCluster}${foreign}`)).toEqual([undefined]);
  });

  test("a target that is there, and was left out", async () => {
    const refused = smallCluster.replace("  - name: one\n", "  - name: one\n    retry: {attempts: none}\n");
    const policy = limitPolicy("p", "HTTPRoute", "limits: {}");
    expect(await fixes("TargetNotFound", `${refused}${policy}`)).toEqual([
      "The object exists but is invalid, so it is ignored: correct its spec.rules[0].retry.attempts.",
    ]);
    expect(await fixes("TargetNotFound", `${refused}${policy.replace("name: r}", "name: q}")}`)).toEqual([
      "Correct the name, or add the target.",
    ]);
  });
});
