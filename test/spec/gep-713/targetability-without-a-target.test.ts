/**
 * GEP-713, "Targetability (“where”)": policies without a target
 * A definition says what a policy without a target is attached to (`targeting.absent`).
 */
import { expect, test } from "vitest";
import type { PolicyDefinition } from "../../../src/core/model/definition.ts";
import type { JsonObject } from "../../../src/core/model/json.ts";
import { parseDefinition } from "../../../src/core/model/parse/definition/parse-definition.ts";
import { apply, caveatsFor, effectivePolicies } from "../../../src/index.ts";
import { cluster } from "../../support/cluster/cluster.ts";
import { gateway, gatewayClass, policy } from "../../support/cluster/gateway-objects.ts";
import { kubeObject } from "../../support/cluster/kube-objects.ts";
import { policyKind } from "../../support/cluster/policy-kind.ts";

/** As Istio: the namespace, in the root namespace the mesh, or workloads by label. */
const kind = policyKind("Telemetry", {
  targets: ["Gateway"],
  ends: ["Gateway"],
  namespacesAbove: ["Gateway"],
  merge: { granularity: { default: "Field", field: "strategy", values: {} } },
  targeting: { absent: { means: "OwnNamespace", rootNamespace: "root", workloadSelector: "selector" } },
});
const without = (name: string, namespace: string, spec: JsonObject): JsonObject => ({
  apiVersion: "example.com/v1",
  kind: "Telemetry",
  metadata: { name, namespace },
  spec,
});
const gateways = [gatewayClass("class"), gateway("g", { namespace: "shop" }), gateway("g", { namespace: "bakery" })];
const made = (...policies: readonly JsonObject[]) => cluster([...gateways, ...policies], { definitions: [kind] });

test("it takes effect in its own namespace", () => {
  const { spec, outcome } = made(without("p", "shop", { sampling: 1 }));
  expect(spec("Gateway/shop/g")).toEqual({ sampling: 1 });
  expect(spec("Gateway/bakery/g")).toEqual({});
  expect(outcome("shop/p")).toBe("Enforced");
});

test("in the root namespace it takes effect everywhere, above the policies of a namespace, whatever their age is", () => {
  const mesh = without("mesh", "root", { sampling: 1, format: "json" });
  const inShop = policy("Telemetry", "own", [], { sampling: 2 }, { namespace: "shop", created: 1 });
  const { spec, outcome } = made(mesh, inShop);
  expect(spec("Gateway/shop/g")).toEqual({ sampling: 2, format: "json" });
  expect(spec("Gateway/bakery/g")).toEqual({ sampling: 1, format: "json" });
  expect(outcome("root/mesh")).toBe("PartiallyEnforced by shop/own");
});

test("a policy with a target is attached to that alone", () => {
  const { spec } = made(policy("Telemetry", "p", "Gateway/g", { sampling: 3 }, { namespace: "shop" }));
  expect(spec("Gateway/shop/g")).toEqual({ sampling: 3 });
  expect(spec("Gateway/bakery/g")).toEqual({});
});

test("a namespace that is new is part of the mesh", () => {
  const { evaluation } = made(without("mesh", "root", { sampling: 1 }));
  const { evaluation: next } = apply(evaluation, [{ upsert: gateway("g", { namespace: "new" }) }]);
  expect([...effectivePolicies(evaluation)]).toHaveLength(2);
  expect([...effectivePolicies(next)]).toHaveLength(3);
});

test("a policy that selects workloads of a kind that does not list them: whether it takes effect is not known", () => {
  const selecting = without("p", "shop", { selector: { matchLabels: { app: "till" } }, sampling: 1 });
  const { outcome, spec, findingsOn, evaluation } = made(selecting);
  expect(outcome("shop/p")).toBe("Incomplete");
  expect(spec("Gateway/shop/g")).toEqual({});
  expect(findingsOn("p").map(({ code, severity, field }) => [code, severity, field])).toEqual([
    ["UnknownWorkloads", "info", "spec.selector"],
  ]);
  const caveats = caveatsFor(evaluation, { about: "Input" }).map(({ message }) => message);
  expect(caveats).toContain(
    "whether 1 policy takes effect is not known: it selects workloads that are not known: Telemetry shop/p",
  );
  expect(made(without("q", "shop", { selector: {}, sampling: 1 })).outcome("shop/q")).toBe("Enforced");
});

