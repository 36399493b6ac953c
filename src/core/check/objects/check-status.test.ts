import { describe, expect, test } from "vitest";
import { findingsOf, limitPolicy, smallCluster } from "../../../../test/support/cli/check-text.ts";
import { cluster } from "../../../../test/support/cluster/cluster.ts";
import { gateway, policy, route } from "../../../../test/support/cluster/gateway-objects.ts";
import { policyKind } from "../../../../test/support/cluster/policy-kind.ts";
import { check } from "../../check.ts";

const low = limitPolicy("low", "HTTPRoute", "limits: {one: {rate: 1}}");
const high = limitPolicy("high", "Gateway", "overrides:\n  limits: {two: {rate: 2}}");

const withStatus = (policy: string, conditions: string, ref = "{name: g}"): string => `${policy.trimEnd()}
status:
  ancestors:
  - ancestorRef: ${ref}
    controllerName: example.com/limits
    conditions:
    - ${conditions}
`;

describe("a policy's status", () => {
  test("that reports Enforced, while another policy overrides it", async () => {
    const text = smallCluster + high + withStatus(low, "{type: Enforced, status: 'True', reason: Enforced}");
    expect(await findingsOf("StatusDiffers", text)).toEqual([
      "warning at «{type: Enforced, status: 'True', reason: Enforced}»: the status of LimitPolicy a/low has Enforced=True/Enforced (at Gateway a/g, by example.com/limits); Prevail computes Enforced=False/Overridden: is overridden on its only path; overridden by LimitPolicy a/high, at HTTPRoute a/r#one",
    ]);
  });

  test("that is older than its spec", async () => {
    const aged = low.replace("name: low,", "name: low, generation: 4,");
    const text =
      smallCluster + withStatus(aged, "{type: Accepted, status: 'False', reason: Invalid, observedGeneration: 3}");
    expect(await findingsOf("StatusDiffers", text)).toEqual([
      expect.stringMatching(/The condition is of generation 3, the object is at generation 4$/),
    ]);
  });

  test("about a Gateway that it has nothing to do with", async () => {
    const text = smallCluster + withStatus(low, "{type: Accepted, status: 'True', reason: Accepted}", "{name: other}");
    expect(await findingsOf("StatusDiffers", text)).toEqual([
      expect.stringMatching(
        /has Accepted=True\/Accepted at Gateway a\/other, by example\.com\/limits; Prevail computes /,
      ),
    ]);
  });

  test.each([
    ["its target", "{kind: HTTPRoute, name: r}"],
    ["the class above its target", "{kind: GatewayClass, name: c}"],
  ])("not one at %s: implementations choose the ancestor", async (_, ref) => {
    const text = smallCluster + withStatus(low, "{type: Accepted, status: 'True', reason: Accepted}", ref);
    expect(await findingsOf("StatusDiffers", text)).toEqual([]);
  });

  test("not one at a ListenerSet that it targets", async () => {
    const set = `---
apiVersion: gateway.networking.k8s.io/v1
kind: ListenerSet
metadata: {name: set, namespace: a}
spec: {parentRef: {name: g}, listeners: [{name: l, protocol: HTTP, port: 81}]}
`;
    const allowing = smallCluster.replace(
      "  listeners:",
      "  allowedListeners: {namespaces: {from: Same}}\n  listeners:",
    );
    const routed = allowing.replace("parentRefs: [{name: g}]", "parentRefs: [{kind: ListenerSet, name: set}]");
    const policy = withStatus(
      "---\napiVersion: prevail.dev/v1alpha1\nkind: RetryPolicy\nmetadata: {name: p, namespace: a}\nspec: {targetRefs: [{kind: ListenerSet, name: set}], retry: {attempts: 2}}\n",
      "{type: Accepted, status: 'True', reason: Accepted}",
      "{kind: ListenerSet, name: set}",
    );
    expect(await findingsOf("StatusDiffers", routed + set + policy)).toEqual([]);
  });

  test("not one at a Gateway that is not in the input and that its route names", async () => {
    const away = smallCluster.replace("parentRefs: [{name: g}]", "parentRefs: [{name: g}, {name: away}]");
    const text = away + withStatus(low, "{type: Accepted, status: 'True', reason: Accepted}", "{name: away}");
    expect(await findingsOf("StatusDiffers", text)).toEqual([]);
  });

  test.each([
    ["that says the same", "{type: Enforced, status: 'True', reason: Enforced}"],
    ["in a vendor's own words", "{type: Accepted, status: 'True', reason: LooksGood}"],
    ["that is not there yet", "{type: Enforced, status: Unknown, reason: Pending}"],
    ["of another type", "{type: Sunny, status: 'False'}"],
    ["that cannot be read", "[1, {type: 3}]"],
  ])("not one %s", async (_, conditions) => {
    expect(await findingsOf("StatusDiffers", smallCluster + withStatus(low, conditions))).toEqual([]);
  });
});

test("a section's entry is not the one of its object", async () => {
  const direct = `---
apiVersion: prevail.dev/v1alpha1
kind: PolicyDefinition
metadata: {name: ports.example.com}
spec:
  policies: [{group: example.com, kind: PortPolicy}]
  class: Direct
  targeting: {kinds: [{kind: Service, sections: [Port]}]}
`;
  const service = "{group: '', kind: Service, name: s}";
  const port = service.replace("}", ", sectionName: web}");
  const on = (name: string, ...targets: readonly string[]): string =>
    `---\napiVersion: example.com/v1\nkind: PortPolicy\nmetadata: {name: ${name}, namespace: a}\nspec: {targetRefs: [${targets.join(", ")}], x: 1}\n`;
  const claimed = withStatus(on("b", service, port), "{type: Accepted, status: 'False', reason: Conflicted}", service);
  expect(await findingsOf("StatusDiffers", smallCluster + direct + on("a", service) + claimed)).toEqual([]);
});

