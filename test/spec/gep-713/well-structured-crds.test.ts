/** GEP-713, "Meta resources are well-structured CRDs" */
import { describe, expect, test } from "vitest";
import type { Approximation, DefinitionLibrary, PolicyDefinition } from "../../../src/core/model/definition.ts";
import type { JsonObject } from "../../../src/core/model/json.ts";
import { apply, caveatsFor, verdicts } from "../../../src/index.ts";
import { cluster } from "../../support/cluster/cluster.ts";
import { gateway, gatewayClass, policy, routeTo, service } from "../../support/cluster/gateway-objects.ts";
import { policyKind } from "../../support/cluster/policy-kind.ts";
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

describe("A policy of a kind that no PolicyDefinition describes is reported", () => {
  const open = { "x-kubernetes-preserve-unknown-fields": true };
  const crd = (name: string, label: string | undefined, color: JsonObject = { type: "string" }) => ({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name, ...(label === undefined ? {} : { labels: { "gateway.networking.k8s.io/policy": label } }) },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { kind: "LocalPolicy", plural: name.split(".")[0] ?? "" },
      versions: [
        {
          name: "v1",
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: "object",
              properties: { spec: { type: "object", properties: { color, targetRef: open, targetRefs: open } } },
            },
          },
        },
      ],
    },
  });
  const aimed = policy("LocalPolicy", "p", "Gateway/g", { color: "red" });
  const selecting = {
    ...aimed,
    spec: { targetSelectors: [{ group: "gateway.networking.k8s.io", kind: "Gateway", matchLabels: { a: "b" } }] },
  };
  const unknown = (...objects: readonly unknown[]) =>
    cluster(objects)
      .findingsOn("p")
      .filter(({ code }) => code === "UnknownPolicyKind")
      .map(({ message }) => message.replace(/^.*Add/, "Add"));
  const addCrd = "Add a PolicyDefinition, or its CRD with the label gateway.networking.k8s.io/policy";
  const addLabel =
    "Add a PolicyDefinition, or give its CRD the label gateway.networking.k8s.io/policy (Direct or Inherited)";

  test.each([
    ["nothing at all", [aimed], [addCrd]],
    ["nothing, and it only selects", [selecting], [addCrd]],
    ["a CRD without the label", [aimed, crd("localpolicies.example.com", undefined)], [addLabel]],
    ["a CRD whose label says something else", [aimed, crd("localpolicies.example.com", "yes")], [addLabel]],
    ["a CRD with the label", [aimed, crd("localpolicies.example.com", "Inherited")], []],
  ])("%s", (_, objects, expected) => {
    expect(unknown(...objects)).toEqual(expected);
  });

  test("the label alone: a policy on a Service takes effect, and whatever rests on it says that it is inferred", () => {
    const bare = crd("localpolicies.example.com", "Inherited");
    const label = { ...bare, spec: { ...bare.spec, versions: [{ name: "v1", storage: true, schema: {} }] } };
    const made = cluster([
      gateway("g"),
      routeTo("r", "Gateway/g", "s"),
      service("s"),
      policy("LocalPolicy", "p", "Service/s", { color: "red" }),
      label,
    ]);
    expect(made.outcome("p")).toBe("Enforced");
    expect(made.spec("Service/s")).toEqual({ color: "red" });
    expect(caveatsFor(made.evaluation, { about: "Input" }).map(({ code }) => code)).toEqual(["InferredDefinition"]);
  });

  test("of two CRDs for one kind the first by name counts, whatever the order, and the other is reported", () => {
    const first = crd("a.example.com", "Inherited", { type: "string" });
    const second = crd("b.example.com", "Direct", { type: "integer" });
    for (const objects of [
      [first, second],
      [second, first],
    ]) {
      const made = cluster([gateway("g"), routeTo("r", "Gateway/g"), aimed, ...objects]);
      expect(made.outcome("p")).toBe("Enforced");
      expect(made.paths("LocalPolicy")).toHaveLength(1);
      expect(made.findings.filter(({ code }) => code === "CrdClash")).toEqual([
        expect.objectContaining({
          object: "CustomResourceDefinition.apiextensions.k8s.io//b.example.com",
          field: "spec.names.kind",
          message:
            "CustomResourceDefinition a.example.com already describes LocalPolicy (example.com); this one is not used. Remove one of them",
        }),
      ]);
    }
  });
});