/** As before, with Deployments and the Pods of Gateways as workloads. */
const DEPLOYMENT = { group: "apps", kind: "Deployment" };
const ofGateways = policyKind("Telemetry", {
  targets: ["Gateway"],
  ends: ["Gateway"],
  namespacesAbove: ["Gateway"],
  kinds: [{ ...DEPLOYMENT, scope: "Namespaced", plural: "deployments", sections: [] }],
  merge: { granularity: { default: "Field", field: "strategy", values: {} } },
  targeting: {
    absent: {
      means: "OwnNamespace",
      rootNamespace: "root",
      workloadSelector: "selector",
      workloads: [
        { ...DEPLOYMENT, labels: "spec.template.metadata.labels" },
        {
          group: "gateway.networking.k8s.io",
          kind: "Gateway",
          labels: "spec.infrastructure.labels",
          nameLabels: ["gateway.networking.k8s.io/gateway-name"],
        },
      ],
    },
  },
});
const withWorkloads: PolicyDefinition = {
  ...ofGateways,
  hierarchy: {
    ...ofGateways.hierarchy,
    effectiveTargets: [...ofGateways.hierarchy.effectiveTargets, DEPLOYMENT],
    namespacesAbove: [...ofGateways.hierarchy.namespacesAbove, DEPLOYMENT],
  },
};
const deployment = (name: string, namespace: string, labels: JsonObject): JsonObject => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name, namespace },
  spec: { selector: { matchLabels: labels }, template: { metadata: { labels } } },
});
const till = deployment("till", "shop", { app: "till", tier: "front" });
const ofWorkloads = (completeness: "Complete" | "Partial", ...objects: readonly JsonObject[]) =>
  cluster([...gateways, till, deployment("oven", "bakery", { app: "till" }), ...objects], {
    definitions: [withWorkloads],
    completeness,
  });

test("workloads that a policy selects have it below those of the mesh and of their namespace", () => {
  const { spec, outcome } = ofWorkloads(
    "Partial",
    without("mesh", "root", { sampling: 1, format: "json", color: "red" }),
    without("own", "shop", { sampling: 2, format: "text" }),
    without("p", "shop", { selector: { matchLabels: { app: "till" } }, sampling: 3 }),
  );
  expect(spec("Deployment/shop/till")).toEqual({ sampling: 3, format: "text", color: "red" });
  expect(spec("Deployment/bakery/oven")).toEqual({ sampling: 1, format: "json", color: "red" });
  expect(spec("Gateway/shop/g")).toEqual({ sampling: 2, format: "text", color: "red" });
  expect(outcome("shop/p")).toBe("Enforced");
});

test.each<[string, string, JsonObject, readonly string[]]>([
  ["matchLabels", "shop", { matchLabels: { app: "till" } }, ["Deployment/shop/till"]],
  ["labels", "shop", { labels: { app: "till", tier: "front" } }, ["Deployment/shop/till"]],
  ["a map", "shop", { tier: "front" }, ["Deployment/shop/till"]],
  [
    "from the root namespace",
    "root",
    { matchLabels: { app: "till" } },
    ["Deployment/shop/till", "Deployment/bakery/oven"],
  ],
  [
    "matchExpressions",
    "root",
    { matchExpressions: [{ key: "tier", operator: "DoesNotExist" }] },
    ["Deployment/bakery/oven", "Gateway/shop/g", "Gateway/bakery/g"],
  ],
  [
    "the Pods of a Gateway by its name",
    "shop",
    { matchLabels: { "gateway.networking.k8s.io/gateway-name": "g" } },
    ["Gateway/shop/g"],
  ],
])("a policy selects workloads: %s", (_, namespace, selector, selected) => {
  const { spec } = ofWorkloads("Partial", without("p", namespace, { selector, sampling: 1 }));
  const all = ["Deployment/shop/till", "Deployment/bakery/oven", "Gateway/shop/g", "Gateway/bakery/g"];
  expect(all.filter((target) => spec(target)["sampling"] === 1)).toEqual(all.filter((one) => selected.includes(one)));
});

test("labels that no workload has: not known, unless the input is complete", () => {
  const unmatched = without("p", "shop", { selector: { matchLabels: { app: "unmatched" } }, sampling: 1 });
  const partial = ofWorkloads("Partial", unmatched);
  expect(partial.outcome("shop/p")).toBe("Incomplete");
  expect(partial.findingsOn("p").map(({ code, severity }) => [code, severity])).toEqual([["UnknownWorkloads", "info"]]);
  const complete = ofWorkloads("Complete", unmatched);
  expect(complete.outcome("shop/p")).toBe("TargetNotFound");
  expect(complete.findingsOn("p").map(({ code, message }) => [code, message])).toEqual([
    ["SelectorMatchesNothing", "no workload in namespace 'shop' (Deployment, Gateway) has the labels app=unmatched"],
  ]);
});