describe("a BackendTLSPolicy's status", () => {
  const policy = (status: string, configMap = ""): string =>
    `${smallCluster}---
apiVersion: v1
kind: Service
metadata: {name: s, namespace: a}
spec: {ports: [{name: web, port: 80}]}
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: to-s, namespace: a}
spec: {parentRefs: [{name: g}], rules: [{backendRefs: [{name: s, port: 80}]}]}
${configMap}---
apiVersion: gateway.networking.k8s.io/v1
kind: BackendTLSPolicy
metadata: {name: tls, namespace: a}
spec:
  targetRefs: [{group: '', kind: Service, name: s}]
  validation: {hostname: s.example, caCertificateRefs: [{group: '', kind: ConfigMap, name: ca}]}
status:
  ancestors:
${status}`;
  const at = (ref: string, ...conditions: readonly string[]): string =>
    `  - ancestorRef: ${ref}\n    controllerName: example.com/c\n    conditions:\n${conditions.map((one) => `    - ${one}\n`).join("")}`;
  const gateway = "{group: gateway.networking.k8s.io, kind: Gateway, name: g}";
  const empty = "---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: ca, namespace: a}}\n";
  const accepted = "{type: Accepted, status: 'True', reason: Accepted}";
  const resolved = "{type: ResolvedRefs, status: 'True', reason: ResolvedRefs}";

  test("is right at the Gateway, at the Service, and at a Gateway that is not in the input", async () => {
    for (const ref of [gateway, "{group: '', kind: Service, name: s}", "{name: elsewhere, namespace: infra}"])
      expect(await findingsOf("StatusDiffers", policy(at(ref, accepted, resolved)))).toEqual([]);
  });

  test("is wrong if the CA certificates are missing and it says otherwise", async () => {
    expect(await findingsOf("StatusDiffers", policy(at(gateway, accepted, resolved), empty))).toEqual([
      expect.stringContaining("Prevail computes Accepted=False/NoValidCACertificate"),
      expect.stringContaining("Prevail computes ResolvedRefs=False/InvalidCACertificateRef"),
    ]);
    const right = at(
      gateway,
      "{type: Accepted, status: 'False', reason: NoValidCACertificate}",
      "{type: ResolvedRefs, status: 'False', reason: InvalidCACertificateRef}",
    );
    expect(await findingsOf("StatusDiffers", policy(right, empty))).toEqual([]);
  });
});

describe("a target's status", () => {
  const affected = (type: string): string =>
    smallCluster.replace(
      "  - {name: http, protocol: HTTP, port: 80}\n",
      `  - {name: http, protocol: HTTP, port: 80}\nstatus:\n  conditions:\n  - {type: ${type}, status: 'True', reason: Affected}\n`,
    );

  test("that names a kind of which no policy takes effect there", async () => {
    expect(await findingsOf("StatusDiffers", affected("example.com/LimitPolicyAffected") + low)).toEqual([
      expect.stringMatching(
        /^warning at .*: the status of Gateway a\/g has .*; Prevail computes no LimitPolicy that takes effect on it$/,
      ),
    ]);
  });

  test("not one that is right, or about an unknown kind", async () => {
    expect(await findingsOf("StatusDiffers", affected("example.com/LimitPolicyAffected") + high)).toEqual([]);
    expect(await findingsOf("StatusDiffers", affected("example.com/SunPolicyAffected"))).toEqual([]);
  });
});

test("AncestorsLeftOut: a policy behind more Gateways than its status has room for", async () => {
  const gateways = Array.from({ length: 17 }, (_, at) => `g${at}`);
  const text = smallCluster
    .replace("parentRefs: [{name: g}]", `parentRefs: [${gateways.map((name) => `{name: ${name}}`).join(", ")}]`)
    .concat(
      ...gateways.map(
        (name) => `---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: ${name}, namespace: a}
spec: {gatewayClassName: c, listeners: [{name: http, protocol: HTTP, port: 80}]}
`,
      ),
    );
  expect(await findingsOf("AncestorsLeftOut", text + low)).toEqual([
    expect.stringMatching(
      /LimitPolicy a\/low has 17 ancestors, but its status can list only 16; left out: Gateway a\/g9$/,
    ),
  ]);
  expect(await findingsOf("AncestorsLeftOut", smallCluster + low)).toEqual([]);
});

test("GEP-713, Target object status: a condition is stale if only another parent has it", () => {
  const kind = policyKind("AuthPolicy", { targets: ["Gateway"], ends: ["HTTPRoute/Rule"] });
  const affected = (name: string) => ({
    parentRef: { name },
    controllerName: "example.com/c",
    conditions: [{ type: "example.com/AuthPolicyAffected", status: "True", reason: "Affected" }],
  });
  const both = { ...route("r", ["Gateway/g", "Gateway/h"]), status: { parents: [affected("g"), affected("h")] } };
  const objects = [gateway("g"), gateway("h"), both, policy("AuthPolicy", "p", "Gateway/g", { jwt: true })];
  const { evaluation } = cluster(objects, { definitions: [kind] });
  const stale = check(evaluation).filter(({ code }) => code === "StatusDiffers");
  expect(stale.map(({ field }) => field)).toEqual(["status.parents[1].conditions[0]"]);
});