describe("Definitions that come with an implementation: where they are used (`library`), and where they differ from it (`approximate`)", () => {
  const kind = (approximate: readonly Approximation[]): PolicyDefinition => ({
    ...policyKind("TrafficPolicy", { targets: ["Gateway"], ends: ["Gateway"] }),
    ...(approximate.length === 0 ? {} : { approximate }),
  });
  const objects = [gatewayClass("class"), gateway("g")];
  const traffic = (spec: JsonObject) => policy("TrafficPolicy", "p", "Gateway/g", spec);

  const because = "retries are counted in another way";
  const caveatsOf = (approximation: Approximation, spec: JsonObject) =>
    caveatsFor(
      cluster([...objects, traffic(spec)], { definitions: [kind([approximation])], completeness: "Complete" })
        .evaluation,
      { about: "Input" },
    ).map(({ code, message }) => `${code}: ${message}`);
  const caveat = `ApproximateDefinition: the definition of TrafficPolicy is approximate, and 1 TrafficPolicy rests on it: ${because}`;

  test.each<[string, readonly string[], JsonObject, boolean]>([
    ["about every policy", [], { x: 1 }, true],
    ["about a field that the policy has", ["retry.count"], { retry: { count: 0 } }, true],
    ["about a field that the policy does not have", ["retry.count"], { retry: { delay: 1 } }, false],
    ["about a field of items of a list", ["rules.limit"], { rules: [{}, { limit: 1 }] }, true],
    ["about the second item of a list", ["rules.1"], { rules: [1] }, false],
    ["about an object with a value", ["rule[kind=A]"], { rule: { kind: "A" } }, true],
    ["about an object with another value", ["rule[kind=A]"], { rule: { kind: "B" } }, false],
  ])("a definition is approximate: %s", (_, paths, spec, isConcerned) => {
    expect(caveatsOf({ because, paths }, spec)).toEqual(isConcerned ? [caveat] : []);
  });

  test.each<[string, JsonObject, boolean]>([
    ["has both fields", { retry: { count: 1 }, mode: { how: "Lock" } }, true],
    ["has the first one only", { retry: { count: 1 }, mode: { how: "Open" } }, false],
    ["has the second one only", { mode: { how: "Lock" } }, false],
  ])("a definition is approximate where two fields meet: the policy %s", (_, spec, isConcerned) => {
    const approximation = { because, paths: ["retry.count", "retry.delay"], with: ["mode[how=Lock]"] };
    expect(caveatsOf(approximation, spec)).toEqual(isConcerned ? [caveat] : []);
  });

  const library: DefinitionLibrary = { find: (wanted) => (wanted.kind === "TrafficPolicy" ? kind([]) : undefined) };
  const own: JsonObject = {
    apiVersion: "prevail.dev/v1alpha1",
    kind: "PolicyDefinition",
    metadata: { name: "own" },
    spec: {
      policies: [{ group: "example.com", kind: "TrafficPolicy" }],
      class: "Direct",
      targeting: { kinds: ["Service"] },
    },
  };

  test("a definition of a library is used where there is a policy of its kind, from the first one on", () => {
    expect(cluster([...objects, traffic({ x: 1 })], { library }).outcome("p")).toBe("Enforced");
    const { evaluation } = cluster(objects, { library });
    expect([...verdicts(evaluation)]).toEqual([]);
    const next = apply(evaluation, [{ upsert: traffic({ x: 2 }) }]).evaluation;
    expect([...verdicts(next)].map(({ verdict }) => verdict.state)).toEqual(["Accepted"]);
  });

  test("a PolicyDefinition in the input replaces the one of a library", () => {
    const { outcome, findings } = cluster([...objects, own, traffic({ x: 1 })], { library });
    expect(outcome("p")).toBe("TargetNotFound");
    expect(findings.map(({ code }) => code)).toContain("DefinitionReplacesBuiltIn");
  });
});