test("the labels of a workload change", () => {
  const { evaluation } = ofWorkloads(
    "Partial",
    without("p", "shop", { selector: { matchLabels: { app: "till" } }, sampling: 1 }),
  );
  const moved = deployment("till", "shop", { app: "desk" });
  const { evaluation: next } = apply(evaluation, [{ upsert: moved }]);
  const attached = (of: typeof evaluation) =>
    [...effectivePolicies(of)].filter(({ spec }) => spec["sampling"] === 1).map(({ path }) => path.at(-1)?.name);
  expect(attached(evaluation)).toEqual(["till"]);
  expect(attached(next)).toEqual([]);
});

test("a selector that is none", () => {
  const { findingsOn } = ofWorkloads("Partial", without("p", "shop", { selector: { matchLabels: { app: 7 } } }));
  expect(findingsOn("p").map(({ code, message }) => [code, message])).toEqual([
    ["InvalidTarget", "spec.selector is not a label selector: matchLabels[app] must be a string"],
  ]);
});

test("means: Nothing: a policy without a target is accepted and takes effect nowhere, one with a target does", () => {
  const nothing = policyKind("Telemetry", {
    targets: ["Gateway"],
    ends: ["Gateway"],
    targeting: { absent: { means: "Nothing" } },
  });
  const { outcome, spec, findings } = cluster(
    [
      ...gateways,
      without("alone", "shop", { sampling: 1 }),
      policy("Telemetry", "p", "Gateway/g", { sampling: 2 }, { namespace: "shop" }),
    ],
    { definitions: [nothing] },
  );
  expect([outcome("shop/alone"), outcome("shop/p")]).toEqual(["NoPath", "Enforced"]);
  expect(spec("Gateway/shop/g")).toEqual({ sampling: 2 });
  expect(findings.filter(({ severity }) => severity !== "info")).toEqual([]);
});

/** As Istio's AuthorizationPolicy: all take effect, and one that says nothing is a policy, too. */
const withOptionalSpec = policyKind("Telemetry", {
  targets: ["Gateway"],
  ends: ["Gateway"],
  namespacesAbove: ["Gateway"],
  merge: { accumulate: { order: ["Level"] } },
  targeting: { absent: { means: "OwnNamespace", rootNamespace: "root" } },
});
const optional: PolicyDefinition = { ...withOptionalSpec, settings: "OptionalSpec" };
const { spec: _none, ...bare } = without("p", "shop", {});

test("a policy without a spec is Invalid, unless the kind says that its spec is optional", () => {
  const required = cluster([...gateways, bare], { definitions: [withOptionalSpec] });
  expect(required.outcome("shop/p")).toBe("Invalid");
  expect(required.spec("Gateway/shop/g")).toEqual({});
  const { outcome, spec, conditions } = cluster([...gateways, bare], { definitions: [optional] });
  expect(outcome("shop/p")).toBe("Enforced");
  expect(conditions("shop/p")).toEqual(["Namespace/shop: Accepted=True/Accepted Enforced=True/Enforced"]);
  expect(spec("Gateway/shop/g")).toEqual({ "shop/p": {} });
  expect(spec("Gateway/bakery/g")).toEqual({});
});

test("an optional spec is a map if it is there", () => {
  for (const written of [null, "x", []]) {
    const { outcome } = cluster([...gateways, { ...bare, spec: written }], { definitions: [optional] });
    expect(outcome("shop/p")).toBe("Invalid");
  }
});

test("a kind whose policies need a target has no optional spec", () => {
  const problems = (targeting: JsonObject) =>
    parseDefinition(
      kubeObject({
        apiVersion: "prevail.dev/v1alpha1",
        kind: "PolicyDefinition",
        metadata: { name: "telemetries.example.com" },
        spec: {
          policies: [{ group: "example.com", kind: "Telemetry" }],
          class: "Inherited",
          targeting: { kinds: ["Gateway"], ...targeting },
          hierarchy: { effectiveTargets: ["Gateway"], namespaces: { above: ["Gateway"] } },
          settings: "OptionalSpec",
        },
      }),
    ).findings.map(({ code, field }) => [code, field]);
  expect(problems({})).toEqual([["DefinitionMisplaced", "spec.settings"]]);
  expect(problems({ absent: { means: "OwnNamespace" } })).toEqual([]);
});
